export interface Statement {
  text: string;
  values: unknown[];
  /** Runs before `text`, without parameters, in the same transaction and the same HTTP request. */
  prelude?: string;
  /** Other requests may wait for its result, so it runs on when the client disconnects. */
  isShared?: true;
}

/** Returns the first row. The first column, `body`, is bytes; the others are ASCII text. Each may be null. */
export type Db = <Row>(statement: Statement) => Promise<Row | undefined>;

/** `excel` is CSV as Excel opens it in Brazil (X1). */
export type Format = "csv" | "excel";

export interface JsonText<T, Body = Uint8Array<ArrayBuffer> | null> {
  /** Null if it would be too large to send. */
  body: Body;
  /** The entity tag, without quotes. */
  tag: string;
  /** Whether no row matched; undefined if the text of the body says so. */
  isEmpty?: boolean;
  /** Link relations (L5). Each one sets a query parameter of the same URL. */
  links?: Record<string, readonly [parameter: string, value: string | number]>;
  /** Never set. It carries the type of the parsed body. */
  readonly parsed?: T;
}

/** A body that can be sent. */
export type SentText<T> = JsonText<T, Uint8Array<ArrayBuffer>>;

/** The SQLSTATE of a failed statement; undefined if Postgres did not respond. */
export const sqlState = (error: unknown): string | undefined => {
  // The `code` of a DOMException is a number.
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : undefined;
};

/** The fields of a log line, without the message of the error (E9). */
export const causeOf = (error: unknown) => ({
  sqlstate: sqlState(error),
  error: error instanceof Error ? error.name : undefined,
});
