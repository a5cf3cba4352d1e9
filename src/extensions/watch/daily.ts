import { causeOf } from "../../core/database.ts";
import { Refusal } from "../../core/errors.ts";
import { clockOf } from "../../core/periods.ts";
import { type Channel, channelsOf, type Delivery } from "./delivery.ts";
import { readSummary } from "./summary.ts";

/** In Brasília. The last run of the day is at 23:45. */
const FIRST_TIME = "20:00";

/** The fields of the log line of a run. */
export interface SummaryOutcome {
  summary_webhook?: Delivery | "not sent";
  summary_email?: Delivery | "not sent";
  sqlstate?: string | undefined;
  error?: string | undefined;
}

const fieldsOf = (deliveries: { [Name in Channel]?: Delivery | "not sent" }): SummaryOutcome =>
  Object.fromEntries(Object.entries(deliveries).map(([channel, state]) => [`summary_${channel}`, state]));

/** Sends the summary of the day by each channel that has not delivered it (W2). @param at the scheduled time */
export const sendDailySummary = async (env: Env, at: number): Promise<SummaryOutcome> => {
  const { date, time } = clockOf(at);
  let due = channelsOf(env);
  if (due.length === 0 || time < FIRST_TIME) return {};
  const watch = env.WATCH.getByName("watch");
  try {
    due = await watch.dueChannels(date, due);
    if (due.length === 0) return {};
    return fieldsOf(await watch.sendSummary(date, due, await readSummary(env, at)));
  } catch (error) {
    const states = Object.fromEntries(due.map((channel) => [channel, "not sent" as const]));
    return { ...fieldsOf(states), ...causeOf((error instanceof Refusal && error.cause) || error) };
  }
};
