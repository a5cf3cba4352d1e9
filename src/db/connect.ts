import { type NeonDbError, type NeonQueryFunction, neon, neonConfig } from "@neondatabase/serverless";
import { unavailable } from "../http/errors.ts";
import { Breaker } from "./breaker.ts";
import type { Statement } from "./statement.ts";

/** Runs one statement and answers its first row, as text: one SQL statement, one HTTP round trip. */
export type Db = <Row>(statement: Statement) => Promise<Row | undefined>;

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
const neonEndpoint = neonConfig.fetchEndpoint as (host: string, port: string | number) => string;
// The driver sends the password to this address: plain HTTP is for this machine only.
neonConfig.fetchEndpoint = (host, port) =>
  LOOPBACK.has(host) ? `http://${host}:${port}/sql` : neonEndpoint(host, port);

/** SQLSTATEs of a server that is going down, starting up or out of reach: another try may meet a live one. */
const RECONNECT = /^(08|57P0[1-4])/;
/** SQLSTATEs of a server that is out of something: connections, memory, disk. */
const OVERLOADED = /^(53|58)/;
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
  return async <Row>({ text, values }: Statement) => {
    if (!breaker.mayTry()) throw unavailable(NO_ANSWER);
    const started = Date.now();
    // AbortSignal.timeout would keep its timer until the end, however soon the answer came.
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(() => controller.abort(), Math.max(0, deadline - started));
    const attempt = () => query<Row>(client, text, values, signal);
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
          // An error that Postgres explains is an answer too.
          if (isConnectionLoss(error)) breaker.failed();
          else breaker.answered();
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
  text: string,
  values: unknown[],
  signal: AbortSignal,
): Promise<Row | undefined> => {
  const rows = await client.query(text, values, { fetchOptions: { signal, redirect: "manual" } });
  return rows[0] as Row | undefined;
};

/** The SQLSTATE of a failed statement, or undefined when no answer of Postgres arrived. */
export const sqlState = (error: unknown): string | undefined => {
  // A DOMException has a `code` too, and it is a number.
  const { code } = (error ?? {}) as Partial<NeonDbError>;
  return typeof code === "string" ? code : undefined;
};

const isConnectionLoss = (error: unknown): boolean => {
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
  return error;
};
