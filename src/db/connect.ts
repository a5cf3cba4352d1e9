import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";
import { type Db, type Statement, sqlState } from "../ground/database.ts";
import { noAnswer, unavailable } from "../ground/errors.ts";
import { readAnswer } from "./answer.ts";
import { Breaker } from "./breaker.ts";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const neonEndpoint = neonConfig.fetchEndpoint as (host: string, port: string | number) => string;
// The driver sends the password to this address: plain HTTP is for this machine only.
neonConfig.fetchEndpoint = (host, port) =>
  LOOPBACK.has(host) ? `http://${host}:${port}/sql` : neonEndpoint(host, port);

// The driver reads an answer by its `json`, and has one `fetch` for all who use it.
neonConfig.fetchFunction = async (url: string, { inBytes, ...init }: RequestInit & { inBytes?: true }) => {
  const response = await fetch(url, init);
  if (!response.ok || !inBytes) return response;
  return { ok: true, json: async () => readAnswer(await response.arrayBuffer()) };
};
/** Every value as it came: a text, or the bytes of a body. */
const types = { getTypeParser: () => (value: unknown) => value };

/** SQLSTATEs of a server that is going down, starting up or out of reach: another try may meet a live one. */
const RECONNECT = /^(08|57P0[1-4])/;
/**
 * SQLSTATEs of a server that is out of something (connections, memory, disk), or has ended our statement to let loaders
 * go on that wait for one another's tables.
 */
const OVERLOADED = /^(53|58|40P01)/;
/**
 * SQLSTATEs of a server that lets nobody in with this connection string: its password or database is wrong by now, or the
 * database takes no connections (55000). No statement of ours can end with 55000: none calls `currval`, reads a
 * materialized view or writes, and `pg_sequence_last_value` of a sequence nobody has drawn from is null.
 */
const NOT_LET_IN = /^(28|3D|55000)/;
const STATEMENT_TIMEOUT = "57014";

const breaker = new Breaker();

/** What a request's statements keep to. */
interface Circumstances {
  /** Epoch milliseconds after which nobody waits for the answer. */
  deadline: number;
  /** Aborts when nobody waits for the answer any more. */
  gone?: AbortSignal | undefined;
  /** Is told how many milliseconds each statement took, whatever came of it. */
  observe: (ms: number) => void;
}

/** Opens the database for one request. @param url connection string of a role that can only read */
export const openDatabase = (url: string, { deadline, gone, observe }: Circumstances): Db => {
  const client = neon(url);
  return async <Row>(statement: Statement) => {
    if (!breaker.mayTry()) throw noAnswer();
    const started = Date.now();
    // AbortSignal.timeout would keep its timer until the end, however soon the answer came.
    const controller = new AbortController();
    const { signal } = controller;
    const abort = () => controller.abort();
    const timer = setTimeout(abort, Math.max(0, deadline - started));
    gone?.addEventListener("abort", abort);
    const attempt = () => query<Row>(client, statement, signal);
    // Reading twice changes nothing, so a lost connection is worth one more try.
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
          // An error that Postgres explains is an answer too; a statement stopped by us tells nothing.
          if (!isConnectionLoss(error)) breaker.answered();
          else if (!gone?.aborted) breaker.failed();
          throw explain(error);
        },
      )
      .finally(() => {
        clearTimeout(timer);
        gone?.removeEventListener("abort", abort);
        observe(Date.now() - started);
      });
  };
};

const query = async <Row>(
  client: NeonQueryFunction<false, false>,
  { first, text, values }: Statement,
  signal: AbortSignal,
): Promise<Row | undefined> => {
  const fetchOptions = { signal, redirect: "manual", inBytes: true };
  if (first === undefined)
    return (await client.query(text, values, { fetchOptions, types }))[0] as Row | undefined;
  // Each statement sees what was committed before it began: the second one more than the first.
  const options = { fetchOptions, isolationLevel: "ReadCommitted", readOnly: true } as const;
  const results = await client.transaction(
    [client.query(first), client.query(text, values, { types })],
    options,
  );
  return results[1]?.[0] as Row | undefined;
};

/** The driver's error for an answer over 64 MB, which Neon does not send: the database is up, and a retry ends alike. */
const TOO_LARGE = /^Server error \(HTTP status 507\)/;

const isConnectionLoss = (error: unknown): boolean => {
  if (error instanceof Error && TOO_LARGE.test(error.message)) return false;
  const state = sqlState(error);
  return state === undefined || RECONNECT.test(state);
};

/** What the reader learns of a failure: never the driver's message, which holds parameter values (E2, E9). */
const explain = (error: unknown): unknown => {
  const state = sqlState(error);
  if (state === STATEMENT_TIMEOUT) {
    return unavailable(
      "The database needed too long: narrow the date range or add a filter, then try again.",
      error,
    );
  }
  if (isConnectionLoss(error) || OVERLOADED.test(state ?? "")) return noAnswer(error);
  if (NOT_LET_IN.test(state ?? ""))
    return unavailable(
      "The database does not let this service in. Its operator has to look; try again later.",
      error,
    );
  return error;
};
