import { Buffer } from "node:buffer";
import { expect } from "vitest";
import {
  hashClientSecret,
  newClientSecret,
  newClientId as newRegisteredId,
} from "../../../src/access/auth/client-secret.ts";
import type { HostedDocument } from "../injected-context.ts";
import { sql } from "./api.ts";
import { createClient } from "./client.ts";

export const ORIGIN = "https://api.test";
export const RESOURCE = `${ORIGIN}/mcp`;
export const REDIRECT = "https://claude.ai/api/mcp/auth_callback";

/** Hosts a document at an address that the Worker can fetch. */
export const host = (document: HostedDocument) =>
  fetch("https://documents.test/", { method: "PUT", body: JSON.stringify(document) });
/** The addresses that the Worker fetched since the last call of `host`. */
export const fetched = async (): Promise<string[]> => (await fetch("https://documents.test/")).json();

/** Registers a client, as `npm run clients -- add` does. */
export const registerClient = async (redirects = [REDIRECT], name = "ChatGPT") => {
  const client = { id: newRegisteredId(), secret: newClientSecret() };
  await sql`insert into oauth_clients (client_id, name, redirects) values (${client.id}, ${name}, ${redirects})`;
  await addSecret(client);
  return client;
};
export type RegisteredClient = Awaited<ReturnType<typeof registerClient>>;

/** Adds a secret that expires after some hours; without them, it is the current one. */
export const addSecret = async ({ id, secret }: RegisteredClient, hours: number | null = null) => {
  await sql`insert into oauth_secrets (hash, client_id, expires_at)
    values (${await hashClientSecret(secret)}, ${id}, now() + make_interval(hours => ${hours}))`;
};

/** The header of `client_secret_basic` (RFC 6749, 2.3.1). */
export const basic = (id: string, secret: string): Record<string, string> => ({
  Authorization: `Basic ${btoa([id, secret].map(encodeURIComponent).join(":"))}`,
});

let count = 0;
/** An address for a client metadata document that no other test has used. */
export const newClientId = (at = "https://claude.ai") => {
  count += 1;
  return `${at}/oauth/client-${count}.json`;
};

/** Hosts the metadata document of a new client, and returns its id. */
export const hostClient = async (redirects = [REDIRECT], document: Partial<HostedDocument> = {}) => {
  const url = newClientId();
  const body = JSON.stringify({ client_id: url, client_name: "Claude", redirect_uris: redirects });
  await host({ url, body, ...document });
  return url;
};

export const VERIFIER = "a-verifier-of-pkce-with-at-least-43-characters.~_";
export const challengeOf = async (verifier: string) =>
  Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier))).toString(
    "base64url",
  );

/** The query of a valid authorization request; `undefined` leaves a parameter out. */
export const requestQuery = async (
  client: string,
  changes: Record<string, string | undefined> = {},
): Promise<string> => {
  const query = {
    response_type: "code",
    client_id: client,
    redirect_uri: REDIRECT,
    code_challenge: await challengeOf(VERIFIER),
    code_challenge_method: "S256",
    state: "a-state",
    resource: RESOURCE,
    ...changes,
  };
  return String(
    new URLSearchParams(
      Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  );
};

export interface OAuthTokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
}

/** An OAuth client and its user, from one address. */
export const createOAuth = (overrides: Partial<Env> = {}) => {
  const { send, post } = createClient(overrides);
  const approve = (
    query: string,
    body: Record<string, unknown>,
    headers: Record<string, string> = { Origin: ORIGIN },
  ) => post(`/oauth/approve?${query}`, { without_personal_data: true, ...body }, headers);
  const form = (
    path: string,
    fields: Record<string, string> | [string, string][],
    headers: Record<string, string> = {},
  ) => send(path, { method: "POST", headers, body: new URLSearchParams(fields) });
  const token = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    form("/oauth/token", fields, headers);
  /** Approves a request and returns the code. */
  const codeFor = async (client: string, user: Record<string, unknown>, changes = {}) => {
    const response = await approve(await requestQuery(client, changes), user);
    const { redirect_to } = await response.json<{ redirect_to: string }>();
    return new URL(redirect_to).searchParams.get("code") ?? "";
  };
  const redeem = (
    client: string,
    code: string,
    changes: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) =>
    token(
      {
        grant_type: "authorization_code",
        client_id: client,
        redirect_uri: REDIRECT,
        code,
        code_verifier: VERIFIER,
        ...changes,
      },
      headers,
    );
  const renew = (
    client: string,
    refresh_token: string,
    changes: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => token({ grant_type: "refresh_token", client_id: client, refresh_token, ...changes }, headers);
  return { send, post, approve, form, token, codeFor, redeem, renew };
};

/** The error body of RFC 6749, with the sentence in `message`, too. */
export const expectOAuthError = async (response: Response, error: string, status = 400) => {
  const body = await response.json<Record<string, string>>();
  expect([response.status, body.error], JSON.stringify(body)).toEqual([status, error]);
  expect(Object.keys(body).sort()).toEqual(["error", "error_description", "message"]);
  expect(body.message).toBe(body.error_description);
  expect(response.headers.get("Cache-Control")).toBe("no-store");
};
