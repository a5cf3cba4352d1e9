import { settingsOf } from "../../core/settings.ts";
import { withTimeout } from "../../core/timers.ts";

const TIMEOUT_MS = 10_000;

/** How a request to an address of the operator, or an e-mail, ended. `E_…` is an error of the platform's e-mail. */
export type Delivery = "delivered" | `status ${number}` | "no response" | "refused" | `E_${string}`;

/** Sends one request. An address may contain a secret, so no error is passed on. */
export const deliver = async (
  url: string,
  init: RequestInit = {},
  timeoutMs = TIMEOUT_MS,
): Promise<Delivery> => {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const response = await fetch(url, { ...init, redirect: "manual", signal });
    await response.body?.cancel();
    return response.ok ? "delivered" : `status ${response.status}`;
  } catch {
    return "no response";
  }
};

/** Posts JSON text. */
export const postJson = (url: string, body: string, timeoutMs?: number): Promise<Delivery> =>
  deliver(url, { method: "POST", headers: { "Content-Type": "application/json" }, body }, timeoutMs);

/** The messages of errors name addresses, so that only the code is passed on. */
const failureOf = (error: unknown): Delivery => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^E_[A-Z_]{1,60}$/.test(code) ? (code as `E_${string}`) : "refused";
};

const sendEmail = async (
  email: SendEmail,
  message: EmailMessageBuilder,
  timeoutMs = TIMEOUT_MS,
): Promise<Delivery> => {
  // Also for an error that is thrown before the promise: the other channel must keep its state.
  const sent = (async () => email.send(message))().then((): Delivery => "delivered", failureOf);
  return withTimeout(timeoutMs, sent).catch((): Delivery => "no response");
};

/** A summary, for each of its channels. */
export interface Summary {
  /** JSON. */
  webhook: string;
  email: { subject: string; text: string };
}
export type Channel = keyof Summary;
export type Deliveries = { [Name in Channel]?: Delivery };

/** The channels whose settings are there. */
export const channelsOf = (env: Env): Channel[] => {
  const { SUMMARY_WEBHOOK, SUMMARY_EMAIL } = settingsOf(env);
  const webhook: Channel[] = SUMMARY_WEBHOOK === undefined ? [] : ["webhook"];
  return SUMMARY_EMAIL === undefined ? webhook : [...webhook, "email"];
};

/** Sends a summary by some channels at once. */
export const sendSummary = async (
  env: Env,
  channels: Channel[],
  { webhook, email }: Summary,
  timeoutMs?: number,
): Promise<Deliveries> => {
  const { SUMMARY_WEBHOOK: url, SUMMARY_EMAIL: to, SUMMARY_FROM: from } = settingsOf(env);
  const [byWebhook, byEmail] = await Promise.all([
    channels.includes("webhook") && url ? postJson(url, webhook, timeoutMs) : undefined,
    channels.includes("email") && to && from
      ? sendEmail(env.EMAIL, { from, to, ...email }, timeoutMs)
      : undefined,
  ]);
  return { ...(byWebhook && { webhook: byWebhook }), ...(byEmail && { email: byEmail }) };
};
