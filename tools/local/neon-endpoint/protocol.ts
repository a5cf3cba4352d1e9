import type { FieldDef, QueryArrayResult } from "pg";
import { parse as parseArray } from "postgres-array";

/** A statement as the driver sends it. `arrayMode` overrides the header for this statement. */
export interface Statement {
  query: string;
  params: unknown[];
  arrayMode?: boolean;
}

export interface Options {
  rawText: boolean;
  arrayMode: boolean;
  /** The BEGIN statement of a batch, with the requested isolation level, read-only and deferrable mode. */
  begin: string;
}

/** Element type OIDs by array type OID, from `pg_type`. */
export type ArrayTypes = Map<number, number>;

/** An error of the endpoint itself, not of Postgres. */
export class ProtocolError extends Error {
  readonly status: number;
  readonly code: string | undefined;

  constructor(status: number, message: string, code?: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const ISOLATION_LEVELS: Record<string, string> = {
  ReadUncommitted: "READ UNCOMMITTED",
  ReadCommitted: "READ COMMITTED",
  RepeatableRead: "REPEATABLE READ",
  Serializable: "SERIALIZABLE",
};

/** @throws ProtocolError 400 for an unknown isolation level */
export const readOptions = (header: (name: string) => string | undefined): Options => {
  const isTrue = (name: string) => header(name) === "true";
  const requested = header("neon-batch-isolation-level");
  const level = requested === undefined ? undefined : ISOLATION_LEVELS[requested];
  if (requested !== undefined && level === undefined) throw new ProtocolError(400, "invalid isolation level");
  const begin = [
    "BEGIN",
    level && `ISOLATION LEVEL ${level}`,
    isTrue("neon-batch-read-only") && "READ ONLY",
    isTrue("neon-batch-deferrable") && "DEFERRABLE",
  ];
  return {
    rawText: isTrue("neon-raw-text-output"),
    arrayMode: isTrue("neon-array-mode"),
    begin: begin.filter(Boolean).join(" "),
  };
};

const readStatement = (value: unknown): Statement => {
  const { query, params = [], arrayMode } = (value ?? {}) as Partial<Statement>;
  if (typeof query !== "string" || !Array.isArray(params)) {
    throw new ProtocolError(400, "a statement needs `query` (text) and `params` (array)");
  }
  return { query, params, ...(typeof arrayMode === "boolean" && { arrayMode }) };
};

/**
 * Reads `{query, params}` or `{queries: [{query, params}, …]}`.
 * @throws ProtocolError 400 for any other text
 */
export const readPayload = (text: string): Statement | Statement[] => {
  let payload: unknown;
  try {
    payload = JSON.parse(text);
  } catch {
    throw new ProtocolError(400, "the request body is not JSON");
  }
  const { queries } = (payload ?? {}) as { queries?: unknown };
  return Array.isArray(queries) ? queries.map(readStatement) : readStatement(payload);
};

// Type OIDs whose values are not written as JSON strings, unless raw text is requested.
const BOOL = 16;
const INTEGERS = new Set([21, 23]);
const FLOATS = new Set([700, 701]);
const JSONS = new Set([114, 3802]);

type Nested = string | null | Nested[];
const joinNested = (value: Nested): string =>
  Array.isArray(value) ? `[${value.map(joinNested).join(",")}]` : (value ?? "null");

/** Converts a value from Postgres text form to JSON text. Keeps all digits of json values. */
const toJson = (text: string, type: number, arrays: ArrayTypes): string => {
  const element = arrays.get(type);
  if (element !== undefined) {
    return joinNested(parseArray<Nested>(text, (item) => toJson(item, element, arrays)));
  }
  if (type === BOOL) return text === "t" ? "true" : "false";
  if (INTEGERS.has(type) || JSONS.has(type)) return text;
  if (FLOATS.has(type) && Number.isFinite(Number(text))) return text;
  return JSON.stringify(text);
};

const rowToJson = (row: (string | null)[], fields: FieldDef[], options: Options, arrays: ArrayTypes) => {
  const cells = row.map((text, i) => {
    const value =
      text === null || options.rawText
        ? JSON.stringify(text)
        : toJson(text, fields[i]?.dataTypeID ?? 0, arrays);
    return options.arrayMode ? value : `${JSON.stringify(fields[i]?.name)}:${value}`;
  });
  return options.arrayMode ? `[${cells.join(",")}]` : `{${cells.join(",")}}`;
};

export const writeResult = (
  { command, rowCount, fields, rows }: QueryArrayResult<(string | null)[]>,
  options: Options,
  arrays: ArrayTypes,
): string => {
  const head = JSON.stringify({ command, rowCount, rowAsArray: options.arrayMode, fields }).slice(0, -1);
  return `${head},"rows":[${rows.map((row) => rowToJson(row, fields, options, arrays)).join(",")}]}`;
};

const ERROR_FIELDS = [
  "severity",
  "code",
  "detail",
  "hint",
  "position",
  "internalPosition",
  "internalQuery",
  "where",
  "schema",
  "table",
  "column",
  "dataType",
  "constraint",
  "file",
  "line",
  "routine",
] as const;

/** An error in Neon's form: `message` and all Postgres error fields, `null` if missing. */
export const writeError = (error: Error): string => {
  const fields = error as Partial<Record<(typeof ERROR_FIELDS)[number], string>>;
  return JSON.stringify({
    message: error.message,
    ...Object.fromEntries(ERROR_FIELDS.map((field) => [field, fields[field] ?? null])),
  });
};
