import type { Settings } from "../core/settings.ts";
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

const theData = `## What the data is, and is not

- transacoes: one salon visit with its payment. total is the whole visit, products included. Items of servicos have
  idProfissionalQueRealizouServico (may be missing), profissional_nome and erp_centro_custo_id (null when the professional
  is not mapped); other keys are the salon system's own, as a rule nome and valor (a number, in reais).
- lancamentos: commissions and debits registered in the salon system, each originating from an ERP payment. raw_data holds
  Pessoa, CentroCusto, ValorBruto, DataVencimento and more.
- pagamentos-erp: every ERP payment, paid (situacao 2) and pending (1), rent, water and energy included. Independent of the
  salon-to-ERP integration: nothing read there is sent anywhere. id_centro_custo is a cost centre of the ERP, as is
  erp_centro_custo_id of units. The filter nome_conta_classificacao wants the whole name, letter for letter, as
  pagamentos-por-conta lists it.
- profissionais: salon_estabelecimento_id, which estabelecimento_id filters, is the home unit; services elsewhere are common.
- produtos: a catalogue of eleven units (six salons, five stores), synchronised once a week, Sunday 05:00 Brasília time. A
  synced_at of some days ago is normal. Stores are outside the financial integration: no transacoes, no lancamentos.
- vendas-produto: product lines, synchronised hourly. Days without sales are normal; in salons product sales are the
  exception, in stores the rule. forma_pagamento "Descontar do Profissional" marks a product taken by the professional, not
  a sale to a customer.
- jobs-log: a run has a row when it begins (started) and one when it ends (completed, failed); count the latter. A job whose
  newest row is started is running.
- synced_at is when our workers last fetched a record, not when anything happened. How fresh all is: /v1/frescor.
- Money is text with two decimals, in reais; in reports it is a number. taxa_cobrada_profissional 0.0299 is 2.99 %.
  Date-times leave in UTC; business days are Brasília days (America/Sao_Paulo, UTC-3).
`;

const addingUp = `## Adding up

- valor_total of visits is the sum of total. Add neither servicos nor salon lines of vendas-produto (origem=salao) to it:
  they are in it. Store lines (origem=loja) belong to no visit.
- Never add up rows of transacoes-por-profissional: a visit shared by two counts in full for each.
- To count, ask a list for per_page=1 and read pagination.total.
`;

/** Instructions that apply to the HTTP API and to MCP. */
export const guide = `${theData}\n${addingUp}`;

const intro = ({ RATE_LIMIT_GLOBAL, RATE_LIMIT_AUTH }: Settings) => `# Salon-to-ERP data service

> Read-only HTTP API over a warehouse that joins a salon management system and a financial ERP: salon visits (transacoes),
> ledger entries (lancamentos), ERP payments, professionals, business units, products, product sales, job history, reports.

${theData}
## Which endpoint answers what

Reports, all in /v1/relatorios:

- Visits, takings, average ticket (valor_total / total_transacoes) by day or month: transacoes-por-periodo. By unit, with
  what is not yet in the ERP and its worth: transacoes-por-estabelecimento. By payment form, with fees:
  transacoes-por-forma-pagamento. By professional: transacoes-por-profissional. All of it at once: painel (ten professionals, ten
  products).
- Products sold, and what professionals took: vendas-por-produto.
- ERP payments by account and day or month, due or paid: pagamentos-por-conta.
- Who and which unit has no cost centre in the ERP: nao-mapeados.

/v1/frescor: is the data fresh, does a job run. /v1/jobs-log?status=failed: what failed. /v1/alteracoes/: what was written or
removed since you last asked, for a copy that stays equal. Begin without after, go on with next_after, which is always there.
On 410 drop the copy and begin again. Items are {id, removido, registro}: registro is the list's own record, null when removido.

${addingUp}
## Signing in

1. POST /auth/login with {"email": "…", "password": "…"} answers {"access_token", "refresh_token", "token_type", "expires_in": 900}.
2. Send Authorization: Bearer <access_token> on every request but /health, /auth/login, /auth/refresh and /llms.txt.
3. On 401 call POST /auth/refresh with {"refresh_token": "…"} once, keep both new tokens, and repeat the request. Each refresh
   token works once, for 7 days; using a spent one ends the session. If refresh answers 401, sign in again.
4. At the end call POST /auth/logout with the bearer and {"refresh_token": "…"}.

## Limits

${RATE_LIMIT_GLOBAL} requests in any 15 minutes, ${RATE_LIMIT_AUTH} of them to /auth. They are your user's, whatever its tokens and machines; without a
token, your address's. RateLimit tells what is left. On 429 wait the seconds of the Retry-After header, then repeat the
request. On 503 wait Retry-After seconds and try again.

## Reading a whole list by cursor

Only /v1/lancamentos and /v1/pagamentos-erp have after_id; filters may be added.

\`\`\`
after = 0
do:
  page = GET /v1/lancamentos?after_id={after}&per_page=200
  use page.data
  after = page.pagination.next_after_id
while page.pagination.has_more
\`\`\`

Stop when has_more is false (next_after_id is null then). To learn later what is new, ask with the id of the last record
you received, or with the same after_id after an empty page: nothing is skipped. Other lists have page: go on until it
equals pagination.total_pages.

200 ledger entries are about 100,000 tokens, as each has its raw_data: ask for per_page=10 when you only want to look, and
use the reports for sums.

## Parameters

- data_inicio, data_fim: ISO 8601 with offset, both ends inclusive, either alone allowed: 2026-11-01T00:00:00-03:00. Write the
  + of an offset as %2B. They filter data_hora in transacoes, vendas-produto and reports (in resumo, lancamentos by
  synced_at), synced_at in lancamentos, created_at in jobs-log, data_vencimento as a Brasília date in pagamentos-erp;
  in pagamentos-por-conta the date that data names.
- estabelecimento_id is salon_id of /v1/estabelecimentos.
- page counts from 1, per_page is 1–200 (50). Defaults stand in parentheses.
- Errors are {"error", "message"}; a 400 names the parameter. Unknown parameters are ignored: send Prefer: handling=strict
  while you write requests, and they are refused too, all that is wrong in one 400.
- If-None-Match with the ETag of an earlier answer costs a 304 when nothing changed.
`;

/** Short names of types and formats. Text is the default and has none. */
const WORDS: Record<string, string> = {
  string: "",
  integer: "int",
  boolean: "bool",
  date: "date",
  "date-time": "time",
};

/** The suffix of a field name: `?` if nullable, then the type unless it is text. */
const typeOf = (schema: Schema): string => {
  const parts = schema.anyOf ?? [schema];
  const types = parts.flatMap(({ type, $ref }) => ($ref ? nameOf({ $ref }) : (type ?? "object")));
  const base = types.find((type) => type !== "null") ?? "null";
  const word = schema.items?.$ref ? `${nameOf(schema.items)}[]` : (WORDS[schema.format ?? base] ?? base);
  return `${types.includes("null") ? "?" : ""}${word === "" ? "" : ` ${word}`}`;
};

const nameOf = ({ $ref = "" }: Schema): string => $ref.split("/").pop() ?? "";

const fields = (schema: Schema): string =>
  Object.entries(schema.properties ?? {})
    .map(([name, field]) =>
      Object.keys(field.properties ?? {}).length > 0
        ? `${name} {${fields(field)}}`
        : `${name}${typeOf(field)}`,
    )
    .join(", ");

const parameter = ({ name, schema }: { name: string; schema: Schema }): string => {
  // Explained once, above the list of endpoints.
  if (/^(page|per_page)$/.test(name)) return name;
  const words = schema.enum ? `=${schema.enum.join("|")}` : "";
  const bounds = schema.maximum === undefined ? "" : ` ${schema.minimum}–${schema.maximum}`;
  return `${name}${words}${bounds}${schema.default === undefined ? "" : ` (${schema.default})`}`;
};

/** The item type of a list; undefined for other schemas. */
const itemOf = ({ properties: { data, ...rest } = {} }: Schema = {}): string | undefined =>
  Object.keys(rest).every((name) => name === "pagination") && data?.items ? nameOf(data.items) : undefined;

/** Writes `/llms.txt` (llmstxt.org). Its endpoints and objects come from the document. */
export const writeLlms = (document: Document, settings: Settings): string => {
  const schemas = document.components?.schemas as Record<string, Schema>;
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, Operation>)
      .filter(() => path.startsWith("/v1/"))
      .map(([method, operation]) => {
        const query = (operation.parameters ?? []).filter((one) => one.in === "query").map(parameter);
        const answer = nameOf(operation.responses["200"]?.content?.["application/json"]?.schema ?? {});
        const item = itemOf(schemas[answer]);
        const takes = query.length > 0 ? ` · ${query.join(", ")}` : "";
        return `- ${method.toUpperCase()} ${path}${takes} → ${item ? `${item}[]` : answer}`;
      }),
  );
  const skipped =
    /^(Error|Credentials|RefreshRequest|LogoutRequest|Message|Health|TokenResponse|User|TransacaoDetalhada|\w+Alterad[oa])$/;
  const objects = Object.entries(schemas)
    .filter(([name, schema]) => !skipped.test(name) && itemOf(schema) === undefined)
    .map(([name, schema]) => `- ${name}: ${fields(schema)}`);
  return `${intro(settings)}
## Endpoints

GET /auth/me tells who you are. {id} is salon_id for transacoes and lancamentos (never their
id), erp_id for pagamentos-erp, id elsewhere; no such record is 404. X[] is {data: [X]}, with pagination where there is
per_page: Pagination by page, CursorPagination by cursor, FeedPagination in alteracoes.

${operations.join("\n")}

## Objects

A question mark: may be null. No type: text. time: date-time. TransacaoDetalhada is Transacao with id, erp_recebimento_id?, sent_at? and raw_data.

${objects.join("\n")}

## More

- [OpenAPI 3.1 document](/openapi.yaml): every field described, needs the bearer
- POST /mcp with the bearer: the Model Context Protocol over streamable HTTP, a tool for each GET of /v1 by its operationId;
  per_page is 10 unless given
- [Reference for people](/docs), in a browser
`;
};
