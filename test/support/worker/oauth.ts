import { Buffer } from "node:buffer";
import type { HostedDocument } from "../injected-context.ts";
import { createClient } from "./client.ts";

export const ORIGIN = "https://api.test";
export const RESOURCE = `${ORIGIN}/mcp`;
export const REDIRECT = "https://claude.ai/api/mcp/auth_callback";

/** Hosts a document at an address that the Worker can fetch. */
export const host = (document: HostedDocument) =>
  fetch("https://documents.test/", { method: "PUT", body: JSON.stringify(document) });
/** The addresses that the Worker fetched since the last call of `host`. */
export const fetched = async (): Promise<string[]> => (await fetch("https://documents.test/")).json();

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
  const form = (path: string, fields: Record<string, string> | [string, string][]) =>
    send(path, { method: "POST", body: new URLSearchParams(fields) });
  const token = (fields: Record<string, string>) => form("/oauth/token", fields);
  /** Approves a request and returns the code. */
  const codeFor = async (client: string, user: Record<string, unknown>, changes = {}) => {
    const response = await approve(await requestQuery(client, changes), user);
    const { redirect_to } = await response.json<{ redirect_to: string }>();
    return new URL(redirect_to).searchParams.get("code") ?? "";
  };
  const redeem = (client: string, code: string, changes: Record<string, string> = {}) =>
    token({
      grant_type: "authorization_code",
      client_id: client,
      redirect_uri: REDIRECT,
      code,
      code_verifier: VERIFIER,
      ...changes,
    });
  const renew = (client: string, refresh_token: string, changes: Record<string, string> = {}) =>
    token({ grant_type: "refresh_token", client_id: client, refresh_token, ...changes });
  return { send, post, approve, form, token, codeFor, redeem, renew };
};
