import { type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";
import { type Db, type Statement, sqlState } from "../ground/database.ts";
import { unavailable } from "../ground/errors.ts";
import { Breaker } from "./breaker.ts";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const neonEndpoint = neonConfig.fetchEndpoint as (host: string, port: string | number) => string;
// The driver sends the password to this address: plain HTTP is for this machine only.
neonConfig.fetchEndpoint = (host, port) =>
  LOOPBACK.has(host) ? `http://${host}:${port}/sql` : neonEndpoint(host, port);

/** SQLSTATEs of a server that is going down, starting up or out of reach: another try may meet a live one. */
const RECONNECT = /^(08|57P0[1-4])/;
/**
 * SQLSTATEs of a server that is out of something (connections, memory, disk), or has ended our statement to let loaders
 * go on that wait for one another's tables.
 */
const OVERLOADED = /^(53|58|40P01)/;
/** SQLSTATEs of a server that lets nobody in with this connection string: its password or database is wrong by now. */
const NOT_LET_IN = /^(28|3D)/;
const STATEMENT_TIMEOUT = "57014";
const NO_ANSWER = "The database does not answer. Try again in a few seconds.";

const breaker = new Breaker();

/** What a request's statements keep to. */
interface Circumstances {
  /** Epoch milliseconds after which nobody waits for the answer. */
  deadline: number;
  /** What was read leaves only when this resolves. */
  permit: Promise<void>;
  /** Is told how many milliseconds each statement took, whatever came of it. */
  observe: (ms: number) => void;
}

/** Opens the database for one request. @param url connection string of a role that can only read */
export const openDatabase = (url: string, { deadline, permit, observe }: Circumstances): Db => {
  const client = neon(url);
  return async <Row>(statement: Statement) => {
    if (!breaker.mayTry()) throw unavailable(NO_ANSWER);
    const started = Date.now();
    // AbortSignal.timeout would keep its timer until the end, however soon the answer came.
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => controller.abort(), Math.max(0, deadline - started));
    let isRefused = false;
    permit.catch(() => {
      isRefused = true;
      controller.abort();
    });
    const attempt = () => query<Row>(client, statement, signal);
    // Reading twice changes nothing, so a lost connection is worth one more try.
    const answer = attempt()
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
          else if (!isRefused) breaker.failed();
          throw explain(error);
        },
      )
      .finally(() => {
        clearTimeout(timer);
        observe(Date.now() - started);
      });
    const [row] = await Promise.all([answer, permit]);
    return row;
  };
};

const query = async <Row>(
  client: NeonQueryFunction<false, false>,
  { first, text, values }: Statement,
  signal: AbortSignal,
): Promise<Row | undefined> => {
  const fetchOptions = { signal, redirect: "manual" };
  if (first === undefined) return (await client.query(text, values, { fetchOptions }))[0] as Row | undefined;
  // Each statement sees what was committed before it began: the second one more than the first.
  const options = { fetchOptions, isolationLevel: "ReadCommitted", readOnly: true } as const;
  const results = await client.transaction([client.query(first), client.query(text, values)], options);
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
  if (isConnectionLoss(error) || OVERLOADED.test(state ?? "")) return unavailable(NO_ANSWER, error);
  if (NOT_LET_IN.test(state ?? ""))
    return unavailable(
      "The database does not let this service in. Its operator has to look; try again later.",
      error,
    );
  return error;
};
