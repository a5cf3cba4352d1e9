import type { Settings } from "../ground/settings.ts";
import type { buildDocument } from "./document.ts";

type Document = ReturnType<typeof buildDocument>;

interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
}

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: Schema }[];
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>;
}

const intro = ({ RATE_LIMIT_GLOBAL, RATE_LIMIT_AUTH }: Settings) => `# Salon-to-ERP data service

> Read-only HTTP API over a warehouse that joins a salon management system and a financial ERP: salon visits (transacoes),
> ledger entries (lancamentos), ERP payments, professionals, business units, products, product sales, job history, reports.

It never changes business data. Field names are Portuguese or English exactly as below. Bodies are JSON.

## What the data is, and is not

- transacoes: one salon visit with its payment. servicos items keep the salon system's keys and gain profissional_nome and
  erp_centro_custo_id (null when the professional is not mapped).
- lancamentos: commissions and debits registered in the salon system, each originating from an ERP payment. raw_data holds
  Pessoa, CentroCusto, ValorBruto, DataVencimento and more.
- pagamentos-erp: every ERP payment, paid (situacao 2) and pending (1), rent, water and energy included. Independent of the
  salon-to-ERP integration: nothing read there is sent anywhere.
- produtos: a catalogue of eleven units (six salons, five stores), synchronised once a week, Sunday 05:00 Brasília time. A
  synced_at of some days ago is normal. Stores are outside the financial integration: no transacoes, no lancamentos.
- vendas-produto: product lines, synchronised hourly. Days without sales are normal; in salons product sales are the
  exception, in stores the rule. forma_pagamento "Descontar do Profissional" marks a product taken by the professional, not
  a sale to a customer.
- Money is text with two decimals, in reais; in reports it is a number. Date-times leave in UTC; business days are
  Brasília days (America/Sao_Paulo, UTC-3).

## Signing in

1. POST /auth/login with {"email": "…", "password": "…"} answers {"access_token", "refresh_token", "token_type", "expires_in": 900}.
2. Send Authorization: Bearer <access_token> on every request but /health, /auth/login, /auth/refresh and /llms.txt.
3. On 401 call POST /auth/refresh with {"refresh_token": "…"} once, keep both new tokens, and repeat the request. Each refresh
   token works once, for 7 days; using a spent one ends the session. If refresh answers 401, sign in again.
4. At the end call POST /auth/logout with the bearer and {"refresh_token": "…"}.

## Limits

${RATE_LIMIT_GLOBAL} requests in any 15 minutes, ${RATE_LIMIT_AUTH} of them to /auth. RateLimit tells what is left.
On 429 wait the seconds of the Retry-After header, then repeat the request; sooner does not help. On 503 wait Retry-After
seconds and try again.

## Reading a whole list by cursor

Only /v1/lancamentos and /v1/pagamentos-erp have after_id; filters may be added, the loop stays the same.

\`\`\`
after = 0
do:
  page = GET /v1/lancamentos?after_id={after}&per_page=200
  use page.data
  after = page.pagination.next_after_id
while page.pagination.has_more
\`\`\`

Stop when has_more is false (next_after_id is null then). To learn later what is new, ask with the id of the last record
you received, or with the same after_id after an empty page: nothing is skipped. Every other list has page and per_page; go on until page equals
pagination.total_pages.

To keep a copy, follow /v1/alteracoes/<list>: each page has next_after, the last one too; keep it and ask later with it as
after, for what was written or removed (removido, registro null) since. Without after it begins at the beginning. 410: drop
the copy and begin again.

A page of 200 ledger entries is about 100,000 tokens, as raw_data is about 1 KB each: ask for per_page=10 when you only want
to look, and use the reports for sums.

## Parameters

- data_inicio, data_fim: ISO 8601 with offset, both ends inclusive, either alone allowed: 2026-11-01T00:00:00-03:00. Write the
  + of an offset as %2B. They filter data_hora in transacoes, vendas-produto and reports (in resumo, lancamentos by
  synced_at), synced_at in lancamentos, created_at in jobs-log, data_vencimento as a Brasília date in pagamentos-erp.
- estabelecimento_id is salon_id of /v1/estabelecimentos.
- Wrong values answer 400 with {"error", "message"}; the message names the parameter. Unknown parameters are ignored, unless
  you send Prefer: handling=strict, which makes them 400 too: do so while you write requests.
- If-None-Match with the ETag of an earlier answer costs a 304 when nothing changed.
`;

const typeOf = (schema: Schema): string => {
  const types = [schema.type ?? "object"].flat();
  const base = types.find((type) => type !== "null") ?? "null";
  const named = schema.enum?.join("|") ?? (schema.format?.startsWith("date") ? schema.format : base);
  return `${named}${types.includes("null") ? "?" : ""}`;
};

const nameOf = ({ $ref = "" }: Schema): string => $ref.split("/").pop() ?? "";

const fields = (schema: Schema): string =>
  Object.entries(schema.properties ?? {})
    .map(([name, field]) =>
      Object.keys(field.properties ?? {}).length > 0
        ? `${name} {${fields(field)}}`
        : `${name} ${typeOf(field)}`,
    )
    .join(", ");

const parameter = ({ name, schema }: { name: string; schema: Schema }): string => {
  if (schema.enum) return `${name}=${schema.enum.join("|")}`;
  const bounds = schema.maximum === undefined ? "" : ` ${schema.minimum}–${schema.maximum}`;
  return `${name}${bounds}${schema.default === undefined ? "" : ` (${schema.default})`}`;
};

/** The shape of an answer in a few words: the pages by what they hold, the rest by name. */
const shape = (name: string, schemas: Record<string, Schema>): string => {
  const { data, pagination } = schemas[name]?.properties ?? {};
  if (data?.items === undefined) return name;
  const pages = pagination?.anyOf ? "Pagination (by cursor: CursorPagination)" : nameOf(pagination ?? {});
  return `{data: [${nameOf(data.items)}]${pagination ? `, pagination: ${pages}` : ""}}`;
};

/** The instruction text for programs (llms.txt convention), its endpoints emitted from the document. */
export const writeLlms = (document: Document, settings: Settings): string => {
  const schemas = document.components?.schemas as Record<string, Schema>;
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>)
      .filter(() => path.startsWith("/v1/"))
      .map(([method, operation]) => {
        const query = (operation.parameters ?? []).filter((one) => one.in === "query").map(parameter);
        const answer = operation.responses["200"]?.content?.["application/json"]?.schema ?? {};
        const takes = query.length > 0 ? ` · ${query.join(", ")}` : "";
        return `- ${method.toUpperCase()} ${path}${takes} → ${shape(nameOf(answer), schemas)}`;
      }),
  );
  const skipped =
    /Page$|List$|Alterad[ao]$|^Transacoes|^(Credentials|RefreshRequest|LogoutRequest|Message|Health|TokenResponse|User)$/;
  const objects = Object.entries(schemas)
    .filter(([name]) => !skipped.test(name) && name !== "TransacaoDetalhada")
    .map(([name, schema]) => `- ${name}: ${fields(schema)}`);
  return `${intro(settings)}
## Endpoints

GET /health and GET /auth/me tell of the service and of you. {id} is salon_id for transacoes and lancamentos, erp_id for
pagamentos-erp, id elsewhere; no such record is 404. Defaults in parentheses.

${operations.join("\n")}

## Objects

A question mark: may be null. TransacaoAlterada is {id, removido, registro: Transacao?}, and so are its like. TransacaoDetalhada is Transacao with id, erp_recebimento_id?, sent_at? and raw_data.

${objects.join("\n")}

## More

- [OpenAPI 3.1 document](/openapi.yaml): every field and answer, needs the bearer
- [Reference for people](/docs): sign in with a browser and try it out
`;
};
