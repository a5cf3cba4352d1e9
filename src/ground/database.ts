/** A statement's text with `$1`…, and their values. */
export interface Statement {
  text: string;
  values: unknown[];
  /** A statement without parameters that runs before it, in the same transaction and the same round trip. */
  first?: string;
}

/**
 * Runs one statement and answers its first row: one HTTP round trip. The first column, `body`, is the bytes of its text;
 * other columns are ASCII text, as Postgres writes it. Each may be null.
 */
export type Db = <Row>(statement: Statement) => Promise<Row | undefined>;

/** A finished JSON body as Postgres wrote it, in UTF-8; `T` is the shape it promises. */
export interface JsonText<T> {
  body: Uint8Array<ArrayBuffer>;
  /** Its entity tag, unquoted. */
  tag: string;
  /** Its neighbours by relation: which parameter of the same URL names each (L5). */
  links?: Record<string, readonly [parameter: string, value: string | number]>;
  readonly shape?: T;
}

/** The SQLSTATE of a failed statement, or undefined when no answer of Postgres arrived. */
export const sqlState = (error: unknown): string | undefined => {
  // A DOMException has a `code` too, and it is a number.
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
};
