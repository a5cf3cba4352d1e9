import { exports } from "cloudflare:workers";
import { neon } from "@neondatabase/serverless";
import { expect, inject } from "vitest";
import { parse } from "yaml";
import { hashAgentToken, newAgentToken } from "../../../src/access/auth/agent-token.ts";
import { cheapHash } from "../cheap-hash.ts";
import { type Document, withParameters } from "../document.ts";
import type { Fault } from "../injected-context.ts";
import { refusals } from "./captured-logs.ts";

export const DEMO = { email: "demo@example.com", password: "demo-password" };

/** Sends a request to the Worker. Sets a default client address unless `CF-Connecting-IP` is given. */
export const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
  const headers = new Headers(init.headers);
  if (!headers.has("CF-Connecting-IP")) headers.set("CF-Connecting-IP", "203.0.113.7");
  const response = await exports.default.fetch(
    new Request(`https://api.test${path}`, { ...init, headers, redirect: "manual" }),
  );
  if (response.status >= 400) refusals.push(await response.clone().text());
  return response;
};

export const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  send(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

export interface Tokens {
  access_token: string;
  refresh_token: string;
  token_type: string;
  expires_in: number;
}

export const signIn = async (credentials = DEMO): Promise<Tokens> => {
  const response = await post("/auth/login", credentials);
  expect(response.status).toBe(200);
  return response.json();
};

export const authorization = (tokens: Tokens) => ({ Authorization: `Bearer ${tokens.access_token}` });

let session: Promise<Tokens> | undefined;

/** Sends a GET request as the demo user. */
export const get = async (path: string, headers: Record<string, string> = {}) => {
  session ??= signIn();
  return send(path, { headers: { ...authorization(await session), ...headers } });
};

/** Sends a GET request, asserts status 200 and returns the parsed body. The body is not validated. */
export const read = async <T>(path: string): Promise<T> => {
  const response = await get(path);
  expect(response.status, (await response.clone().text()).slice(0, 300)).toBe(200);
  return response.json();
};

export const readDocument = async (): Promise<Document> => {
  const response = await get("/openapi.yaml");
  return withParameters(parse(new TextDecoder().decode(await response.arrayBuffer())));
};

/** Asserts the status and the error body (E1). */
export const expectError = async (
  response: Response,
  status: number,
  error: string,
  message: RegExp | string,
) => {
  const body = await response.json<Record<string, string>>();
  expect(response.status, JSON.stringify(body).slice(0, 300)).toBe(status);
  expect(body).toEqual({ error, message: expect.stringMatching(message) });
  expect(response.headers.get("Content-Type")).toContain("application/json");
  expect(response.headers.get("X-Request-Id")).toBeTruthy();
};

/** A connection as the database owner, to insert rows and to run independent queries. */
export const sql = neon(inject("ownerUrl"));

/** Creates a user. Replaces one with this e-mail, so that the new user has full limits. */
export const addUser = async ({ email, password }: typeof DEMO): Promise<void> => {
  await sql`delete from users where email = ${email}`;
  await sql`insert into users (email, name, password_hash) values (${email}, 'Added', ${cheapHash(password)})`;
};

/** Creates an agent token for a user, as `npm run users -- token` does. */
export const makeAgentToken = async (email: string): Promise<string> => {
  const token = newAgentToken();
  await sql`insert into agent_tokens (user_identity, hash, session_number, expires_at)
    select identity, ${await hashAgentToken(token)}, session_number, now() + interval '1 day' from users where email = ${email}`;
  return token;
};

/** Makes database requests fail until `mendDatabase` is called. */
export const breakDatabase = (fault: Fault) =>
  fetch("https://faults.test/", { method: "PUT", body: JSON.stringify(fault) });
export const mendDatabase = () => fetch("https://faults.test/", { method: "DELETE" });
/** The statements sent to the database since the last `breakDatabase` or `mendDatabase`, one list per request. */
const statementsByRequest = async () =>
  (await (await fetch("https://faults.test/")).json<string[]>()).map((body) => {
    const payload = JSON.parse(body) as Statement | { queries: Statement[] };
    return "queries" in payload ? payload.queries : [payload];
  });
interface Statement {
  query: string;
  params: unknown[];
}
/** The warehouse under a name of its own: what earlier tests left running sends its statements to another host. */
export const warehouseAt = (name: string) => ({
  DATABASE_URL: inject("databaseUrl").replace("warehouse.test", name),
  host: `api.${name}`,
});
export const statements = async () => (await statementsByRequest()).flat();
export const databaseRequests = async () => (await statementsByRequest()).length;
