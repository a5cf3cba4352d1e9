import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Permits as Holder, Permits } from "../../src/limits/permits.ts";
import {
  type Quotas,
  type ReservationRequest,
  SlidingLog,
  type SpentBlock,
  type Verdict,
} from "../../src/limits/sliding-log.ts";

/**
 * Runs the real counter and permits on a simulated platform: calls are late or lost, isolates and objects are
 * killed, and clocks jump. The allowed requests are compared with a plain sliding window.
 */

const WINDOW_MS = 900_000;
const AUTH = { global: 30, auth: 4 };
/** A request to `returned` takes a permit and gives it back, as a renewal that its user's counter refuses. */
const QUOTAS = { data: { global: 30 }, auth: AUTH, returned: AUTH } as const;
const ISOLATES = 3;

type Route = keyof typeof QUOTAS;
type Step =
  | { do: "ask"; isolate: number; route: Route; times: number }
  | { do: "kill isolate"; isolate: number }
  | { do: "kill object" }
  | { do: "jump"; clock: number; ms: number };

/** What happens to a call: its delay to the counter and back, and where it is lost. */
interface Fate {
  there: number;
  back: number;
  lost: "never" | "there" | "back";
}

/** A request that passed, and the time it counts from: when it was allowed, or when it spent a permit. */
interface Passed {
  at: number;
  route: Route;
}

/** A request that the counter allowed, and the time at which it took the permit back. */
interface Counted extends Passed {
  id?: string;
  returnedAt?: number;
}

/** A request that was refused. */
interface Refused {
  at: number;
  route: Route;
}

/** Runs all microtasks. */
const settle = async () => {
  for (let i = 0; i < 40; i += 1) await Promise.resolve();
};

/** The storage of an object, which survives every kill. */
const createStorage = () => {
  const rows = new Map<string, unknown>();
  return {
    rows,
    kv: {
      put: (key: string, value: unknown) => rows.set(key, structuredClone(value)),
      delete: (key: string) => rows.delete(key),
      list: () => [...rows].map(([key, value]) => [key, structuredClone(value)]),
    },
  } as unknown as DurableObjectStorage & { rows: Map<string, unknown> };
};

class World {
  /** True milliseconds since the start, independent of the simulated clocks. */
  now = 0;
  readonly passed: Passed[] = [];
  readonly refused: Refused[] = [];
  /** The remaining quota reported with each request that passed. */
  readonly reported: { at: number; remaining: number }[] = [];
  /** Requests that the counter allowed, even if its reply was lost. */
  readonly counted: Counted[] = [];
  /** Permits of blocks whose end was reported late. */
  late = 0;
  /** Times at which blocks were reserved. */
  readonly blocks: number[] = [];
  forwardJumps = 0;
  calls = 0;

  readonly #clocks = Array.from({ length: ISOLATES + 1 }, () => 1_800_000_000_000);
  /** The index of the isolate whose code runs, or ISOLATES for the object. */
  #running = 0;
  /** Sorted by `at`, then by `id`. */
  #events: { at: number; who: number; run: () => unknown; id: number }[] = [];
  #lastEvent = 0;
  readonly #storage = createStorage();
  #log = new SlidingLog(this.#storage, WINDOW_MS);
  readonly #holders: Holder[] = Array.from({ length: ISOLATES }, () => new Permits("client"));
  readonly #lives = Array.from({ length: ISOLATES }, () => 0);
  readonly #given = new Map<string, { at: number; permits: number; isEndReported: boolean }>();
  readonly #fates: Fate[];

  constructor(fates: Fate[]) {
    this.#fates = fates;
  }

  clock = () => this.now + (this.#clocks[this.#running] ?? 0);

  setTimeout = (run: () => unknown, ms: number): number => this.#after(ms, this.#running, run);
  clearTimeout = (id: number | undefined): void => {
    this.#events = this.#events.filter((event) => event.id !== id);
  };

  #after(ms: number, who: number, run: () => unknown): number {
    this.#lastEvent += 1;
    const at = this.now + Math.max(0, ms);
    const index = this.#events.findLastIndex((event) => event.at <= at) + 1;
    this.#events.splice(index, 0, { at, who, run, id: this.#lastEvent });
    return this.#lastEvent;
  }

  /** Advances time and runs the events that fall due, in order. */
  async wait(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      const [next] = this.#events;
      if (next === undefined || next.at > until) break;
      this.#events.shift();
      this.now = next.at;
      await this.#run(next.who, next.run);
    }
    this.now = until;
  }

  async #run(who: number, code: () => unknown): Promise<void> {
    this.#running = who;
    code();
    await settle();
  }

  async step(step: Step): Promise<void> {
    if (step.do === "kill object") this.#log = new SlidingLog(this.#storage, WINDOW_MS);
    else if (step.do === "kill isolate") this.#killIsolate(step.isolate);
    else if (step.do === "jump") this.#jump(step.clock, step.ms);
    else
      await this.#run(step.isolate, () => {
        for (let i = 0; i < step.times; i += 1) this.#ask(step.isolate, step.route).catch(() => undefined);
      });
  }

  #killIsolate(isolate: number): void {
    this.#holders[isolate] = new Permits("client");
    this.#lives[isolate] = (this.#lives[isolate] ?? 0) + 1;
    this.#events = this.#events.filter(({ who }) => who !== isolate);
  }

  #jump(clock: number, ms: number): void {
    this.#clocks[clock] = (this.#clocks[clock] ?? 0) + ms;
    if (clock === ISOLATES && ms > 0) this.forwardJumps += ms;
  }

  async #ask(isolate: number, route: Route): Promise<void> {
    const holder = this.#holders[isolate] as Holder;
    const life = this.#lives[isolate];
    const asking = {
      counter: () => this.#counter(isolate),
      quotas: QUOTAS[route],
      deadline: this.clock() + 8500,
      waitUntil: (work: Promise<unknown>) => work,
    };
    const exact = route === "data" ? undefined : await holder.takeExact(asking);
    const verdict = exact ?? (await holder.take(asking));
    if (this.#lives[isolate] !== life) return;
    if (route === "returned" && exact?.allowed) {
      await holder.giveBack(exact.id ?? "", [], asking);
      return;
    }
    if (!verdict.allowed) {
      this.refused.push({ at: this.now, route });
      return;
    }
    const { givenAt } = verdict as Verdict & { givenAt?: number };
    this.passed.push({ at: givenAt ?? this.now, route });
    if (givenAt === undefined) this.counted.push({ at: this.now, route });
    const remaining = verdict.standings.find(({ name }) => name === "global")?.remaining ?? Number.NaN;
    this.reported.push({ at: givenAt ?? this.now, remaining });
  }

  #counter(isolate: number) {
    return {
      hit: (_client: string, id: string, quotas: Quotas, want?: ReservationRequest) =>
        this.#call(isolate, () => this.#hit(id, quotas, want)),
      end: (ended: SpentBlock[]) => this.#call(isolate, () => this.#end(ended)),
    } as never;
  }

  #hit(id: string, quotas: Quotas, want?: ReservationRequest): Verdict & { givenAt?: number } {
    this.#noteEnded(want?.ended ?? []);
    const verdict = this.#log.hit(id, quotas, want);
    if (!verdict.allowed) return verdict;
    const { permits = 1 } = verdict;
    const given = this.#given.get(id) ?? { at: this.now, permits, isEndReported: false };
    if (!this.#given.has(id)) {
      this.#given.set(id, given);
      this.counted.push({ at: this.now, route: "auth" in quotas ? "auth" : "data", id });
      if (permits > 1) this.blocks.push(this.now);
    }
    return { ...verdict, givenAt: given.at };
  }

  #end(ended: SpentBlock[]): void {
    this.#noteEnded(ended);
    this.#log.end(ended);
  }

  #noteEnded(ended: SpentBlock[]): void {
    for (const { id, spent } of ended) {
      const given = this.#given.get(id);
      if (given === undefined || given.isEndReported) continue;
      given.isEndReported = true;
      const returned = spent === 0 && this.counted.find((one) => one.id === id);
      if (returned) returned.returnedAt = this.now;
      else if (this.now > given.at + 5000) this.late += given.permits;
    }
  }

  /** A call over the network. Its result is a copy. */
  #call<T>(isolate: number, work: () => T): Promise<T> {
    const life = this.#lives[isolate];
    const fate = this.#fates[this.calls % this.#fates.length] as Fate;
    this.calls += 1;
    return new Promise<T>((resolve, reject) => {
      const answer = (how: () => void) =>
        this.#after(fate.back, isolate, () => {
          if (this.#lives[isolate] === life) how();
        });
      this.#after(fate.there, ISOLATES, () => {
        if (fate.lost === "there") return answer(() => reject(new Error("lost on its way there")));
        let outcome: () => void;
        try {
          const result = structuredClone(work());
          outcome = () => resolve(result);
        } catch (error) {
          outcome = () => reject(error);
        }
        return answer(fate.lost === "back" ? () => reject(new Error("reply lost")) : outcome);
      });
    });
  }
}

/** The longest round trip of a call that is neither lost nor late. */
const TRIP_MS = 600;

/** Counts the requests after `from` and up to `until`. */
const inWindow = (all: Counted[], from: number, until: number, route?: Route): number =>
  all.filter(
    ({ at, route: its, returnedAt = Number.POSITIVE_INFINITY }) =>
      at > from && at <= until && returnedAt > until - TRIP_MS && (!route || its === route),
  ).length;

/** The counted requests that can explain a refusal at that time. */
const countedBefore = (counted: Counted[], at: number, route: Route) => {
  const from = at - WINDOW_MS - 5000 - TRIP_MS;
  const auth = inWindow(counted, from, at, "auth");
  return { all: inWindow(counted, from, at), isByAuth: route !== "data" && auth >= AUTH.auth };
};

let world: World;
const real = { setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, now: Date.now };
beforeEach(() => {
  Object.assign(globalThis, {
    setTimeout: (run: () => unknown, ms: number) => world.setTimeout(run, ms),
    clearTimeout: (id: number) => world.clearTimeout(id),
  });
  Date.now = () => world.clock();
});
afterEach(() => {
  Object.assign(globalThis, { setTimeout: real.setTimeout, clearTimeout: real.clearTimeout });
  Date.now = real.now;
});

const gaps = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 300 }) },
  { weight: 3, arbitrary: fc.integer({ min: 300, max: 7000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 7000, max: 300_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 890_000, max: 906_000 }) },
);
const isolate = fc.integer({ min: 0, max: ISOLATES - 1 });
const anyRoute = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Route>("data") },
  { weight: 1, arbitrary: fc.constantFrom<Route>("auth", "returned") },
);
const ask = (who: fc.Arbitrary<number>, route: fc.Arbitrary<Route> = anyRoute) =>
  fc.record({
    do: fc.constant("ask" as const),
    isolate: who,
    route,
    times: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 3 }) },
      fc.integer({ min: 4, max: 40 }),
    ),
  });
const kill = fc.oneof(
  fc.record({ do: fc.constant("kill isolate" as const), isolate }),
  fc.record({ do: fc.constant("kill object" as const) }),
);
const jump = (forward: number) =>
  fc.record({
    do: fc.constant("jump" as const),
    clock: fc.integer({ min: 0, max: ISOLATES }),
    ms: fc.oneof(fc.integer({ min: -5000, max: -1 }), fc.integer({ min: -4_000_000, max: forward })),
  });
const reliableCall = fc.record({
  there: fc.integer({ min: 0, max: 300 }),
  back: fc.integer({ min: 0, max: 300 }),
  lost: fc.constant("never" as const),
});
const faultyCall = fc.record({
  there: fc.integer({ min: 0, max: 4000 }),
  back: fc.integer({ min: 0, max: 4000 }),
  lost: fc.constantFrom("never" as const, "there" as const, "back" as const),
});

const scripts = (step: fc.Arbitrary<Step>, fate: fc.Arbitrary<Fate>) =>
  fc.record({
    steps: fc.array(fc.record({ after: gaps, step }), { minLength: 5, maxLength: 60 }),
    fates: fc.array(fate, { minLength: 1, maxLength: 20 }),
  });

/** A client whose isolate is killed right after it spent permits. It asks another one when those expire. */
const killedAfterSpending = fc
  .record({
    pace: fc.integer({ min: 20, max: 400 }),
    late: fc.integer({ min: 0, max: 3900 }),
    times: fc.integer({ min: 1, max: 16 }),
    rest: fc.integer({ min: 891_000, max: 906_000 }),
  })
  .map(({ pace, late, times, rest }) => {
    const ask = (isolate: number, after: number, times: number) => ({
      after,
      step: { do: "ask", isolate, route: "data", times } as Step,
    });
    return {
      steps: [
        ...Array.from({ length: 6 }, () => ask(0, pace, 2)),
        ask(0, late, times),
        { after: 0, step: { do: "kill isolate", isolate: 0 } as Step },
        ask(1, rest, 40),
      ],
      fates: [{ there: 0, back: 0, lost: "never" as const }],
    };
  });

const play = async (
  { steps, fates }: { steps: { after: number; step: Step }[]; fates: Fate[] },
  afterEach = (_: World) => {},
) => {
  world = new World(fates);
  for (const { after, step } of steps) {
    await world.wait(after);
    await world.step(step);
    afterEach(world);
  }
  await world.wait(10_000);
  return world;
};

/** Asserts that no window has more requests than the quota. */
const expectWithinQuota = ({ passed, forwardJumps }: World) => {
  const window = WINDOW_MS - forwardJumps;
  for (const [route, quota] of [
    [undefined, QUOTAS.data.global],
    ["auth", AUTH.auth],
  ] as const) {
    const moments = passed
      .filter((one) => route === undefined || one.route === route)
      .map(({ at }) => at)
      .sort((a, b) => a - b);
    for (const [i, at] of moments.entries()) {
      const other = moments[i + quota];
      if (other !== undefined) expect(other - at, `${quota + 1} passed`).toBeGreaterThanOrEqual(window);
    }
  }
};

const RUNS = { numRuns: 600 };

describe("the counter and its isolates, against a plain sliding window (E3, E11)", () => {
  it("allow at most the quota in any 900 s, despite kills, lost and late calls and clock jumps (E3)", async () => {
    const step = fc.oneof({ weight: 6, arbitrary: ask(isolate) }, kill, jump(0)) as fc.Arbitrary<Step>;
    let passed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(scripts(step, fc.oneof(reliableCall, faultyCall)), killedAfterSpending),
        async (script) => {
          const after = await play(script);
          passed += after.passed.length;
          expectWithinQuota(after);
        },
      ),
      RUNS,
    );
    expect(passed).toBeGreaterThan(6_000);
  });

  it("shorten a window by at most the forward jump of the counter's clock (E3)", async () => {
    const step = fc.oneof({ weight: 8, arbitrary: ask(isolate) }, kill, jump(200_000)) as fc.Arbitrary<Step>;
    await fc.assert(
      fc.asyncProperty(scripts(step, fc.oneof(reliableCall, faultyCall)), async (script) =>
        expectWithinQuota(await play(script)),
      ),
      { numRuns: 500 },
    );
  });

  it("refuse a client at most 16 permits early, despite kills and lost calls (E11)", async () => {
    const step = fc.oneof({ weight: 6, arbitrary: ask(isolate) }, kill) as fc.Arbitrary<Step>;
    let early = 0;
    await fc.assert(
      fc.asyncProperty(
        scripts(step, fc.oneof({ weight: 3, arbitrary: reliableCall }, faultyCall)),
        async (script) => {
          const { refused, counted, late } = await play(script);
          // An isolate that was refused before another one gave a permit back keeps the refusal.
          const granted = counted.map(({ at, route }) => ({ at, route }));
          for (const { at, route } of refused) {
            const { all, isByAuth } = countedBefore(granted, at, route);
            if (!isByAuth) expect(all + 16 + late).toBeGreaterThanOrEqual(QUOTAS.data.global);
            early += Number(!isByAuth && all < QUOTAS.data.global);
          }
        },
      ),
      RUNS,
    );
    expect(early).toBeGreaterThan(0);
  });

  it("refuse a client of one isolate early only while a block lives (E11)", async () => {
    await fc.assert(
      fc.asyncProperty(scripts(ask(fc.constant(0)) as fc.Arbitrary<Step>, reliableCall), async (script) => {
        const { refused, counted, blocks, late } = await play(script);
        expect(late).toBe(0);
        for (const { at, route } of refused) {
          const { all, isByAuth } = countedBefore(counted, at, route);
          const isOut = blocks.some((given) => given > at - 5000 - TRIP_MS && given <= at);
          if (!isByAuth && !isOut) expect(all).toBeGreaterThanOrEqual(QUOTAS.data.global);
        }
      }),
      RUNS,
    );
  });

  it("report to a client of one isolate at most what remains, and one less each time (E4)", async () => {
    const data = ask(fc.constant(0), fc.constant("data"));
    await fc.assert(
      fc.asyncProperty(scripts(data as fc.Arbitrary<Step>, reliableCall), async (script) => {
        const { reported, passed } = await play(script);
        for (const [i, { at, remaining }] of reported.entries()) {
          const before = reported[i - 1];
          const used = inWindow(passed.slice(0, i + 1), at - WINDOW_MS, at);
          expect(remaining).toBeLessThanOrEqual(QUOTAS.data.global - used);
          // In the first seconds no permit expires and none is returned.
          if (before && at < 4000) expect(remaining).toBe(before.remaining - 1);
        }
      }),
      RUNS,
    );
  });
});
