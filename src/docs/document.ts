import type { OpenAPIHono } from "@hono/zod-openapi";
import { license as spdx, version } from "../../package.json";
import type { AppEnv } from "../core/context.ts";
import type { Settings } from "../core/settings.ts";
import { addExamplesAndHeaders } from "./examples-and-headers.ts";

/** Joins the lines of each paragraph: some Markdown renderers keep line breaks. */
const unwrap = (text: string) => text.replace(/([^\n])\n(?!\n)/g, "$1 ");

const description =
  unwrap(`Read-only access to a warehouse that joins a salon management system and a financial ERP: visits,
ledger entries, ERP payments, professionals, business units, products, sales lines, job history and reports.

**Access.** Sign in through \`POST /auth/login\`, send the access token as \`Authorization: Bearer <token>\`, renew through
\`POST /auth/refresh\` on 401, sign out through \`POST /auth/logout\`. An access token lives 15 minutes; a refresh token lives
7 days and works once.

**Input.** Every parameter is checked and never clamped: an unknown word, an empty value, a value given twice or a number
outside its bounds answers 400 with the name of the parameter, and unknown parameters are ignored. Send
\`Prefer: handling=strict\` to have unknown parameters and a \`page\` beside \`after_id\` refused too, and everything that is
wrong named in one 400; the answer then carries \`Preference-Applied\`. Date-times are ISO 8601 with an offset; the \`+\` of
an offset is written \`%2B\` in a URL. Both ends of a range are inclusive, and either may stand alone.

**Output.** Money is numeric text with two decimals; in reports it is a number rounded to two. Date-times leave in UTC with
their offset. Payloads (\`raw_data\`, \`servicos\`) leave digit for digit as they were stored.

**Limits.** Requests are counted for the user, whatever its tokens, machines and addresses, and without a valid token for
the address. \`RateLimit-Policy\` names each limit, \`RateLimit\` what is left of it; a 429 says in \`Retry-After\` for how
many seconds to wait.

**Caching.** Answers under \`/v1\` carry an \`ETag\`: send it as \`If-None-Match\` and an unchanged answer costs a 304. A
\`Link\` header names the neighbouring pages.

**Assistants.** \`POST /mcp\` speaks the Model Context Protocol: each \`GET\` under \`/v1\` is a tool there, by its
\`operationId\`. The protocol describes its own messages, so it has no operation here.

**Errors.** Every error is \`{error, message}\`, and every answer carries \`X-Request-Id\`. A URL over 8 KiB is a 414; a page
over 4 MiB is a 400 that asks for a smaller \`per_page\`.`);

const tags = [
  { name: "health", description: "Is the service up" },
  { name: "auth", description: "Sign in, renew, sign out" },
  { name: "transacoes", description: "Salon visits with their payment data" },
  {
    name: "lancamentos",
    description: "Ledger entries registered in the salon system, originating from ERP payments",
  },
  { name: "pagamentos-erp", description: "All ERP payments, paid and pending" },
  { name: "profissionais", description: "Professionals mapping" },
  { name: "estabelecimentos", description: "Business units mapping" },
  { name: "produtos", description: "Product catalogue, synchronised weekly" },
  { name: "vendas-produto", description: "Product sales lines" },
  { name: "jobs-log", description: "Background-job history" },
  { name: "frescor", description: "How fresh the data is" },
  { name: "relatorios", description: "Aggregated reports" },
  { name: "alteracoes", description: "What was written or removed since you last asked" },
  { name: "docs", description: "This description" },
];

// A constant avoids the excess property check: the library's type lacks `identifier`, new in OpenAPI 3.1.
const license = { name: spdx, identifier: spdx };

/** Builds the OpenAPI 3.1 document from the routes of an app. This takes tens of milliseconds: do it once. */
export const buildDocument = (app: OpenAPIHono<AppEnv>, settings: Settings) => {
  app.openAPIRegistry.registerComponent("securitySchemes", "bearer", {
    type: "http",
    scheme: "bearer",
    bearerFormat: "JWT",
    description:
      "The access token of POST /auth/login or POST /auth/refresh. GET /v1/… and POST /mcp take an agent token (`agt_…`) " +
      "too: whoever runs the service makes one for a program that cannot sign in. It acts as its user until it ends.",
  });
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Salon-to-ERP data service",
      version,
      description,
      license,
    },
    servers: [{ url: "/", description: "The service this document came from" }],
    tags,
  });
  return addExamplesAndHeaders(document, settings);
};
