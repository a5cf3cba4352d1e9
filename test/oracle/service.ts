import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, inject } from "vitest";
import { parse } from "yaml";
import type { Rights } from "../../src/core/rights.ts";
import { startDeployed } from "../../tools/local/deployed.ts";
import { tokens } from "../../tools/local/tokens.ts";
import { operationsOf, withParameters } from "../support/document.ts";
import { openWarehouse, type Warehouse } from "./warehouse.ts";

/**
 * Starts the service as deployed, on a database. It connects to a server as `salon_api`, and to an embedded
 * database, whose single session it shares with the oracle, as the owner.
 * @param root the checkout to bundle
 */
export const startService = async (databaseUrl: string, sessions: number, root?: string) => {
  const role = sessions === 1 ? "postgres" : "salon_api";
  const { url, stop } = await startDeployed(databaseUrl, sessions, role, root === undefined ? {} : { root });
  /** Each path that was requested, alone and with each parameter. */
  const asked = new Set<string>();
  const as = (rights?: Rights) => clientOf(url, asked, rights);
  return { ...(await as()), as, asked, stop };
};

/** One user would reach the limit of requests. */
const USERS = 100;
/** Tokens are valid for 15 minutes, and a nightly comparison can take longer. */
const RENEW_AFTER_MS = 600_000;

/** Reads the service at a URL. @param rights those of its users */
const clientOf = async (url: URL, asked: Set<string>, rights: Rights | undefined) => {
  const issue = async () => ({ bearers: await tokens(USERS, rights), at: performance.now() });
  let issued = await issue();
  let count = 0;
  /** Sends a GET request as the next user. */
  const request = async (
    path: string,
    query: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => {
    asked.add(path);
    for (const name of Object.keys(query)) asked.add(`${path}?${name}`);
    count += 1;
    if (performance.now() - issued.at > RENEW_AFTER_MS) issued = await issue();
    const Authorization = issued.bearers[count % USERS] ?? "";
    const response = await fetch(`${url.origin}/v1/${path}?${new URLSearchParams(query)}`, {
      headers: { ...headers, Authorization },
    });
    return { status: response.status, body: await response.text(), etag: response.headers.get("ETag") };
  };
  return {
    request,
    /** Sends a GET request and returns the body. @throws unless the status is 200 */
    read: async (path: string, query?: Record<string, string>): Promise<string> => {
      const { status, body } = await request(path, query);
      if (status !== 200) throw new Error(`${status} ${body}`);
      return body;
    },
  };
};

export type Reader = Awaited<ReturnType<typeof clientOf>>;
export type Service = Awaited<ReturnType<typeof startService>>;

/** Each path of `/v1` in the document, alone and with each of its query parameters. */
export const documentedRequests = (): string[] => {
  const snapshot = readFileSync(join(import.meta.dirname, "../api/openapi/openapi.snapshot.yaml"), "utf8");
  return operationsOf(withParameters(parse(snapshot))).flatMap(({ path, operation: { parameters = [] } }) => {
    const name = path.replace("/v1/", "");
    const inQuery = parameters.filter((one) => one.in === "query");
    return path.startsWith("/v1/") ? [name, ...inQuery.map((one) => `${name}?${one.name}`)] : [];
  });
};

/** An embedded Postgres has one session. */
export const SESSIONS = inject("isServer") ? 8 : 1;

/** Opens a warehouse and starts the service on it before the tests of a file. */
export const useService = () => {
  const started = {} as { warehouse: Warehouse; service: Service };
  beforeAll(async () => {
    started.warehouse = await openWarehouse(inject("oracleSeed"));
    started.service = await startService(started.warehouse.url, SESSIONS);
  });
  afterAll(async () => {
    await started.service.stop();
    await started.warehouse.close();
  });
  return started;
};
