import type { z } from "@hono/zod-openapi";
import type { Context, TypedResponse } from "hono";
import type { JSONParsed } from "hono/utils/types";
import type { SentText } from "../../core/database.ts";
import { REASON_PHRASES, type RefusalStatus } from "../../core/errors.ts";
import type { AppliedRange } from "../../core/periods.ts";
import { sha256 } from "../../core/sha256.ts";
import { ErrorBody } from "./errors.ts";

export const jsonResponse = <Schema extends z.ZodType>(schema: Schema, description: string) => ({
  description,
  content: { "application/json": { schema } },
});

const ERROR_DESCRIPTIONS: Record<RefusalStatus, string> = {
  400:
    "A parameter or the body is invalid. `message` names the first error, or all errors with `Prefer: " +
    "handling=strict`.",
  401:
    "The token is missing, invalid or expired. For POST /auth/login: " +
    "the e-mail or password is wrong, or the user is disabled. Renew an access token with POST /auth/refresh. " +
    "Ask the operator for a new agent token.",
  403: "The token may not read this: see `message`. On /mcp: requests from this origin are not allowed.",
  404: "No record has this id.",
  405: "This path does not allow this method. `Allow` lists the methods that it allows.",
  408: "The body did not arrive in time. Send the request again.",
  410: "The marker in `after` is no longer valid. Delete your copy and start again without `after`.",
  413: "The body is larger than 4 KiB.",
  414: "The URL is longer than 8 KiB.",
  429: "A rate limit is used up. Wait the number of seconds in `Retry-After`, then try again.",
  500: "An internal error occurred. Report it with the request id in `message`.",
  503:
    "The database, the session store or the rate limit counter is unavailable. " +
    "Wait the number of seconds in `Retry-After`, then try again.",
};

const ERROR_EXAMPLES: Record<RefusalStatus, string> = {
  400: '`per_page` must be an integer from 1 to 200, for example 50; got "0".',
  401: "The access token is invalid or expired. Renew it with POST /auth/refresh.",
  403: "This token may not read payments. Ask the operator for the right.",
  404: "No record that you may read has this id. Send the record's `salon_id` as `id`.",
  405: "This path does not allow POST. Use one of GET, HEAD, OPTIONS.",
  408: "The body did not arrive in time. Send the request again.",
  410: "The marker in `after` is no longer valid. Delete your copy and start again without `after`.",
  413: "The body is larger than 4096 bytes. Send a smaller one.",
  414: "The URL is longer than 8192 characters. Send a shorter one.",
  429: "Too many requests. Wait 120 seconds, then try again.",
  500: "An internal error occurred. Report it with the request id 5f3c9d0e-8a41-4c1b-9f27-6d2e1b7a0c44.",
  503: "The database is unavailable. Try again in a few seconds.",
};

const errorResponse = (status: RefusalStatus) => {
  const example = { error: REASON_PHRASES[status], message: ERROR_EXAMPLES[status] };
  const description = ERROR_DESCRIPTIONS[status];
  return { description, content: { "application/json": { schema: ErrorBody, example } } };
};

export const errorResponses = <const Status extends RefusalStatus>(...statuses: Status[]) =>
  Object.fromEntries(statuses.map((status) => [status, errorResponse(status)])) as {
    [S in Status]: ReturnType<typeof errorResponse>;
  };

const tagOf = async (text: string): Promise<string> => {
  return (await sha256(text)).toString("base64url").slice(0, 24);
};

/** Compares entity tags weakly (RFC 9110, section 13.1.2). */
const matches = (header: string | undefined, tag: string): boolean => {
  if (header === undefined) return false;
  const opaque = (candidate: string) => candidate.trim().replace(/^W\//, "");
  return header.trim() === "*" || header.split(",").some((candidate) => opaque(candidate) === opaque(tag));
};

/** Sends the body with its ETag, or 304 if `If-None-Match` matches (E6). */
const sendWithEtag = (
  c: Context,
  body: string | Uint8Array<ArrayBuffer>,
  tag: string,
  contentType: string,
): Response => {
  const etag = `W/"${tag}"`;
  c.header("Cache-Control", "private, no-cache");
  c.header("ETag", etag);
  return matches(c.req.header("If-None-Match"), etag)
    ? c.body(null, 304)
    : c.body(body, 200, { "Content-Type": contentType });
};

/** Sends text with an ETag computed from it (E6). */
export const sendText = async (c: Context, text: string, contentType: string): Promise<Response> =>
  sendWithEtag(c, text, await tagOf(text), contentType);

export const sendPlainText = async (c: Context, text: string) => {
  const response = await sendText(c, text, "text/plain; charset=utf-8");
  return response as Response & TypedResponse<string, 200, "text">;
};

export interface Sending {
  /** The query parameters of the route. */
  known: string[];
  /** The range of `periodo` (I7). */
  range?: AppliedRange | undefined;
  contentType?: string;
}

/** The known parameters of the request (L5), with the ends of its range in place of `periodo` (I7). */
const linkQuery = (c: Context, { known, range }: Sending): URLSearchParams => {
  const sent = new URL(c.req.url).searchParams;
  const query = new URLSearchParams([...sent].filter(([name]) => known.includes(name)));
  if (range === undefined) return query;
  query.delete("periodo");
  query.set("data_inicio", range[0]);
  query.set("data_fim", range[1]);
  return query;
};

/** Sends a body from Postgres unchanged (V2), with a `Link` header to neighbouring pages (L5). */
export const sendFinishedText = <T>(c: Context, { body, tag, links = {} }: SentText<T>, sending: Sending) => {
  const { range, contentType = "application/json" } = sending;
  if (range !== undefined) c.header("Applied-Range", range.join("/"));
  const link = Object.entries(links).map(([rel, [parameter, value]]) => {
    const query = linkQuery(c, sending);
    query.set(parameter, String(value));
    return `<${c.req.path}?${query}>; rel="${rel}"`;
  });
  if (link.length > 0) c.header("Link", link.join(", "));
  const response = sendWithEtag(c, body, tag, contentType);
  return response as Response & TypedResponse<JSONParsed<T>, 200, "json">;
};
