import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { bundle } from "../../../tools/local/bundle.ts";
import { childrenNamed } from "../../../tools/local/processes.ts";
import { SETTINGS, startRuntime } from "../../../tools/local/runtime.ts";

const ROUNDS = 8;
const QUOTA = 500;
const BURST = 40;
/** How many answered requests an isolate loses, at most, when it is killed: those that no counter has confirmed. */
const UNCONFIRMED = 8;
/** Bursts that use up the quota, and one that is refused entirely. */
const ROUNDS_AFTER = Math.ceil(QUOTA / BURST) + 1;
const folder = mkdtempSync(join(tmpdir(), "flood-"));
const settings = {
  ...SETTINGS,
  RATE_LIMIT_GLOBAL: String(QUOTA),
  // The test sends no statement.
  DATABASE_URL: "postgres://salon_api:none@127.0.0.1:1/none",
};

beforeAll(() => void bundle(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const killRuntime = async (runtime: Awaited<ReturnType<typeof startRuntime>>["runtime"]) => {
  const killed = childrenNamed("workerd");
  expect(killed.length).toBeGreaterThan(0);
  for (const pid of killed) process.kill(pid, "SIGKILL");
  await runtime.dispose().catch(() => undefined);
};

it(`at most ${QUOTA} requests of a flood are served, and 8 more each time, if the runtime is killed ${ROUNDS} times (E3, E11)`, {
  timeout: 600_000,
}, async () => {
  const statuses: Record<number, number> = { 0: 0, 200: 0, 429: 0 };
  let { runtime, url } = await startRuntime(folder, settings);
  const ask = async (): Promise<number> => {
    const status = await fetch(new URL("/health", url), { headers: { "CF-Connecting-IP": "203.0.113.9" } })
      .then((response) => response.status)
      // No response: the request may have counted or not.
      .catch(() => 0);
    statuses[status] = (statuses[status] ?? 0) + 1;
    return status;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const passedBefore = statuses[200] ?? 0;
    const flood = Array.from({ length: 120 }, ask);
    // Kills the runtime at a different time in each round.
    const wanted = Math.min(passedBefore + 7 * round + 1, QUOTA);
    while ((statuses[200] ?? 0) < wanted && (statuses[429] ?? 0) === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await killRuntime(runtime);
    await Promise.all(flood);
    ({ runtime, url } = await startRuntime(folder, settings));
  }
  let isUsedUp = false;
  for (let round = 0; round < ROUNDS_AFTER && !isUsedUp; round += 1) {
    const answers = await Promise.all(Array.from({ length: BURST }, ask));
    isUsedUp = answers.every((status) => status === 429);
  }
  expect(isUsedUp).toBe(true);
  await runtime.dispose();
  expect(statuses[200]).toBeLessThanOrEqual(QUOTA + UNCONFIRMED * ROUNDS);
  expect((statuses[200] ?? 0) + (statuses[0] ?? 0)).toBeGreaterThanOrEqual(QUOTA);
  expect(statuses[0]).toBeGreaterThan(0);
});
