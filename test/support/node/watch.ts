import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, inject, onTestFinished } from "vitest";
import type { AlertRule } from "../../../src/extensions/watch/alert-rule.ts";
import { bundleWithRules } from "../../../tools/local/bundle.ts";
import { startNeonEndpoint } from "../../../tools/local/neon-endpoint/server.ts";
import { type RuntimeOptions, SETTINGS, startRuntime } from "../../../tools/local/runtime.ts";
import type { Database } from "./databases.ts";

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export const succeed: Answer = (_, response) => void response.end("ok");

/** A request to an address of the operator. */
interface Received {
  method: string | undefined;
  path: string | undefined;
  body: string;
}

interface StartOptions extends RuntimeOptions {
  rules?: AlertRule[];
  /** The folder of the runtime, whose storage persists. Default: a new one. */
  own?: string;
}

/**
 * Prepares the tests of a file that run the watch: a database, an endpoint for the service, and a server that receives
 * the messages to the operator. Each test begins without requests and log lines.
 */
export const useWatch = (openDatabase: () => Promise<Database>) => {
  const folder = mkdtempSync(join(tmpdir(), "watch-"));
  const requests: Received[] = [];
  const lines: string[] = [];
  let database: Database;
  let db: pg.Client;
  let endpoint: Awaited<ReturnType<typeof startNeonEndpoint>>;
  // The embedded Postgres has one session, so that the role of the service would keep the test from writing.
  const [sessions, role] = inject("isServer") ? [4, "salon_api"] : [1, "postgres"];
  const receiver = createServer(async (request, response) => {
    requests.push({ method: request.method, path: request.url, body: await text(request) });
    bed.answer(request, response);
  });
  const bed = {
    folder,
    /** Oldest first. */
    requests,
    /** The log lines of every runtime. */
    lines,
    /** How the receiver answers. */
    answer: succeed,
    get db() {
      return db;
    },
    addressOf: (path: string) => `http://127.0.0.1:${(receiver.address() as AddressInfo).port}${path}`,
    /** Another way to the database, which a test may close. */
    openEndpoint: async () => {
      const other = await startNeonEndpoint({ url: database.url, sessions, roles: [role] });
      return { url: other.urlOf(role), close: other.close };
    },
    /** Starts the service until the test ends. `run` fires the trigger as `npm start` serves it. */
    start: async (
      settings: Record<string, string>,
      { rules = [], own = mkdtempSync(join(folder, "run-")), ...options }: StartOptions = {},
    ) => {
      rmSync(join(own, "bundle"), { recursive: true, force: true });
      bundleWithRules(own, rules);
      const { runtime, url } = await startRuntime(
        own,
        { ...SETTINGS, DATABASE_URL: endpoint.urlOf(role), ...settings },
        {
          unsafeTriggerHandlers: true,
          handleStructuredLogs: ({ message }) => lines.push(message),
          ...options,
        },
      );
      let stopping: Promise<void> | undefined;
      const stop = () => {
        stopping ??= runtime.dispose();
        return stopping;
      };
      onTestFinished(stop);
      const ask = (path: string, init?: RequestInit) => fetch(new URL(path, url), init);
      return {
        url,
        ask,
        run: (at: number) => ask(`/cdn-cgi/local/scheduled?time=${at}`).then((response) => response.text()),
        stop,
      };
    },
  };
  beforeAll(async () => {
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    database = await openDatabase();
    db = new pg.Client({ connectionString: database.url });
    await db.connect();
    endpoint = await startNeonEndpoint({ url: database.url, sessions, roles: [role] });
  });
  beforeEach(() => {
    bed.answer = succeed;
    requests.length = 0;
    lines.length = 0;
  });
  afterAll(async () => {
    await endpoint.close();
    await db.end();
    await database.close();
    receiver.closeAllConnections();
    await new Promise((resolve) => receiver.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });
  return bed;
};
