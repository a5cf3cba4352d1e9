import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { sendSummary } from "../../../src/extensions/watch/delivery.ts";
import { advanceClock, startFakeClock } from "../../support/worker/clock.ts";

const ADDRESSES = { SUMMARY_EMAIL: "ana@example.com", SUMMARY_FROM: "resumo@example.com" };
const SUMMARY = { webhook: "{}", email: { subject: "Resumo", text: "Resumo" } };

/** Sends by a binding that ends as the platform documents it. Locally, the binding accepts every message. */
const sendBy = (send: () => Promise<EmailSendResult>) =>
  sendSummary({ ...env, ...ADDRESSES, EMAIL: { send } }, ["email"], SUMMARY);
const failing = (code?: unknown) => () =>
  Promise.reject(Object.assign(new Error("ana@example.com is not allowed"), { code }));

afterEach(() => vi.useRealTimers());

it.each([
  ["E_SENDER_NOT_VERIFIED", "E_SENDER_NOT_VERIFIED"],
  ["E_ana@example.com", "refused"],
  [10_203, "refused"],
  [undefined, "refused"],
])(
  "an e-mail that the platform rejects with the code %j ends as %s, without an address (W2)",
  async (code, state) => {
    expect(await sendBy(failing(code))).toEqual({ email: state });
  },
);

it("an e-mail that the platform does not accept in ten seconds ends as no response (W2)", async () => {
  startFakeClock();
  const sent = sendBy(() => new Promise(() => undefined));
  await advanceClock(10_000);
  expect(await sent).toEqual({ email: "no response" });
});
