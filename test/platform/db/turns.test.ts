import { describe, expect, it } from "vitest";
import { withTurns } from "../../../src/platform/db/turns.ts";

const statement = { text: "select 1", values: [] };

/** A database whose statements end when the test ends them. */
const heldDatabase = () => {
  const running: (() => void)[] = [];
  let most = 0;
  let active = 0;
  const db = () =>
    new Promise<undefined>((resolve) => {
      active += 1;
      most = Math.max(most, active);
      running.push(() => {
        active -= 1;
        resolve(undefined);
      });
    });
  return { db: db as never, running, most: () => most };
};

const later = () => new Promise((resolve) => setTimeout(resolve, 50));
const waiting = (user: number, deadline = Date.now() + 60_000, signal = new AbortController().signal) => ({
  user,
  deadline,
  clientDisconnected: signal,
});

describe("statements of reports", () => {
  it("run two at once for a user, and the others later (R22)", async () => {
    const { db, running, most } = heldDatabase();
    const all = Array.from({ length: 7 }, () => withTurns(db, waiting(1))(statement));
    await expect.poll(() => running.length).toBe(2);
    await later();
    expect(running).toHaveLength(2);
    // Another user does not wait.
    const other = withTurns(db, waiting(2))(statement);
    await expect.poll(() => running.length).toBe(3);
    for (let ended = 0; ended < 8; ended += 1) {
      await expect.poll(() => running.length).toBeGreaterThan(ended);
      running[ended]?.();
    }
    await Promise.all([...all, other]);
    expect(most()).toBe(3);
  });

  it("that wait until their deadline, or whose client hangs up, are a 503 and send nothing (R22, E2)", async () => {
    const { db, running } = heldDatabase();
    const held = [1, 2].map(() => withTurns(db, waiting(3))(statement));
    await expect.poll(() => running.length).toBe(2);
    const gone = new AbortController();
    const refusal = {
      status: 503,
      message: expect.stringMatching(/^Other reports that you asked for are still/),
    };
    const refused = [
      expect(withTurns(db, waiting(3, Date.now() + 30))(statement)).rejects.toMatchObject(refusal),
      expect(withTurns(db, waiting(3, undefined, gone.signal))(statement)).rejects.toMatchObject(refusal),
    ];
    gone.abort();
    await Promise.all(refused);
    expect(running).toHaveLength(2);
    for (const end of running) end();
    await Promise.all(held);
    // A statement that fails leaves its turn.
    const failing = withTurns((() => Promise.reject(new Error("no"))) as never, waiting(3));
    for (let n = 0; n < 5; n += 1) await expect(failing(statement)).rejects.toThrow("no");
  });
});
