import type { Context } from "hono";
import type { AppEnv, Caller } from "../ground/context.ts";
import { noAnswer } from "../ground/errors.ts";
import { within } from "../http/objects.ts";
import { SharedWork } from "../http/shared-work.ts";
import { hashAgentToken } from "./agent-token.ts";
import { type AgentAccount, findAgentAccount } from "./queries.ts";

/** How long this isolate goes by what it was told of a token: whatever ends one shows within that time (A10). */
const MEMORY_MS = 60_000;
const MAX_TOKENS = 1000;

/** What the database said of a token, whose moments are epoch milliseconds. */
interface Answer {
  caller: Caller | undefined;
  /** When it was asked, and when it was last looked at. */
  asOf: number;
  seen: number;
  /** When the token ends by itself. */
  expiresAt: number;
}

type Answers = Map<string, Answer>;
/** By the tokens' hashes, those that are good apart from those that are not: nonsense drives out nonsense only. */
const good: Answers = new Map();
const bad: Answers = new Map();

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
  const [oldest] = answers.keys();
  if (answers.size > MAX_TOKENS && oldest !== undefined) answers.delete(oldest);
  return answer;
};

/** What is known of a token; undefined where the database has to be asked. A clock that jumps back makes nothing last. */
const recall = (hash: string): Answer | undefined => {
  const answer = good.get(hash) ?? bad.get(hash);
  const now = Date.now();
  if (answer === undefined || now < answer.seen || now - answer.asOf >= MEMORY_MS) return undefined;
  answer.seen = now;
  return answer;
};

/** What one request does for all that come with the token meanwhile, and until when that is worth waiting for. */
type UnderWay<T> = Map<string, { work: SharedWork<T>; until: number }>;
/** Questions the database has not answered yet, and whether a request could pay for one. */
const questions: UnderWay<Answer> = new Map();
const payments: UnderWay<boolean> = new Map();

/** Begins what others may wait for, when the reader of this request has gone, too. */
const begin = <T>(c: Context<AppEnv>, underWay: UnderWay<T>, hash: string, promise: Promise<T>) => {
  const one = { work: new SharedWork(promise), until: c.var.deadline };
  underWay.set(hash, one);
  const over = one.work.over.then(() => {
    if (underWay.get(hash) === one) underWay.delete(hash);
  });
  c.executionCtx.waitUntil(over);
};

/** What another request has begun; undefined where none has, or is worth waiting for. */
const othersWork = <T>(c: Context<AppEnv>, underWay: UnderWay<T>, hash: string): Promise<T> | undefined => {
  const { work, until = 0 } = underWay.get(hash) ?? {};
  if (work === undefined || until <= Date.now()) return undefined;
  return work.wait(c.var.deadline - Date.now()).catch((error: unknown) => {
    throw work.isOver ? error : noAnswer(error);
  });
};

/** Asks the database, once for all requests that come with the token meanwhile. */
const ask = (c: Context<AppEnv>, hash: string): Promise<Answer> => {
  const asked = othersWork(c, questions, hash);
  if (asked !== undefined) return asked;
  const asOf = Date.now();
  const answer = findAgentAccount(c.var.db, { hash }).then((account) => remember(hash, account, asOf));
  begin(c, questions, hash, answer);
  return answer;
};

/** Pays for a look-up, so that others who come with the token need not. @throws what `count` throws */
const pay = async (c: Context<AppEnv>, hash: string, count: () => Promise<void>): Promise<void> => {
  const paid = count();
  const couldPay = paid.then(
    () => true,
    () => false,
  );
  begin(c, payments, hash, couldPay);
  await within(c.var.deadline - Date.now(), couldPay).catch((late: unknown) => {
    throw noAnswer(late);
  });
  await paid;
};

/** One look-up, one payment: who comes while another pays or asks has nothing to pay, unless the other was refused. */
const lookUp = async (c: Context<AppEnv>, hash: string, count: () => Promise<void>): Promise<Answer> => {
  const asked = othersWork(c, questions, hash);
  if (asked !== undefined) return asked;
  const others = othersWork(c, payments, hash);
  if (others === undefined || !(await others)) await pay(c, hash, count);
  // It may have become known meanwhile.
  return recall(hash) ?? ask(c, hash);
};

/**
 * The user of an agent token (A10); undefined for one that is unknown or has ended.
 * @param count is called, and waited for, before the database is asked, unless another request has just paid for that
 * @throws what `count` throws; Refusal 503 when the database does not answer: nothing is known of the token then
 */
export const callerOfAgent = async (
  c: Context<AppEnv>,
  token: string,
  count: () => Promise<void>,
): Promise<Caller | undefined> => {
  const hash = hashAgentToken(token);
  const answer = recall(hash) ?? (await lookUp(c, hash, count));
  return answer.expiresAt > Date.now() ? answer.caller : undefined;
};

/** Forgets everything, as a new isolate. For tests. */
export const forgetAgents = (): void => {
  good.clear();
  bad.clear();
};
