import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { startNeonEndpoint } from "../local/neon-endpoint/server.ts";
import { bundle, startRuntime } from "../local/runtime.ts";
import { addUser } from "../users.ts";
import { temporaryDatabase } from "../warehouse/databases.ts";
import { generateWarehouse } from "../warehouse/generate.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { startFaultProxy } from "./fault-proxy.ts";

export const ACCOUNT = { email: "drill@example.com", name: "Drill Person", password: "drill-password-1" };

export interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** What a request came to. */
export interface Answer {
  status: number;
  headers: Headers;
  body: string;
  ms: number;
}

/**
 * The service as deployed, on a warehouse of its own, behind a network that breaks on demand. Everything it says
 * where nobody should read personal data is kept for the scan.
 * @param server connection string of a PostgreSQL server to make a database on
 */
export const startService = async (server: string, visits: number) => {
  const folder = mkdtempSync(join(tmpdir(), "drill-"));
  const database = await temporaryDatabase(server, "drill");
  await migrateWarehouse(database.url);
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  await generateWarehouse(owner, { visits });
  await addUser(owner, ACCOUNT);
  const endpoint = await startNeonEndpoint({ url: database.url, sessions: 10 });
  const proxy = await startFaultProxy(endpoint.port);
  bundle(folder);
  /** Log lines and error bodies. */
  const said: string[] = [];
  const databaseUrl = endpoint.urlOf("salon_api").replace(`:${endpoint.port}/`, `:${proxy.port}/`);
  const { runtime, url } = await startRuntime(folder, databaseUrl, (line) => said.push(line));

  /** Never throws: no answer at all is status 0. */
  const ask = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const started = performance.now();
    try {
      const response = await fetch(new URL(path, url), init);
      const body = await response.text();
      if (response.status >= 400) said.push(body);
      return { status: response.status, headers: response.headers, body, ms: performance.now() - started };
    } catch (error) {
      const body = error instanceof Error ? error.name : String(error);
      return { status: 0, headers: new Headers(), body, ms: performance.now() - started };
    }
  };
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    ask(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  /** Every token that was issued, for the scan. */
  const issued: string[] = [];
  const keep = (answer: Answer): Tokens => {
    if (answer.status !== 200) throw new Error(`no tokens: ${answer.status} ${answer.body}`);
    const tokens = JSON.parse(answer.body) as Tokens;
    issued.push(tokens.access_token, tokens.refresh_token);
    return tokens;
  };
  const signIn = async () =>
    keep(await post("/auth/login", { email: ACCOUNT.email, password: ACCOUNT.password }));
  const refresh = async ({ refresh_token }: Tokens) => keep(await post("/auth/refresh", { refresh_token }));
  const bearer = ({ access_token }: Tokens) => ({ Authorization: `Bearer ${access_token}` });

  return {
    url,
    proxy,
    owner,
    ownerUrl: database.url,
    said,
    issued,
    ask,
    post,
    signIn,
    refresh,
    bearer,
    /** Names and contents of what the objects and KV have stored. */
    stored: () =>
      readdirSync(join(folder, "storage"), { recursive: true, withFileTypes: true }).map((entry) => ({
        name: entry.name,
        content: entry.isFile() ? readFileSync(join(entry.parentPath, entry.name)) : Buffer.alloc(0),
      })),
    bundled: () => readFileSync(join(folder, "bundle", "index.js"), "utf8"),
    stop: async () => {
      await runtime.dispose();
      await proxy.close();
      await endpoint.close();
      await owner.end();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export type Service = Awaited<ReturnType<typeof startService>>;
