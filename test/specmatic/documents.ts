import { parse } from "yaml";
import { posting } from "../../tools/posting.ts";
import {
  type Document,
  type Operation,
  operationsOf,
  type Parameter,
  type Schema,
  withParameters,
} from "../support/document.ts";

/** A user of the demo warehouse who reads everything. */
const ACCOUNT = { email: "demo@example.com", password: "demo-password" };

/** Sign-out ends the session, and a refresh token works once. */
const OMITTED_PATHS = ["/auth/logout", "/auth/refresh"];

/** The field whose value is the id in a path, if it is not `id`. */
const KEYS: Record<string, string> = {
  "/v1/transacoes/{id}": "salon_id",
  "/v1/lancamentos/{id}": "salon_id",
  "/v1/pagamentos-erp/{id}": "erp_id",
  "/v1/fechamentos/{mes}": "mes",
};

const inQuery = ({ parameters = [] }: Operation) => parameters.filter((one) => one.in === "query");
const only = (value: unknown): Schema => ({
  type: typeof value === "number" ? "integer" : "string",
  enum: [value],
});
const companion = (name: string, value: string): Parameter => ({
  name,
  in: "query",
  required: true,
  schema: only(value),
});

/** What a parameter needs beside it. A document cannot say that. */
const companionsOf = (operation: Operation, name: string): Parameter[] => {
  const isGeneral = inQuery(operation).some((one) => one.name === "por");
  const isRange = ["data_inicio", "data_fim", "periodo"].includes(name);
  return [
    ...(name === "comparar" || (isGeneral && !isRange) ? [companion("periodo", "mes-passado")] : []),
    ...(name === "medidas" ? [companion("por", "mes")] : []),
    ...(name === "visitas_min" || name === "sem_visita_desde" ? [companion("por", "cliente")] : []),
  ];
};

/** The values of a parameter that the service accepts whatever the data and the other parameters are. */
const narrow = ({ name, schema }: Parameter, known: unknown): Schema => {
  // Only the service makes markers.
  if (name === "after") return only(known);
  // The columns of a report follow from `por` and `medidas`.
  if (name === "ordem" && schema.pattern) return only(schema.example);
  // Specmatic writes large numbers and fractions as Java does: 5.6E11.
  if (schema.type === "number") return { ...schema, type: "integer", format: "int64" };
  if (schema.pattern === undefined) return schema;
  const pattern = String(schema.pattern)
    // A pattern cannot say that names differ.
    .replace(/(?<=\))\(,.+\)\{0,\d+\}/, "")
    // Nor which months have 31 days, and which years 53 weeks.
    .replace("[12]\\d|3[01]", "1\\d|2[0-8]")
    .replace("5[0-3]", "5[0-2]");
  return { ...schema, pattern };
};

/** The operation with at most one query parameter. @param known the id of a record, or a marker */
const withOne = (operation: Operation, name: string | undefined, known: unknown): Operation => {
  const parameters = (operation.parameters ?? []).flatMap((one) => {
    if (one.in === "path") return [{ ...one, schema: only(known) }];
    if (one.name !== name) return [];
    return [
      { ...one, required: name === "formato", schema: narrow(one, known) },
      ...companionsOf(operation, name),
    ];
  });
  if (name !== "formato") return { ...operation, parameters };
  // The document lists JSON only: see `tableResponse`.
  const csv = { content: { "text/csv": { schema: { type: "string" } } } };
  return { ...operation, parameters, responses: { ...operation.responses, 200: csv } };
};

/**
 * Splits a document: each operation has one query parameter at a time. Of several, Specmatic sends every combination,
 * and the service rejects most of them.
 * @param known by path: the id of a record, or a marker
 */
const split = (document: Document, known: Map<string, unknown>): Document[] => {
  const operations = operationsOf(document).filter(({ path }) => !OMITTED_PATHS.includes(path));
  const names = new Set(operations.flatMap(({ operation }) => inQuery(operation).map(({ name }) => name)));
  return [undefined, ...names].map((name) => {
    const paths = operations
      .filter(({ operation }) => name === undefined || inQuery(operation).some((one) => one.name === name))
      .map(({ path, method, operation }) => [
        path,
        { [method.toLowerCase()]: withOne(operation, name, known.get(path)) },
      ]);
    const one: Document = { ...document, paths: Object.fromEntries(paths) };
    if (name !== "campos") return one;
    // With `campos`, a record has only some of its fields.
    return JSON.parse(
      JSON.stringify(one, (key, value) => (key === "required" && Array.isArray(value) ? [] : value)),
    );
  });
};

/** Signs in and prepares the document of a running service. */
export const readDocuments = async (base: string) => {
  const login = await fetch(`${base}/auth/login`, posting(ACCOUNT));
  const { access_token: token } = (await login.json()) as { access_token: string };
  const read = (path: string) => fetch(base + path, { headers: { Authorization: `Bearer ${token}` } });
  const document = withParameters(parse(await (await read("/openapi.yaml")).text()));
  const credentials = Object.entries(ACCOUNT).map(([name, value]) => [name, only(value)]);
  Object.assign(document.components.schemas.Credentials ?? {}, {
    properties: Object.fromEntries(credentials),
  });
  const known = new Map<string, unknown>();
  for (const path of Object.keys(document.paths).filter((one) => /\{\w+\}|\/alteracoes\//.test(one))) {
    const page = await read(path.replace(/\/\{\w+\}/, "?per_page=200"));
    const { data, pagination } = (await page.json()) as {
      data: Record<string, unknown>[];
      pagination?: { next_after?: string };
    };
    // Specmatic takes the next number for an id that does not exist.
    const [id] = data.map((record) => record[KEYS[path] ?? "id"]).sort((a, b) => Number(b) - Number(a));
    known.set(path, pagination?.next_after ?? id);
  }
  return { token, document, documents: split(document, known) };
};
