import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";
import { type Db, type Statement, sqlState } from "../../core/database.ts";
import { databaseUnavailable, unavailable } from "../../core/errors.ts";
import { isLoopback } from "../../core/hosts.ts";
import { Breaker } from "./breaker.ts";
import { readNeonResult } from "./neon-result.ts";

const neonEndpoint = neonConfig.fetchEndpoint as (host: string, port: string | number) => string;
// The request carries the password, so plain HTTP is allowed for loopback only.
neonConfig.fetchEndpoint = (host, port) =>
  isLoopback(host) ? `http://${host}:${port}/sql` : neonEndpoint(host, port);

// `neonConfig` is shared by all clients of the driver, so `inBytes` marks the queries of this file. The
// driver reads a successful response only through `json()`.
neonConfig.fetchFunction = async (url: string, { inBytes, ...init }: RequestInit & { inBytes?: true }) => {
  const response = await fetch(url, init);
  if (!response.ok || !inBytes) return response;
  return { ok: true, json: async () => readNeonResult(await response.arrayBuffer()) };
};
const types = { getTypeParser: () => (value: unknown) => value };

/** The connection was lost, or the server is starting or stopping. A retry may succeed. */
const RECONNECT = /^(08|57P0[1-4])/;
/** The server ran out of connections, memory or disk, or ended our statement because of a deadlock. */
const OVERLOADED = /^(53|58|40P01)/;
// The password (28) or the database (3D) is wrong, or the database accepts no connections (55000). Our
// statements never cause 55000: they do not write, call `currval` or read a materialized view.
const CONNECTION_REFUSED = /^(28|3D|55000)/;
const STATEMENT_TIMEOUT = "57014";
/** Raised by the SQL function `lowest_locked_position` (C5). */
const REPLICA_STATE = "SR001";

/** The log shows the name as `error`. */
class ReplicaError extends Error {
  override name = "ReplicaError";
  readonly code = REPLICA_STATE;
}

/** How long a statement may run (`statement_timeout` of the role), and the way there and back. */
const STATEMENT_MS = 7500;

const breaker = new Breaker();

interface QueryContext {
  deadline: number;
  clientDisconnected?: AbortSignal | undefined;
  recordDuration: (ms: number) => void;
}

/** Opens the database. Queries throw Refusal 503 if it is down, overloaded or too slow (E2). */
export const openDatabase = (
  url: string,
  { deadline, clientDisconnected, recordDuration }: QueryContext,
): Db => {
  const neonClient = neon(url);
  return async <Row>(statement: Statement) => {
    if (!breaker.mayTry()) throw databaseUnavailable();
    const started = Date.now();
    // AbortSignal.timeout() cannot be cancelled: its timer would keep running after the response.
    const controller = new AbortController();
    const { signal } = controller;
    const abort = () => controller.abort();
    const timer = setTimeout(abort, Math.max(0, deadline - started));
    clientDisconnected?.addEventListener("abort", abort);
    if (clientDisconnected?.aborted) abort();
    // After a wait for other reports, our deadline may come before the one of Postgres: the database is up.
    const startedLate = deadline - started < STATEMENT_MS;
    const attempt = () => query<Row>(neonClient, statement, signal);
    // Statements only read, so a retry after a lost connection is safe.
    return attempt()
      .catch((error: unknown) => {
        if (!isConnectionLoss(error) || signal.aborted || !breaker.takeRetry()) throw error;
        return attempt();
      })
      .then(
        (row) => {
          breaker.recordResponse();
          return row;
        },
        (error: unknown) => {
          if (startedLate && signal.aborted && !clientDisconnected?.aborted) throw timedOut(error);
          // A Postgres error shows that the database is up. A query aborted by the client shows nothing.
          if (!isConnectionLoss(error)) breaker.recordResponse();
          else if (!clientDisconnected?.aborted) breaker.recordConnectionLoss();
          throw toRefusal(error);
        },
      )
      .finally(() => {
        clearTimeout(timer);
        clientDisconnected?.removeEventListener("abort", abort);
        recordDuration(Date.now() - started);
      });
  };
};

/** Runs a statement that writes. It bypasses the breaker, which protects the database that answers requests. */
export const executeWrite = async (
  url: string,
  { text, values }: Statement,
  timeoutMs: number,
): Promise<void> => {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new DOMException("timed out", "TimeoutError")), timeoutMs);
  try {
    await neon(url).query(text, values, { fetchOptions: { signal: controller.signal, redirect: "manual" } });
  } finally {
    clearTimeout(timer);
  }
};

const query = async <Row>(
  neonClient: NeonQueryFunction<false, false>,
  { prelude, text, values }: Statement,
  signal: AbortSignal,
): Promise<Row | undefined> => {
  const fetchOptions = { signal, redirect: "manual", inBytes: true };
  if (prelude === undefined)
    return (await neonClient.query(text, values, { fetchOptions, types }))[0] as Row | undefined;
  // At READ COMMITTED each statement has its own snapshot: that of `text` is newer than the prelude's.
  const options = { fetchOptions, isolationLevel: "ReadCommitted", readOnly: true } as const;
  const results = await neonClient.transaction(
    [neonClient.query(prelude), neonClient.query(text, values, { types })],
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

const timedOut = (error: unknown) =>
  unavailable("The query timed out. Narrow the date range or add a filter, then try again.", error);

// Never pass on the message of the driver: it contains parameter values (E2, E9).
const toRefusal = (error: unknown): unknown => {
  const state = sqlState(error);
  if (state === STATEMENT_TIMEOUT) return timedOut(error);
  if (state === REPLICA_STATE)
    return unavailable(
      "Cursors and change feeds need the primary database, but the service reads a replica. Tell the operator.",
      new ReplicaError(),
    );
  if (isConnectionLoss(error) || OVERLOADED.test(state ?? "")) return databaseUnavailable(error);
  if (CONNECTION_REFUSED.test(state ?? ""))
    return unavailable("The database refuses the connection. Try again later, or tell the operator.", error);
  return error;
};
