import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { childrenNamed } from "../../../tools/local/processes.ts";
import { bundle, SETTINGS, startRuntime } from "../../../tools/local/runtime.ts";

const ROUNDS = 8;
const QUOTA = 500;
const BURST = 40;
/** As many bursts as the whole quota has room for, one for what is given back, and one that finds nothing left. */
const ROUNDS_AFTER = Math.ceil(QUOTA / BURST) + 2;
const folder = mkdtempSync(join(tmpdir(), "flood-"));
const settings = {
  ...SETTINGS,
  RATE_LIMIT_GLOBAL: String(QUOTA),
  // Nobody asks it.
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

it(`the runtime killed in the middle of a flood, ${ROUNDS} times: ${QUOTA} pass and no more, and 16 are missing at most (E3, E11)`, {
  timeout: 600_000,
}, async () => {
  const statuses: Record<number, number> = { 0: 0, 200: 0, 429: 0 };
  let { runtime, url } = await startRuntime(folder, settings);
  const ask = async (): Promise<number> => {
    const status = await fetch(new URL("/health", url), { headers: { "CF-Connecting-IP": "203.0.113.9" } })
      .then((response) => response.status)
      // No answer at all: whether it was counted, nobody knows.
      .catch(() => 0);
    statuses[status] = (statuses[status] ?? 0) + 1;
    return status;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    const passedBefore = statuses[200] ?? 0;
    const flood = Array.from({ length: 120 }, ask);
    // At another moment of the flood each time.
    const wanted = Math.min(passedBefore + 7 * round + 1, QUOTA);
    while ((statuses[200] ?? 0) < wanted && (statuses[429] ?? 0) === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await killRuntime(runtime);
    await Promise.all(flood);
    ({ runtime, url } = await startRuntime(folder, settings));
  }
  // What is still in hand is given back after five seconds; what was in hand when it was killed is lost.
  let isUsedUp = false;
  for (let round = 0; round < ROUNDS_AFTER && !isUsedUp; round += 1) {
    const answers = await Promise.all(Array.from({ length: BURST }, ask));
    isUsedUp = answers.every((status) => status === 429);
    if (!isUsedUp) await new Promise((resolve) => setTimeout(resolve, 5100));
  }
  expect(isUsedUp).toBe(true);
  await runtime.dispose();
  expect(statuses[200]).toBeLessThanOrEqual(QUOTA);
  expect((statuses[200] ?? 0) + (statuses[0] ?? 0) + 16).toBeGreaterThanOrEqual(QUOTA);
  expect(statuses[0]).toBeGreaterThan(0);
});
