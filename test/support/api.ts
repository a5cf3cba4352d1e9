import { exports } from "cloudflare:workers";
import { neon } from "@neondatabase/serverless";
import { expect, inject } from "vitest";
import { parse } from "yaml";
import { hashAgentToken, newAgentToken } from "../../src/auth/agent-token.ts";
import { refusals } from "./captured-logs.ts";
import type { Document } from "./document.ts";
import type { Fault } from "./injected-context.ts";

export const DEMO = { email: "demo@example.com", password: "demo-password" };

/** Sends a request through the Worker, as a client with an address of its own unless it says otherwise. */
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

/** GET as the demo user. */
export const get = async (path: string, headers: Record<string, string> = {}) => {
  session ??= signIn();
  return send(path, { headers: { ...authorization(await session), ...headers } });
};

/** GET that must answer 200; the body is checked by the caller. */
export const read = async <T>(path: string): Promise<T> => {
  const response = await get(path);
  expect(response.status, (await response.clone().text()).slice(0, 300)).toBe(200);
  return response.json();
};

/** The document as a reader gets it. */
export const readDocument = async (): Promise<Document> => {
  const response = await get("/openapi.yaml");
  return parse(new TextDecoder().decode(await response.arrayBuffer()));
};

/** Asserts the one error shape (E1). */
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

/** The database as its owner, to arrange rows and to ask independent questions. */
export const sql = neon(inject("ownerUrl"));

/** An agent token of a user, as the command makes one. */
export const makeAgentToken = async (email: string): Promise<string> => {
  const token = newAgentToken();
  await sql`insert into agent_tokens (user_identity, hash, session_number, expires_at)
    select identity, ${await hashAgentToken(token)}, session_number, now() + interval '1 day' from users where email = ${email}`;
  return token;
};

/** Breaks the network in front of Postgres. */
export const breakDatabase = (fault: Fault) =>
  fetch("https://faults.test/", { method: "PUT", body: JSON.stringify(fault) });
export const mendDatabase = () => fetch("https://faults.test/", { method: "DELETE" });
/** What the database was asked since the network was last broken or mended: one statement a request, or a few. */
const asked = async () =>
  (await (await fetch("https://faults.test/")).json<string[]>()).map((body) => {
    const payload = JSON.parse(body) as Statement | { queries: Statement[] };
    return "queries" in payload ? payload.queries : [payload];
  });
interface Statement {
  query: string;
  params: unknown[];
}
export const statements = async () => (await asked()).flat();
export const databaseRequests = async () => (await asked()).length;
