import { Buffer } from "node:buffer";
import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { tooManyRequests } from "../../core/errors.ts";
import { sha256 } from "../../core/sha256.ts";
import { isRegisteredId } from "../auth/client-secret.ts";
import { oauthClientCounterName } from "../auth/counter-name.ts";
import type { RegisteredClient } from "../auth/queries.ts";
import { findRegisteredClient } from "../auth/registered-clients.ts";
import { chargeRefusal } from "../auth/sessions.ts";
import { countExactly } from "../limits/middleware.ts";
import { OAuthError } from "./errors.ts";

/** Wrong secrets per 900 seconds and client, whatever addresses they come from (A14). */
const MAX_FAILURES = 50;

const CHALLENGE = { "WWW-Authenticate": 'Basic realm="oauth", charset="UTF-8"' };

/**
 * Counts a refusal for the address (E3). Only a client that used Basic gets a challenge: libraries report it instead of
 * the error (RFC 6749, 5.2).
 */
const invalidClient = async (c: Context<AppEnv>, message: string): Promise<OAuthError> => {
  await chargeRefusal(c);
  const challenge = basicOf(c.req.header("Authorization")) && CHALLENGE;
  return new OAuthError("invalid_client", message, 401, challenge);
};

interface Credentials {
  id: string;
  secret: string;
}

/** Id and secret are form-encoded before they are joined (RFC 6749, 2.3.1). */
const formDecode = (text: string): string => decodeURIComponent(text.replaceAll("+", " "));

/** Returns empty credentials if the syntax is invalid (RFC 7617), and undefined if the scheme is not `Basic`. */
const basicOf = (header = ""): Credentials | undefined => {
  if (!/^basic(?: |$)/i.test(header)) return undefined;
  const encoded = /^basic +([\w+/]+=*)$/i.exec(header)?.[1] ?? "";
  const [, id = "", secret = ""] = /^([^:]*):(.*)$/.exec(Buffer.from(encoded, "base64").toString()) ?? [];
  try {
    return { id: formDecode(id), secret: formDecode(secret) };
  } catch {
    return { id: "", secret: "" };
  }
};

/** Whether a client has this secret. Takes the same time for every secret. */
const hasSecret = async ({ secrets }: RegisteredClient, secret: string): Promise<boolean> => {
  const digest = await sha256(secret);
  const equal = secrets
    // A secret may expire while the client is cached.
    .filter(({ expires_at }) => expires_at === null || Date.parse(expires_at) > Date.now())
    .map(({ hash }) => crypto.subtle.timingSafeEqual(digest, Buffer.from(hash, "hex")));
  return equal.includes(true);
};

/** Counts a wrong secret for its client. @throws Refusal 429 after too many of them, 503 if it cannot be counted */
const countFailure = async (c: Context<AppEnv>, clientId: string): Promise<void> => {
  const { isAllowed, tally } = await countExactly(c, oauthClientCounterName(clientId), {
    failures: MAX_FAILURES,
  });
  if (!isAllowed)
    throw tooManyRequests(
      tally.waitMs({ failures: MAX_FAILURES }),
      (wait) =>
        `Too many wrong secrets for this client. Wait ${wait} seconds, or send the right \`client_secret\`.`,
    );
};

/**
 * Authenticates the client of a request to the token or revocation endpoint (RFC 6749, 2.3 and 3.2.1).
 * @returns the id of a registered client, or undefined for any other, which only names itself
 * @throws OAuthError 401 `invalid_client`; Refusal 429, 503
 */
export const authenticateClient = async (
  c: Context<AppEnv>,
  form: URLSearchParams,
): Promise<string | undefined> => {
  const basic = basicOf(c.req.header("Authorization"));
  const named = form.get("client_id") ?? "";
  const id = basic === undefined || isRegisteredId(named) ? named : basic.id;
  if (!isRegisteredId(id)) {
    // A public client has no secret, so it names itself in the form, by a URL.
    const isMistyped = form.has("client_secret") && !URL.canParse(named);
    if (!isMistyped && (basic === undefined || named !== "")) return undefined;
    throw await invalidClient(
      c,
      "The client is unknown. Send the `client_id` and the secret that the operator gave you.",
    );
  }
  const secret = form.get("client_secret");
  // An assertion is a method, too (RFC 7521, 4.2), although this service does not support it.
  const methods = [basic, secret, form.get("client_assertion")].filter(Boolean);
  if (basic !== undefined && ![basic.id, ""].includes(named))
    throw await invalidClient(c, "`client_id` differs from the id in `Authorization: Basic`. Send one id.");
  if (methods.length > 1)
    throw await invalidClient(
      c,
      "The client authenticates in two ways. Send the secret either as `Authorization: Basic` or as `client_secret`.",
    );
  const presented = basic?.secret ?? secret;
  if (!presented)
    throw await invalidClient(
      c,
      "This client has a secret. Send it as `Authorization: Basic` or as `client_secret`.",
    );
  const client = await findRegisteredClient(c, id);
  if (client !== undefined && (await hasSecret(client, presented))) return id;
  const refusal = await invalidClient(
    c,
    "The client is unknown, or its secret is wrong. Ask the operator for `client_id` and `client_secret`.",
  );
  if (client !== undefined) await countFailure(c, id);
  throw refusal;
};
