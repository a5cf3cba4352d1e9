import { probeAccesses } from "../../access/audit/insert.ts";
import { TIME_BUDGET_MS } from "../../core/context.ts";
import { causeOf, sqlState } from "../../core/database.ts";
import { Refusal } from "../../core/errors.ts";
import { type LogLevel, writeLogLine } from "../../core/log-line.ts";
import { SettingsError, settingsOf } from "../../core/settings.ts";
import { openDatabase } from "../../platform/db/connect.ts";
import { type SummaryOutcome, sendDailySummary } from "./daily.ts";
import { channelsOf, type Delivery, deliver } from "./delivery.ts";
import { type FoundProblem, readProblems } from "./problems.ts";
import { checkRules } from "./rules.ts";

/** Why the database did not answer. */
class Failure {
  readonly cause: unknown;

  constructor(error: unknown) {
    this.cause = error instanceof Refusal ? error.cause : error;
  }
}

/** Why accesses cannot be recorded (A15): an SQLSTATE, or the class of an error. */
const findAuditFailure = async (env: Env): Promise<string | undefined> => {
  const { AUDIT_DATABASE_URL: url } = settingsOf(env);
  if (url === undefined) return undefined;
  return probeAccesses(url).then(
    () => undefined,
    (error: unknown) => sqlState(error) ?? (error as Error).name,
  );
};

const AUDIT_PROBLEM: FoundProblem = { kind: "audit", name: "audit", since: null };

/** A statement that fails for any reason counts as a database that does not answer: nobody may miss it. */
const findProblems = (env: Env, at: number): Promise<FoundProblem[] | Failure> => {
  const { DATABASE_URL, JOB_LATE_SECONDS } = settingsOf(env);
  const context = { deadline: Date.now() + TIME_BUDGET_MS, recordDuration: () => undefined };
  return readProblems(openDatabase(DATABASE_URL, context), at, JOB_LATE_SECONDS).catch(
    (error: unknown) => new Failure(error),
  );
};

/** The fields of the log line of a run. */
interface Outcome extends SummaryOutcome {
  problems?: number;
  alert?: Delivery | undefined;
  heartbeat?: Delivery | undefined;
  audit?: string | undefined;
}

/** Checks the freshness of the data (W1) and sends a due summary (W2). @param at the scheduled time, in epoch ms */
const watch = async (env: Env, at: number): Promise<Outcome | undefined> => {
  const { ALERT_WEBHOOK: webhook, HEARTBEAT_URL: heartbeatUrl } = settingsOf(env);
  const audit = await findAuditFailure(env);
  if (webhook === undefined && heartbeatUrl === undefined && channelsOf(env).length === 0)
    return audit === undefined ? undefined : { audit };
  const found = await findProblems(env, at);
  const rules = found instanceof Failure ? { problems: [], failure: undefined } : await checkRules(env, at);
  const known =
    found instanceof Failure ? undefined : [...found, ...(audit ? [AUDIT_PROBLEM] : []), ...rules.problems];
  const failure = found instanceof Failure ? found : rules.failure && new Failure(rules.failure);
  const { problems, alert } = await env.WATCH.getByName("watch").record(known, at, webhook);
  // At most one request to each address.
  const isAddressUsed = alert !== undefined && heartbeatUrl === webhook;
  const isHeartbeatDue = heartbeatUrl !== undefined && problems.length === 0 && !isAddressUsed;
  const heartbeat = isHeartbeatDue ? await deliver(heartbeatUrl) : undefined;
  const summary = await sendDailySummary(env, at);
  const cause = failure instanceof Failure ? causeOf(failure.cause) : {};
  return { problems: problems.length, alert, heartbeat, audit, ...summary, ...cause };
};

const hasFailed = (delivery: string | undefined) => delivery !== undefined && delivery !== "delivered";

/** Runs the watch and logs one line. The line has no address and no name of a unit (E9). */
export const runScheduled = async (env: Env, at: number): Promise<void> => {
  const logRun = (level: LogLevel, fields: object) =>
    writeLogLine(level, { version: env.VERSION, event: "watch", ...fields });
  try {
    const outcome = await watch(env, at);
    if (!outcome) return;
    const { alert, heartbeat, audit, summary_webhook, summary_email } = outcome;
    const isError = audit || [alert, heartbeat, summary_webhook, summary_email].some(hasFailed);
    logRun(isError ? "error" : "info", outcome);
  } catch (error) {
    const settings = error instanceof SettingsError ? error.message : undefined;
    logRun("error", { ...causeOf(error), settings });
  }
};
