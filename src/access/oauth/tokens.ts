import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { sha256 } from "../../core/sha256.ts";
import { isMcpUrl, mcpUrl } from "../../platform/http/origin.ts";
import { openSigned } from "../auth/access-token.ts";
import { keyRing } from "../auth/keys.ts";
import { findAccount } from "../auth/queries.ts";
import { endSessionByToken, renewSession, startSession, type TokenPair } from "../auth/sessions.ts";
import { authenticateClient } from "./client-authentication.ts";
import { hashRequest, redeemCode } from "./codes.ts";
import { OAuthError } from "./errors.ts";

/** Reads the form in the body. @throws OAuthError for another content type */
const readForm = async (c: Context): Promise<URLSearchParams> => {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header("Content-Type") ?? ""))
    throw new OAuthError(
      "invalid_request",
      "The body must be a form. Send it with `Content-Type: application/x-www-form-urlencoded`.",
    );
  return new URLSearchParams(await c.req.text());
};

/** Only `resource` may be repeated (RFC 6749, 3.2; RFC 8707). @throws OAuthError */
const checkRepeated = (form: URLSearchParams): void => {
  const names = [...form.keys()].filter((name) => name !== "resource");
  if (new Set(names).size < names.length)
    throw new OAuthError("invalid_request", "A field is repeated. Send each field once.");
};

/** @throws OAuthError if the field is missing or empty */
const required = (form: URLSearchParams, name: string): string => {
  const value = form.get(name);
  if (!value) throw new OAuthError("invalid_request", `\`${name}\` is missing. Send it in the form.`);
  return value;
};

/** Only `/mcp` of this origin may be named (RFC 8707). @throws OAuthError */
const checkResource = (c: Context, form: URLSearchParams): void => {
  if (form.getAll("resource").some((resource) => !isMcpUrl(c, resource)))
    throw new OAuthError("invalid_target", `\`resource\` must be ${mcpUrl(c)}.`);
};

const invalidCode = () =>
  new OAuthError(
    "invalid_grant",
    "The code is invalid, expired, already used, or belongs to another request. Ask the user to connect again.",
  );

const VERIFIER = /^[\w.~-]{43,128}$/;

const redeem = async (c: Context<AppEnv>, form: URLSearchParams): Promise<TokenPair> => {
  // First of all: any attempt uses up the code, even one without a secret or the other fields (A14).
  const code = form.get("code");
  const grant = code ? await redeemCode(c, code) : undefined;
  checkRepeated(form);
  const authenticated = await authenticateClient(c, form);
  required(form, "code");
  if (grant === undefined) throw invalidCode();
  const { user, number, personalData, device, family } = grant;
  checkResource(c, form);
  const verifier = required(form, "code_verifier");
  const clientId = authenticated ?? required(form, "client_id");
  const request = await hashRequest(clientId, {
    redirect: required(form, "redirect_uri"),
    challenge: (await sha256(verifier)).toString("base64url"),
    resource: mcpUrl(c),
  });
  if (!VERIFIER.test(verifier) || request !== grant.request) throw invalidCode();
  const account = await findAccount(c.var.db, { identity: user });
  if (!account?.ativo || account.session_number !== number) throw invalidCode();
  return startSession(c, account, { kind: "oauth", clientId, personalData, number, device }, family);
};

const renew = async (c: Context<AppEnv>, form: URLSearchParams): Promise<TokenPair> => {
  checkRepeated(form);
  const authenticated = await authenticateClient(c, form);
  checkResource(c, form);
  const refreshToken = required(form, "refresh_token");
  const clientId = authenticated ?? required(form, "client_id");
  try {
    return await renewSession(c, { kind: "oauth", refreshToken, clientId });
  } catch (error) {
    if (error instanceof Refusal && error.status === 401)
      throw new OAuthError("invalid_grant", error.message);
    throw error;
  }
};

const GRANTS: Record<string, (c: Context<AppEnv>, form: URLSearchParams) => Promise<TokenPair>> = {
  authorization_code: redeem,
  refresh_token: renew,
};

/** Issues tokens (RFC 6749, 4.1.3 and 6). @throws OAuthError; Refusal 503 */
export const issueTokens = async (c: Context<AppEnv>): Promise<TokenPair> => {
  const form = await readForm(c);
  const grantType = required(form, "grant_type");
  const grant = Object.hasOwn(GRANTS, grantType) ? GRANTS[grantType] : undefined;
  if (grant === undefined)
    throw new OAuthError(
      "unsupported_grant_type",
      "`grant_type` must be `authorization_code` or `refresh_token`.",
    );
  return grant(c, form);
};

/**
 * Ends the session of a refresh token (RFC 7009). Ignores a token that is unknown or of another client.
 * @throws OAuthError for an access token, which stays valid until it expires
 */
export const revokeToken = async (c: Context<AppEnv>): Promise<void> => {
  const form = await readForm(c);
  checkRepeated(form);
  const authenticated = await authenticateClient(c, form);
  const [token, clientId] = [required(form, "token"), authenticated ?? required(form, "client_id")];
  if (await openSigned(keyRing(c.var.settings.TOKEN_KEYS), "accessToken", token))
    throw new OAuthError(
      "unsupported_token_type",
      "An access token cannot be revoked. It expires within 15 minutes. To end the session, revoke its refresh token.",
    );
  await endSessionByToken(c, "oauth", token, { clientId });
};
