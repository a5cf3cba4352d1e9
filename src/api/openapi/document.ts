import type { OpenAPIHono } from "@hono/zod-openapi";
import { license as spdx, version } from "../../../package.json";
import type { AppEnv } from "../../core/context.ts";
import type { Settings } from "../../core/settings.ts";
import { addExamplesAndHeaders } from "./examples-and-headers.ts";
import { addNumberFormats } from "./number-formats.ts";

/** Joins the lines of each paragraph, because some Markdown renderers keep line breaks. */
const unwrap = (text: string) => text.replace(/([^\n])\n(?!\n)/g, "$1 ");

const description =
  unwrap(`Read-only access to a warehouse that joins a salon management system and a financial ERP: visits, ledger
entries, ERP payments, professionals, business units, products, sales lines, job history and reports.

**Authentication.** Sign in with \`POST /auth/login\`. Send the access token as \`Authorization: Bearer
<token>\`. On a 401, renew it with \`POST /auth/refresh\`. Sign out with \`POST /auth/logout\`. An access
token is valid for 15 minutes. A refresh token is valid for 7 days and works once.

**Parameters.** An invalid value, an empty value and a repeated parameter are each a 400 that names the
parameter. Values are never clamped to their bounds. Unknown parameters are ignored. With \`Prefer:
handling=strict\`, an unknown parameter is an error too, and so is \`page\` together with \`after_id\`. One
400 then reports all errors, and has the header \`Preference-Applied\`. Date-times are ISO 8601 with an
offset, in the years 1900 to 2200. Encode the \`+\` of an offset as \`%2B\` in a URL, and a literal \`%\` as
\`%25\`. Both ends of a range are inclusive and optional. \`periodo\` names a range of calendar days in
Brasília instead. A period that contains today ends with today, except for payments. The header
\`Applied-Range\` has the ends of the range.

**Responses.** Money is text with two decimals; in reports it is a number rounded to two decimals. Date-times
are in UTC with an offset. Numbers in \`raw_data\` and \`servicos\` keep all their digits. The header \`Link\`
has the URLs of the next, previous, first and last page.

**Rate limits.** With a valid access token or agent token, a request counts for its user, from any address. A
renewal counts for its session and its user. Any other request counts for its address. \`RateLimit-Policy\`
shows the limits and \`RateLimit\` shows what is left. On a 429, wait the number of seconds in
\`Retry-After\`.

**Caching.** Successful responses under \`/v1\` have an \`ETag\`. Send it as \`If-None-Match\`: if nothing has
changed, the response is a 304.

**Assistants.** \`POST /mcp\` serves the Model Context Protocol. Each \`GET\` route under \`/v1\` is a tool
with the name of its \`operationId\`. \`/mcp\` is not listed here, because the protocol describes its own
messages.

**Errors.** The body of every error is \`{error, message}\`. Every response has an \`X-Request-Id\`. A URL
over 8 KiB is a 414. Plain http is a 403. An answer over 4 MiB is a 400 that says what makes it smaller.`);

const tags = [
  { name: "health", description: "Health of the service" },
  { name: "auth", description: "Sign in, renew tokens, sign out" },
  { name: "transacoes", description: "Salon visits with their payment data" },
  {
    name: "lancamentos",
    description: "Ledger entries registered in the salon system, originating from ERP payments",
  },
  { name: "pagamentos-erp", description: "All ERP payments, paid and pending" },
  { name: "profissionais", description: "Professionals and their cost centres in the ERP" },
  { name: "estabelecimentos", description: "Business units and their ids in each system" },
  { name: "produtos", description: "Product catalogue, synchronised weekly" },
  { name: "vendas-produto", description: "Product sales lines" },
  { name: "jobs-log", description: "History of the jobs that load the data" },
  { name: "frescor", description: "Freshness of the data" },
  { name: "relatorios", description: "Reports" },
  { name: "alteracoes", description: "Change feeds, for programs that keep a copy" },
  { name: "operations", description: "What operators start" },
  { name: "docs", description: "This document and instructions for AI agents" },
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
      "An access token from POST /auth/login or POST /auth/refresh. GET /v1/… and POST /mcp also accept " +
      "an agent token (`agt_…`), which the operator creates for a program that cannot sign in. An agent " +
      "token grants at most what its user can read.",
  });
  const document = app.getOpenAPI31Document({
    openapi: "3.1.0",
    info: {
      title: "Salon-to-ERP data service",
      version,
      description,
      license,
    },
    servers: [{ url: "/", description: "The service that returned this document" }],
    tags,
  });
  addNumberFormats(document as object);
  return addExamplesAndHeaders(document, settings);
};
