export const REASON_PHRASES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  410: "Gone",
  413: "Content Too Large",
  414: "URI Too Long",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

export type RefusalStatus = keyof typeof REASON_PHRASES;

/** An error response. Throw it in any code that a route calls; `onError` formats it (E1). */
export class Refusal extends Error {
  readonly status: RefusalStatus;
  readonly headers: Record<string, string>;

  constructor(status: RefusalStatus, message: string, headers: Record<string, string> = {}, cause?: unknown) {
    super(message, { cause });
    this.status = status;
    this.headers = headers;
  }
}

/** 503 for a dependency that is down, slow or overloaded (E2). */
export const unavailable = (message: string, cause?: unknown) =>
  new Refusal(503, message, { "Retry-After": "2" }, cause);

export const databaseUnavailable = (cause?: unknown) =>
  unavailable("The database is unavailable. Try again in a few seconds.", cause);

/** Reports name professionals and units by `salon_id`, so clients send it where these need their `id` (L9). */
const SALON_ID_HINT =
  " Reports name the record's `salon_id`. To find it by that, send it as `salon_id` to the list.";

/** 404 for an unknown id (I2). @param key the field of the record that the id is compared with */
export const recordNotFound = (id: string, key: string) => {
  const unknown = `No record that you may read has the id ${JSON.stringify(id.slice(0, 64))}.`;
  const remedy = `Send the record's \`${key}\` as \`id\`.${key === "id" ? SALON_ID_HINT : ""}`;
  return new Refusal(404, `${unknown} ${remedy}`);
};

/** Rounds up, so that a request after this wait passes (E4). */
export const waitSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

export const tooManyRequests = (
  waitMs: number,
  message = (seconds: number) => `Too many requests. Wait ${seconds} seconds, then try again.`,
) => {
  const seconds = waitSeconds(waitMs);
  return new Refusal(429, message(seconds), { "Retry-After": String(seconds) });
};
