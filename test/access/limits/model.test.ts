import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Call, Reply } from "../../../src/access/limits/counter.ts";
import { Tally } from "../../../src/access/limits/tally.ts";
import { SlidingLog } from "../../../src/platform/objects/sliding-log.ts";
import mistakes from "./mistakes.json" with { type: "json" };

/**
 * Runs the real log and tallies on a simulated platform: calls are late, lost or repeated, and the object is killed. The
 * requests that passed are compared with a plain sliding window.
 */

const WINDOW_MS = 900_000;
const QUOTAS = { global: 30 };
const AUTH = { ...QUOTAS, auth: 4 };
/** A request in `takenBack` is a renewal that its user's counter refuses. */
type Kind = "beside" | "exact" | "takenBack";
/** What a request does in its isolate: how long its answer takes, and whether it is refused without a statement. */
interface Step {
  isolate: number;
  kind: Kind;
  times: number;
  answerMs: number;
  isCheap: boolean;
  killsObject: boolean;
}
/** What happens to an attempt of a call. `again` delivers it a second time. */
interface Fate {
  there: number;
  back: number;
  lost: "never" | "there" | "back";
  again: number;
}
/** A request that passed: when it arrived, and when it began to run. */
interface Passed {
  asked: number;
  started: number;
  kind: Kind;
}

/** Runs all microtasks. */
const settle = async () => {
  for (let i = 0; i < 60; i += 1) await Promise.resolve();
};

/** The storage of an object, which survives when it is killed. */
const createStorage = () => {
  const rows = new Map<string, unknown>();
  const kv = {
    put: (key: string, value: unknown) => rows.set(key, structuredClone(value)),
    list: () => [...rows].map(([key, value]) => [key, structuredClone(value)]),
  };
  return { kv } as unknown as DurableObjectStorage;
};

class World {
  now = 1_800_000_000_000;
  /** The requests that were allowed, also those that were taken back. */
  readonly counted: Passed[] = [];
  /** When requests that are not exact were refused. */
  readonly refused: number[] = [];
  /** When any request arrived. */
  readonly asked: number[] = [];
  readonly #storage = createStorage();
  #log = new SlidingLog(this.#storage, WINDOW_MS);
  readonly #tallies: Tally[];
  readonly #fates: Fate[];
  readonly #seen = new WeakSet<Call>();
  loses: "never" | "once" | "always" | "all";
  attempts = 0;
  /** Sorted by `at`. */
  #events: { at: number; run: () => unknown; id: number }[] = [];
  #lastEvent = 0;

  /** @param loses which attempts of a call its fate may lose: the first, or any. `all` are lost in an outage */
  constructor(tallies: Tally[], fates: Fate[], loses: World["loses"]) {
    this.#tallies = tallies;
    this.#fates = fates;
    this.loses = loses;
  }

  get passed(): Passed[] {
    return this.counted.filter(({ kind }) => kind !== "takenBack");
  }

  /** How many requests the counter has counted in the last window, also beyond the quota. */
  get used(): number {
    const [{ remaining } = { remaining: 0 }] = this.#log.standings({ global: 1e6 });
    return 1e6 - remaining;
  }

  setTimeout = (run: () => unknown, ms: number): number => {
    this.#lastEvent += 1;
    const at = this.now + Math.max(0, ms);
    const index = this.#events.findLastIndex((event) => event.at <= at) + 1;
    this.#events.splice(index, 0, { at, run, id: this.#lastEvent });
    return this.#lastEvent;
  };
  clearTimeout = (id: number | undefined): void => {
    this.#events = this.#events.filter((event) => event.id !== id);
  };

  /** Advances time and runs the events that fall due, in order. */
  async wait(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      const [next] = this.#events;
      if (next === undefined || next.at > until) break;
      this.#events.shift();
      this.now = next.at;
      next.run();
      await settle();
    }
    this.now = until;
  }

  async step(step: Step): Promise<void> {
    if (step.killsObject) this.#log = new SlidingLog(this.#storage, WINDOW_MS);
    for (let i = 0; i < step.times; i += 1) void this.ask(step);
    await settle();
  }

  async ask({ isolate, kind, answerMs, isCheap }: Omit<Step, "times" | "killsObject">): Promise<boolean> {
    const tally = this.#tallies[isolate] as Tally;
    const asked = this.now;
    this.asked.push(asked);
    const remote = {
      counterName: "user:1",
      counter: () => ({ count: (_: string, call: Call) => this.#call(call) }),
      hints: { get: async () => null } as unknown as KVNamespace,
      waitUntil: () => undefined,
    };
    if (kind !== "beside") {
      const { id, isAllowed } = await tally.countExactly(AUTH, remote, asked + 8500);
      if (isAllowed) this.counted.push({ asked, started: this.now, kind });
      if (isAllowed && kind === "takenBack") await tally.takeBack(id, [], remote, AUTH);
      return isAllowed;
    }
    let started = 0;
    const isAllowed = await tally.runBeside(QUOTAS, remote, async () => {
      started = this.now;
      await new Promise((resolve) => this.setTimeout(() => resolve(undefined), answerMs));
      return isCheap;
    });
    if (isAllowed) this.counted.push({ asked, started, kind });
    else this.refused.push(this.now);
    return isAllowed;
  }

  #count({ quotas, asks, takenBack }: Call): Reply {
    for (const id of takenBack) this.#log.takeBack(id);
    const counted = asks.map((ask) => this.#log.count(ask, quotas));
    return structuredClone({ counted, standings: this.#log.standings(quotas) });
  }

  #call(call: Call): Promise<Reply> {
    const fate = this.#fates[this.attempts % this.#fates.length] as Fate;
    this.attempts += 1;
    const sent = structuredClone(call);
    const mayLose = this.loses === "always" || (this.loses === "once" && !this.#seen.has(call));
    const lost = this.loses === "all" ? "there" : mayLose ? fate.lost : "never";
    this.#seen.add(call);
    return new Promise<Reply>((resolve, reject) => {
      this.setTimeout(() => {
        const reply = lost === "there" ? undefined : this.#count(sent);
        if (fate.again > 0 && reply) this.setTimeout(() => this.#count(sent), fate.again);
        const end = () => (reply && lost === "never" ? resolve(reply) : reject(new Error("lost")));
        this.setTimeout(end, fate.back);
      }, fate.there);
    });
  }
}

let world: World;
const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now };
beforeEach(() => {
  Object.assign(globalThis, {
    setTimeout: (run: () => unknown, ms: number) => world.setTimeout(run, ms),
    clearTimeout: (id: number) => world.clearTimeout(id),
  });
  Date.now = () => world.now;
});
afterEach(() => {
  Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
  Date.now = real.now;
});

const gaps = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 3, arbitrary: fc.integer({ min: 300, max: 7000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 7000, max: 300_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 890_000, max: 906_000 }) },
);
const steps = (isolates: number) =>
  fc.record({
    isolate: fc.integer({ min: 0, max: isolates - 1 }),
    kind: fc.constantFrom<Kind>(...Array<Kind>(8).fill("beside"), "exact", "takenBack"),
    times: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
      fc.integer({ min: 4, max: 40 }),
    ),
    answerMs: fc.integer({ min: 0, max: 400 }),
    isCheap: fc.constantFrom(false, false, false, true),
    killsObject: fc.constantFrom(false, false, false, true),
  });
/** @param most the longest way there or back. A waiting request is patient enough for two calls of 400 ms */
const fates = (most: number) =>
  fc.record({
    there: fc.integer({ min: 0, max: most }),
    back: fc.integer({ min: 1, max: most }),
    lost: fc.constantFrom("never" as const, "there" as const, "back" as const),
    again: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5000 })),
  });
const scripts = (isolates: number, fate: fc.Arbitrary<Fate>) =>
  fc.record({
    steps: fc.array(fc.tuple(gaps, steps(isolates)), { minLength: 5, maxLength: 40 }),
    fates: fc.array(fate, { minLength: 1, maxLength: 20 }),
  });

type Script = { steps: [number, Step][]; fates: Fate[] };
const play = async (tallies: Tally[], script: Script, loses: World["loses"] = "once") => {
  world = new World(tallies, script.fates, loses);
  for (const [gap, step] of script.steps) {
    await world.wait(gap);
    await world.step(step);
  }
  await world.wait(20_000);
  return world;
};

/** Asserts that at most `most` requests pass in any window: each counts at a moment between its arrival and its run. */
const expectAtMost = (passed: Passed[], most: number, windowMs = WINDOW_MS) => {
  const sorted = passed.toSorted((a, b) => a.started - b.started);
  for (const [i, last] of sorted.slice(most).entries()) {
    const first = Math.min(...sorted.slice(i, i + most + 1).map(({ asked }) => asked));
    expect(last.started - first, `${most + 1} passed`).toBeGreaterThanOrEqual(windowMs);
  }
};

/** The longest time between a request and its verdict, if no call fails. */
const VERDICT_MS = 1_500;
/** In an outage, requests are counted to the minute. */
const MINUTE_MS = 60_000;

const checkOne = async (create: () => Tally, script: Script) => {
  const tally = create();
  const { passed, counted, refused } = await play([tally], script);
  expectAtMost(passed, QUOTAS.global);
  expectAtMost(
    passed.filter(({ kind }) => kind === "exact"),
    AUTH.auth,
  );
  for (const at of refused) {
    const used = counted.filter(
      ({ started }) => started > at - WINDOW_MS - VERDICT_MS && started <= at + VERDICT_MS,
    );
    expect(used.length, "counted before a refusal").toBeGreaterThanOrEqual(QUOTAS.global);
  }
  await expectEndOfWait(tally);
};

/** Sends a request, and advances time until it is answered. */
const askNow = async () => {
  let verdict: boolean | undefined;
  void world.ask({ isolate: 0, kind: "beside", answerMs: 0, isCheap: true }).then((isAllowed) => {
    verdict = isAllowed;
  });
  while (verdict === undefined) await world.wait(100);
  return verdict;
};

/** Asserts that refused requests get an answer again when their wait is over. */
const expectEndOfWait = async (tally: Tally) => {
  for (let i = 0; i <= QUOTAS.global && (await askNow()); i += 1);
  await world.wait(tally.waitMs(QUOTAS));
  expect(await askNow(), "passed after its wait").toBe(true);
};

const checkOutage = async (create: () => Tally, script: Script) => {
  const tally = create();
  const { passed } = await play([tally], script, "always");
  expectAtMost(passed, QUOTAS.global, WINDOW_MS - MINUTE_MS);
  // Once the counter is back, it counts each request once, for a minute longer at most.
  world.loses = "never";
  await world.wait(MINUTE_MS);
  // A refusal needs no call: what passed meanwhile goes with the first call after its wait.
  if (!(await askNow())) {
    await world.wait(tally.waitMs(QUOTAS));
    await askNow();
  }
  await world.wait(MINUTE_MS);
  const since = (ms: number) => world.now - WINDOW_MS + ms;
  const counted = passed.filter(({ asked }) => asked > since(0)).length;
  expect(world.used, "counted of what passed").toBeGreaterThanOrEqual(counted);
  const asked = world.asked.filter((at) => at > since(-MINUTE_MS - VERDICT_MS)).length;
  expect(world.used, "counted of what was asked").toBeLessThanOrEqual(asked);
  world.loses = "all";
  await expectEndOfWait(tally);
};

const checkFour = async (create: () => Tally, script: Script) => {
  const { passed } = await play([create(), create(), create(), create()], script);
  expectAtMost(passed, QUOTAS.global + 4 * 8);
};

const check = (
  property: (create: () => Tally, script: Script) => Promise<void>,
  arbitrary: fc.Arbitrary<Script>,
  create: () => Tally,
  options: fc.Parameters<[Script]> = { numRuns: 300, endOnFailure: true },
) =>
  fc.assert(
    fc.asyncProperty(arbitrary, (script) => property(create, script)),
    options,
  );

const burst = (gap: number, isolate: number): [number, Step] => {
  const step = { kind: "beside" as const, times: 20, answerMs: 100, isCheap: false, killsObject: false };
  return [gap, { isolate, ...step }];
};
const ONE = scripts(1, fates(100));
/** At first, all isolates get more requests than may be unconfirmed, before a call ends. */
const FOUR = fc
  .tuple(scripts(4, fates(100)), fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 4, maxLength: 4 }))
  .map(([script, gaps]) => ({ ...script, steps: [...gaps.map(burst), ...script.steps] }));
const OUTAGE = scripts(1, fates(3000));
const CHECKS = { one: [checkOne, ONE], four: [checkFour, FOUR], outage: [checkOutage, OUTAGE] } as const;
const createTally = () => new Tally();

describe("the counter and its isolates, against a plain sliding window", () => {
  it("let exactly the quota pass in one isolate, although calls are lost, late or repeated (E3, E11)", () =>
    check(checkOne, ONE, createTally));

  it("gather quick requests in a call, while more than 8 remain (E11)", async () => {
    const [, step] = burst(0, 0);
    const one: [number, Step] = [5, { ...step, times: 1 }];
    const fate: Fate = { there: 1, back: 1, lost: "never", again: 0 };
    const callsOf = async (first: number) => {
      const steps: [number, Step][] = [[0, { ...step, times: first }], [300, one[1]], one, one, one];
      return (await play([createTally()], { steps, fates: [fate] })).attempts;
    };
    expect([await callsOf(1), await callsOf(8), await callsOf(22)]).toEqual([2, 2, 6]);
  });

  it("let at most 8 more an isolate pass in four isolates (E11)", () => check(checkFour, FOUR, createTally));

  it("let at most the quota pass in one isolate, and count it once, also if calls fail for long (E3, E11)", () =>
    check(checkOutage, OUTAGE, createTally));

  it.each(mistakes)("would notice a tally that $what (E3, E11)", async ({ mark, check: name }) => {
    const { Tally: Mistaken } = await import(
      /* @vite-ignore */ `../../../src/access/limits/tally.ts?mistake=${mark}`
    );
    const [property, arbitrary] = CHECKS[name as keyof typeof CHECKS];
    const run = check(property, arbitrary, () => new Mistaken(), { numRuns: 300, endOnFailure: true });
    await expect(run.catch(({ cause }) => String(cause))).resolves.toMatch(
      /AssertionError: .*(passed|counted)/,
    );
  });
});
