import type { QueryArrayResult } from "pg";

/** A statement as the driver sends it. */
export interface Statement {
  query: string;
  params: unknown[];
}

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

/** The BEGIN statement of a batch. @throws ProtocolError 400 for a level that the service does not use */
export const readBegin = (header: (name: string) => string | undefined): string => {
  const level = header("neon-batch-isolation-level") ?? "ReadCommitted";
  if (level !== "ReadCommitted") throw new ProtocolError(400, `isolation level ${level} is not served here`);
  const isReadOnly = header("neon-batch-read-only") === "true";
  return `BEGIN ISOLATION LEVEL READ COMMITTED${isReadOnly ? " READ ONLY" : ""}`;
};

const readStatement = (value: unknown): Statement => {
  const { query, params = [] } = (value ?? {}) as Partial<Statement>;
  if (typeof query !== "string" || !Array.isArray(params)) {
    throw new ProtocolError(400, "a statement needs `query` (text) and `params` (array)");
  }
  return { query, params };
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

/** The driver always requests rows as arrays of text, so every answer has them. */
export const writeResult = ({
  command,
  rowCount,
  fields,
  rows,
}: QueryArrayResult<(string | null)[]>): string =>
  JSON.stringify({ command, rowCount, rowAsArray: true, fields, rows });

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
