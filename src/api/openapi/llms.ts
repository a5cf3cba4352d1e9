import { policyOf } from "../../core/policies.ts";
import type { Settings } from "../../core/settings.ts";
import {
  bodyOf,
  type Document,
  getOperations,
  nameOf,
  type Operation,
  type Parameter,
  type Schema,
  schemasOf,
} from "./operations.ts";

const dataSection = `## What the data means

- A token may be limited: to some units (every figure is then of these alone), to no personal data (hidden as null or {},
  not missing), or to no payments (403). direitos of /v1/frescor says so.
- transacoes: salon visits with their payments. A Servico also has keys of the salon system, usually nome and valor;
  idProfissionalQueRealizouServico may be missing.
- lancamentos: commissions and debits in the salon system, each from an ERP payment. raw_data has Pessoa, CentroCusto,
  ValorBruto, DataVencimento.
- pagamentos-erp: ERP payments, paid (situacao 2) and pending (1): what the chain pays. id_centro_custo is a cost centre, as
  erp_centro_custo_id of a unit.
- profissionais: salon_estabelecimento_id is home.
- produtos: catalogues, synced on Sundays. Stores have no transacoes and no lancamentos.
- vendas-produto: product sales lines, synced hourly.
  forma_pagamento "Descontar do Profissional": a professional took the product, which is no sale.
- jobs-log: a run has a row for its start (started) and one for its end (completed, failed): count ends.
- synced_at is when a job last fetched a record, not when it changed. /v1/frescor shows how fresh the data is, and today (hoje).
- parcelas: the instalments of a credit card payment, else null. It counts in full on the day of the visit. A service
  with cortesia true was free.
- estabelecimentos: units and the office, without salon_id, visits or sales.
- Money is text with two decimals, in reais; in reports and fechamentos, a number. taxa_cobrada_profissional 0.0299 is 2.99 %.
- Date-times are in UTC, days in Brasília (UTC-3).
`;

const sumsSection = `## Sums

- valor_total of visits is the sum of total. It includes servicos and the salon lines of vendas-produto (origem=salao): do
  not add these to it. Store lines (origem=loja) are of no visit.
- Never add up rows of transacoes-por-profissional: a visit of two professionals counts in full for each. Rows of
  servicos add up.
- Revenue (Faturamento) is what customers paid: /v1/relatorios/faturamento. Do not compute it from other sums.
- clientes of visitas, visitas of servicos and transacoes of vendas do not add up.
- To count records: per_page=1, pagination.total.
`;

const intro = ({ RATE_LIMIT_GLOBAL, RATE_LIMIT_AUTH }: Settings) => `# Salon-to-ERP data service

> Read-only HTTP API over a warehouse that joins a salon system and a financial ERP.

${dataSection}
## Which endpoint to use

Reports, under /v1/relatorios:

- General reports. por: what a row is (up to four, such as mes,unidade). medidas: its columns. ordem=-valor_total: highest
  first. totais is over everything that matched; linhas counts rows before limite.
- faturamento: revenue and goals (meta). visitas: visits, fees, what is not in the ERP. servicos: services by professional.
  vendas: products sold, and taken by professionals. lancamentos: commissions and debits. pagamentos: ERP payments, pending,
  overdue, due soon (faixa). resultado: revenue less payments (despesas), by unit.
- clientes: clients with their visits of the range together; lost regulars: meses_min with sem_visita_desde. retorno
  of visitas and servicos: the share of visits (decididas) whose client came again (voltaram) within retorno_dias.
- transacoes-por-forma-pagamento: with fee rates. transacoes-por-profissional: visits of each. resumo: totals, with jobs.
  nao-mapeados: professionals and units without a cost centre in the ERP. painel: several reports at once.

Other:

- /v1/fechamentos/{mes}: a closed month, signed and now.
- /v1/alteracoes/…: changes since a marker, to keep a copy. Start without after, then send next_after of each page. On 410,
  delete the copy and start again. An item is {id, removido, registro}.

${sumsSection}
## Signing in

1. POST /auth/login with {"email": "…", "password": "…"} returns {"access_token", "refresh_token", …}, the first for 15 minutes.
2. Send Authorization: Bearer <access_token> with every other request.
3. On 401 call POST /auth/refresh with {"refresh_token": "…"} once, keep both new tokens, and repeat the request. A refresh
   token works once, within 7 days; sending it again ends the session. On 401, sign in again.
4. At the end call POST /auth/logout with the bearer token and {"refresh_token": "…"}.

An agent token (agt_…) needs none of this: send it as the bearer, only to /v1 and /mcp.

## Limits

At most ${RATE_LIMIT_GLOBAL} requests in any 15 minutes, at most ${RATE_LIMIT_AUTH} of them to /auth. All tokens of your user share them.
On 429 or 503, wait Retry-After seconds, then repeat.

## Reading an entire list

tudo=true, for every list: all records that match, one JSON object a line, lowest id first. If it breaks off, drop
an unfinished line and send the last id as after_id. Read few records by page. Most of the text is raw_data: send
campos without it. To read new records of /v1/lancamentos or /v1/pagamentos-erp later, send the id of the last record you
received, or the same after_id after an empty page: none is skipped.

## Parameters

- range is periodo, or data_inicio and data_fim. periodo is days in Brasília: hoje, ontem, semana, mes, trimestre, ano
  (also semana-passada, mes-passado, …), 7-dias, 30-dias, 90-dias, proximos-7-dias, proximos-30-dias, or like 2026,
  2026-T4, 2026-11, 2026-S48 (ISO week), 2026-11-30. data_inicio and data_fim are ISO 8601 with offset, inclusive and optional:
  2026-11-30T23:59:59.999999-03:00. The range filters data_hora; of ledger entries in
  lists and resumo, synced_at; in jobs-log, created_at; where data is a parameter, the date that it selects.
- General reports also take range, ordem, limite (1–1100, default 100), comparar, explicar=true (explains the
  figures), and, except clientes, in por one of dia, semana, mes, trimestre, ano. faturamento, visitas, servicos and vendas take
  dia_semana (1 is Monday), hora_min and hora_max (0–23), and in por dia_semana and hora.
- comparar=anterior|semana-anterior|mes-anterior|ano-anterior adds anterior: the same report over that earlier range.
  If the data ends within the range, anterior ends there, too (ate).
- estabelecimento_id, the salon_id of a unit, filters every list and report but fechamentos, jobs-log, estabelecimentos,
  pagamentos-erp and pagamentos.
- campos, for every list, record and /v1/alteracoes: only these fields, separated by commas.
- formato=csv or excel (Excel in Brazil), or Accept: text/csv: CSV of a list or a report of rows.
- page starts at 1, per_page is 1–200 (50), for every list but estabelecimentos; alteracoes has only per_page. Defaults
  are in parentheses.
- Errors are {"error", "message"}. A 400 names the parameter. Unknown parameters are ignored. With
  Prefer: handling=strict, one 400 reports all errors, unknown parameters and units included.
`;

/** The suffix of a field name: `?` if nullable, then the name of its object. */
const typeSuffix = (schema: Schema): string => {
  const parts = schema.anyOf ?? [schema];
  const isNullable = parts.some(({ type }) => [type].flat().includes("null"));
  const reference = parts.find(({ $ref }) => $ref !== undefined);
  const typeName = schema.items?.$ref ? `${nameOf(schema.items)}[]` : nameOf(reference ?? {});
  return `${isNullable ? "?" : ""}${typeName === "" ? "" : ` ${typeName}`}`;
};

const fieldList = (schema: Schema): string =>
  Object.entries(schema.properties ?? {})
    .map(([name, field]) =>
      Object.keys(field.properties ?? {}).length > 0
        ? `${name} {${fieldList(field)}}`
        : `${name}${typeSuffix(field)}`,
    )
    .join(", ");

/** Dimensions of most general reports. The section on parameters has them. */
const SHARED = ["dia", "semana", "mes", "trimestre", "ano", "dia_semana", "hora"];

/** The section on parameters says which endpoints have these. */
const UNLISTED = /^(campos|formato|page|per_page|estabelecimento_id|tudo|after_id)$/;
const UNLISTED_IN_GENERAL =
  /^(data_inicio|data_fim|periodo|estabelecimento_id|dia_semana|hora_min|hora_max|ordem|limite|comparar|explicar|formato)$/;

/** No question reaches a greater one. */
const MAX_BOUND = 1000;

const describeParameter = ({ name, schema }: Parameter): string => {
  // The section on parameters explains these.
  if (name === "comparar") return name;
  const names = schema.enum ?? schema["x-names"]?.filter((one) => !SHARED.includes(one));
  const values = names ? `=${names.join("|")}` : "";
  const bounds = Number(schema.maximum) <= MAX_BOUND ? ` ${schema.minimum}–${schema.maximum}` : "";
  return `${name}${values}${bounds}${schema.default === undefined ? "" : ` (${schema.default})`}`;
};

const describeParameters = (parameters: Parameter[]): string =>
  parameters.map(describeParameter).join(", ").replace("data_inicio, data_fim, periodo", "range");

/** The endpoints whose records `campos` selects the fields of. A change feed has those of its list. */
const hasRecords = (path: string, { parameters = [] }: Operation): boolean =>
  policyOf(path).isTool && parameters.some(({ name }) => name === "campos");

/** The name of the record that a list or a single record returns. */
const recordOf = (schemas: Record<string, Schema>, operation: Operation): string => {
  const name = nameOf(bodyOf(operation));
  return nameOf(schemas[name]?.properties?.data?.items ?? { $ref: name });
};

const endpointLine = (schemas: Record<string, Schema>, path: string, operation: Operation): string => {
  const all = operation.parameters ?? [];
  const unlisted = all.some(({ name }) => name === "medidas") ? UNLISTED_IN_GENERAL : UNLISTED;
  const listed = all.filter(({ in: place, name }) => place === "query" && !unlisted.test(name));
  const parameters = listed.length > 0 ? ` · ${describeParameters(listed)}` : "";
  const name = recordOf(schemas, operation);
  // A single record is one of its list, above, unless it is longer.
  const isNamed = hasRecords(path, operation) && (!path.includes("{") || name === "TransacaoDetalhada");
  const record = isNamed ? ` → ${name}` : "";
  return `- ${path.replace("/v1", "")}${parameters}${record}`;
};

/** Writes `/llms.txt` (llmstxt.org). Its lists of endpoints and objects are generated from the document. */
export const writeLlms = (document: Document, settings: Settings): string => {
  const schemas = schemasOf(document);
  const operations = getOperations(document, (path) => policyOf(path).cache === "private");
  const records = operations
    .filter(([path, operation]) => hasRecords(path, operation))
    .map(([, operation]) => recordOf(schemas, operation))
    .filter((name) => name !== "TransacaoDetalhada");
  const objects = [...new Set([...records, "Servico"])].map(
    (name) => `- ${name}: ${fieldList(schemas[name] ?? {})}`,
  );
  return `${intro(settings)}
## Endpoints

All are GET, below /v1. {id} is salon_id for transacoes and lancamentos (not their id), erp_id for pagamentos-erp,
else id. A page is {data, pagination} (estabelecimentos {data}): page, per_page, total and total_pages, or by cursor
per_page, next_after_id and has_more. A report is {data: [rows]}, except resumo, nao-mapeados and painel.

${operations.map(([path, operation]) => endpointLine(schemas, path, operation)).join("\n")}

## Objects

?: may be null. X[] is an array. TransacaoDetalhada is Transacao plus id, erp_recebimento_id?, sent_at?, raw_data.

${objects.join("\n")}

## More

- [OpenAPI 3.1 document](/openapi.yaml): describes every field; needs an access token
- [Reference](/docs)
- POST /mcp with either token: Model Context Protocol over streamable HTTP. Each GET of /v1 but alteracoes is a tool,
  named by its operationId. Clients sign in by OAuth 2.1: /.well-known/oauth-protected-resource
`;
};
