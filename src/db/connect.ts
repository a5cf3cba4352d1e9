import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";
import { type Db, type Statement, sqlState } from "../core/database.ts";
import { noAnswer, unavailable } from "../core/errors.ts";
import { readAnswer } from "./answer.ts";
import { Breaker } from "./breaker.ts";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const neonEndpoint = neonConfig.fetchEndpoint as (host: string, port: string | number) => string;
// The request carries the password, so plain HTTP is allowed for loopback only.
neonConfig.fetchEndpoint = (host, port) =>
  LOOPBACK.has(host) ? `http://${host}:${port}/sql` : neonEndpoint(host, port);

// This `fetch` is global to the driver: `inBytes` marks our queries. The driver reads a response through `json()`.
neonConfig.fetchFunction = async (url: string, { inBytes, ...init }: RequestInit & { inBytes?: true }) => {
  const response = await fetch(url, init);
  if (!response.ok || !inBytes) return response;
  return { ok: true, json: async () => readAnswer(await response.arrayBuffer()) };
};
const types = { getTypeParser: () => (value: unknown) => value };

/** The connection was lost, or the server is starting or stopping. A retry may succeed. */
const RECONNECT = /^(08|57P0[1-4])/;
/** The server ran out of connections, memory or disk, or ended our statement to resolve a deadlock with loaders. */
const OVERLOADED = /^(53|58|40P01)/;
// The password (28) or the database (3D) is wrong, or the database accepts no connections (55000). Our statements never
// cause 55000: they do not write, call `currval` or read a materialized view.
const NOT_LET_IN = /^(28|3D|55000)/;
const STATEMENT_TIMEOUT = "57014";

const breaker = new Breaker();

interface QueryContext {
  deadline: number;
  clientDisconnected?: AbortSignal | undefined;
  observe: (ms: number) => void;
}

/** Opens the database as a read-only role. Queries throw Refusal 503 if it is down, overloaded or too slow (E2). */
export const openDatabase = (url: string, { deadline, clientDisconnected, observe }: QueryContext): Db => {
  const client = neon(url);
  return async <Row>(statement: Statement) => {
    if (!breaker.mayTry()) throw noAnswer();
    const started = Date.now();
    // AbortSignal.timeout() cannot be cancelled: its timer would keep running after the response.
    const controller = new AbortController();
    const { signal } = controller;
    const abort = () => controller.abort();
    const timer = setTimeout(abort, Math.max(0, deadline - started));
    clientDisconnected?.addEventListener("abort", abort);
    const attempt = () => query<Row>(client, statement, signal);
    // Statements only read, so a retry after a lost connection is safe.
    return attempt()
      .catch((error: unknown) => {
        if (!isConnectionLoss(error) || signal.aborted || !breaker.mayRetry()) throw error;
        return attempt();
      })
      .then(
        (row) => {
          breaker.answered();
          return row;
        },
        (error: unknown) => {
          // A Postgres error shows that the database is up. A query that the client aborted shows nothing.
          if (!isConnectionLoss(error)) breaker.answered();
          else if (!clientDisconnected?.aborted) breaker.failed();
          throw explain(error);
        },
      )
      .finally(() => {
        clearTimeout(timer);
        clientDisconnected?.removeEventListener("abort", abort);
        observe(Date.now() - started);
      });
  };
};

const query = async <Row>(
  client: NeonQueryFunction<false, false>,
  { prelude, text, values }: Statement,
  signal: AbortSignal,
): Promise<Row | undefined> => {
  const fetchOptions = { signal, redirect: "manual", inBytes: true };
  if (prelude === undefined)
    return (await client.query(text, values, { fetchOptions, types }))[0] as Row | undefined;
  // At READ COMMITTED each statement has its own snapshot: the second one is newer than the result of the prelude.
  const options = { fetchOptions, isolationLevel: "ReadCommitted", readOnly: true } as const;
  const results = await client.transaction(
    [client.query(prelude), client.query(text, values, { types })],
    options,
  );
  return results[1]?.[0] as Row | undefined;
};

/** Neon sends no response over 64 MB. The database is up, and a retry would fail the same way. */
const TOO_LARGE = /^Server error \(HTTP status 507\)/;

const isConnectionLoss = (error: unknown): boolean => {
  if (error instanceof Error && TOO_LARGE.test(error.message)) return false;
  const state = sqlState(error);
  return state === undefined || RECONNECT.test(state);
};

// Never pass on the message of the driver: it contains parameter values (E2, E9).
const explain = (error: unknown): unknown => {
  const state = sqlState(error);
  if (state === STATEMENT_TIMEOUT) {
    return unavailable("The query timed out. Narrow the date range or add a filter, then try again.", error);
  }
  if (isConnectionLoss(error) || OVERLOADED.test(state ?? "")) return noAnswer(error);
  if (NOT_LET_IN.test(state ?? ""))
    return unavailable("The database refuses the connection. Try again later, or tell the operator.", error);
  return error;
};
