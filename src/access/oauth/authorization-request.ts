import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { requireEncodedUtf8 } from "../../platform/http/encoding.ts";
import { isMcpUrl, mcpUrl, originOf } from "../../platform/http/origin.ts";
import { type Client, checkRedirect, findClient } from "./clients.ts";

/** A valid authorization request (OAuth 2.1, 4.1.1). */
export interface AuthorizationRequest {
  client: Client;
  redirect: string;
  /** The challenge of PKCE, method S256 (RFC 7636). */
  challenge: string;
  resource: string;
}

/** An error that goes back to the client by redirect (RFC 6749, 4.1.2.1). */
export interface AuthorizationError {
  code: "invalid_request" | "unsupported_response_type" | "invalid_target" | "access_denied";
  description: string;
}

const CHALLENGE = /^[\w-]{43}$/;
const PARAMETERS = [
  "response_type",
  "response_mode",
  "client_id",
  "redirect_uri",
  "state",
  "code_challenge",
  "code_challenge_method",
];

const searchParamsOf = (c: Context) => new URL(c.req.url).searchParams;

/** The address of the client with a response. It names the issuer, against mix-ups (RFC 9207). */
export const responseUrl = (c: Context, redirect: string, response: Record<string, string>): string => {
  const [state, ...others] = searchParamsOf(c).getAll("state");
  const isClear = state !== undefined && others.length === 0;
  const query = new URLSearchParams({ ...response, ...(isClear && { state }), iss: originOf(c) });
  return `${redirect}${redirect.includes("?") ? "&" : "?"}${query}`;
};

const errorIn = (c: Context): AuthorizationError | undefined => {
  const query = searchParamsOf(c);
  const repeated = PARAMETERS.find((name) => query.getAll(name).length > 1);
  if (repeated) return { code: "invalid_request", description: `\`${repeated}\` is repeated. Send it once.` };
  const responseType = query.get("response_type");
  if (!responseType)
    return { code: "invalid_request", description: "`response_type` is missing. Send `code`." };
  if (responseType !== "code")
    return { code: "unsupported_response_type", description: "`response_type` must be `code`." };
  if ((query.get("response_mode") ?? "query") !== "query")
    return { code: "invalid_request", description: "`response_mode` must be `query`." };
  if (query.get("code_challenge_method") !== "S256")
    return { code: "invalid_request", description: "`code_challenge_method` must be `S256`." };
  if (!CHALLENGE.test(query.get("code_challenge") ?? ""))
    return {
      code: "invalid_request",
      description: "`code_challenge` must be a SHA-256 hash in base64url, 43 characters.",
    };
  if (query.getAll("resource").some((resource) => !isMcpUrl(c, resource)))
    return { code: "invalid_target", description: `\`resource\` must be ${mcpUrl(c)}.` };
  return undefined;
};

/**
 * Reads the request in the query.
 * @returns the request, or an error with the redirect that may receive it
 * @throws Refusal 400 if the query cannot be decoded (I1), or if client or redirect cannot be trusted: then nothing may
 * be sent there
 */
export const readAuthorizationRequest = async (
  c: Context<AppEnv>,
): Promise<AuthorizationRequest | { redirect: string; error: AuthorizationError }> => {
  requireEncodedUtf8(c.req.url);
  const query = searchParamsOf(c);
  const [id, redirect] = ["client_id", "redirect_uri"].map((name) => {
    const [value, ...others] = query.getAll(name);
    if (!value || others.length > 0) throw new Refusal(400, `\`${name}\` must be sent exactly once.`);
    return value;
  }) as [string, string];
  const client = await findClient(c, id);
  checkRedirect(c, client, redirect);
  const error = errorIn(c);
  if (error !== undefined) return { redirect, error };
  return { client, redirect, challenge: query.get("code_challenge") ?? "", resource: mcpUrl(c) };
};
