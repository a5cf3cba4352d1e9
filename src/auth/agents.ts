import type { Context } from "hono";
import { BoundedMap } from "../core/bounded-map.ts";
import type { AppEnv, Caller } from "../core/context.ts";
import { noAnswer } from "../core/errors.ts";
import { withTimeout } from "../core/with-timeout.ts";
import { InFlight } from "../objects/in-flight.ts";
import { hashAgentToken } from "./agent-token.ts";
import { type AgentAccount, findAgentAccount } from "./queries.ts";

/** How long an isolate caches a lookup. A revoked token stops working within this time (A10). */
const MEMORY_MS = 60_000;
const MAX_TOKENS = 1000;

/** Times are in epoch milliseconds: `asOf` when the query started, `seen` when the entry was last used. */
interface Answer {
  caller: Caller | undefined;
  asOf: number;
  seen: number;
  expiresAt: number;
}

type Answers = BoundedMap<string, Answer>;
/** Two caches by token hash, so that a flood of invalid tokens cannot evict valid ones. */
const good: Answers = new BoundedMap(MAX_TOKENS);
const bad: Answers = new BoundedMap(MAX_TOKENS);

const remember = (hash: string, account: AgentAccount | undefined, asOf: number): Answer => {
  const { expires_at = "", ...user } = account ?? {};
  const answer = {
    caller: account && ({ ...user, family: undefined } as Caller),
    asOf,
    seen: asOf,
    expiresAt: Date.parse(expires_at),
  };
  const answers = account ? good : bad;
  good.delete(hash);
  bad.delete(hash);
  answers.set(hash, answer);
  return answer;
};

/** Ignores an entry last used in the future: the clock jumped back, so the entry would live too long. */
const recall = (hash: string): Answer | undefined => {
  const answer = good.get(hash) ?? bad.get(hash);
  const now = Date.now();
  if (answer === undefined || now < answer.seen || now - answer.asOf >= MEMORY_MS) return undefined;
  answer.seen = now;
  return answer;
};

/** Work that one request does and others join, by token hash. `until` is the deadline of the first request. */
type UnderWay<T> = Map<string, { work: InFlight<T>; until: number }>;
const questions: UnderWay<Answer> = new Map();
const payments: UnderWay<boolean> = new Map();

/** `waitUntil` keeps the work alive if this client disconnects, because other requests may wait for it. */
const begin = <T>(c: Context<AppEnv>, underWay: UnderWay<T>, hash: string, promise: Promise<T>) => {
  const one = { work: new InFlight(promise), until: c.var.deadline };
  underWay.set(hash, one);
  const over = one.work.over.then(() => {
    if (underWay.get(hash) === one) underWay.delete(hash);
  });
  c.executionCtx.waitUntil(over);
};

const joinInFlight = <T>(c: Context<AppEnv>, underWay: UnderWay<T>, hash: string): Promise<T> | undefined => {
  const { work, until = 0 } = underWay.get(hash) ?? {};
  if (work === undefined || until <= Date.now()) return undefined;
  return work.wait(c.var.deadline - Date.now()).catch((error: unknown) => {
    throw work.isOver ? error : noAnswer(error);
  });
};

const ask = (c: Context<AppEnv>, hash: string): Promise<Answer> => {
  const asked = joinInFlight(c, questions, hash);
  if (asked !== undefined) return asked;
  const asOf = Date.now();
  const answer = findAgentAccount(c.var.db, { hash }).then((account) => remember(hash, account, asOf));
  begin(c, questions, hash, answer);
  return answer;
};

const chargeLookup = async (c: Context<AppEnv>, hash: string, charge: () => Promise<void>): Promise<void> => {
  const paid = charge();
  const couldPay = paid.then(
    () => true,
    () => false,
  );
  begin(c, payments, hash, couldPay);
  await withTimeout(c.var.deadline - Date.now(), couldPay).catch((late: unknown) => {
    throw noAnswer(late);
  });
  await paid;
};

/** One request is charged and queries the database. The others wait; if its charge fails, each is charged (A10). */
const resolveToken = async (
  c: Context<AppEnv>,
  hash: string,
  charge: () => Promise<void>,
): Promise<Answer> => {
  const asked = joinInFlight(c, questions, hash);
  if (asked !== undefined) return asked;
  const others = joinInFlight(c, payments, hash);
  if (others === undefined || !(await others)) await chargeLookup(c, hash, charge);
  // Another request may have filled the cache while this one waited.
  return recall(hash) ?? ask(c, hash);
};

/**
 * Returns undefined if the token is unknown or has ended (A10).
 * @param charge called before a database lookup, unless a concurrent request was charged for it
 * @throws what `charge` throws; Refusal 503 if the database is unavailable (never cached)
 */
export const callerOfAgent = async (
  c: Context<AppEnv>,
  token: string,
  charge: () => Promise<void>,
): Promise<Caller | undefined> => {
  const hash = await hashAgentToken(token);
  const answer = recall(hash) ?? (await resolveToken(c, hash, charge));
  return answer.expiresAt > Date.now() ? answer.caller : undefined;
};

/** Clears the caches. For tests. */
export const forgetAgents = (): void => {
  good.clear();
  bad.clear();
};
