import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { authorization, get, signIn } from "../support/api.ts";
import { logged } from "../support/captured-logs.ts";
import { createClient, interceptObjects } from "../support/client.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** What is logged while something is done, line by line. */
const linesOf = async (work: () => Promise<unknown>) => {
  const before = logged.length;
  await work();
  return logged.slice(before).map((line) => JSON.parse(line));
};

/** Clients whose requests succeed in every way there is. */
const succeed = async (LOG_SAMPLE_RATE: number) => {
  const { send } = createClient({ LOG_SAMPLE_RATE });
  const headers = authorization(await signIn());
  const path = "/v1/lancamentos?per_page=1";
  const full = await get(path);
  const tag = full.headers.get("ETag") ?? "";
  return async () => {
    const answers = [
      await send("/health"),
      await send(path, { headers }),
      await send(path, { method: "HEAD", headers }),
      await send(path, { headers: { ...headers, "If-None-Match": tag } }),
      await send(path, { method: "OPTIONS", headers: { Origin: "https://dashboard.example" } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 304, 204]);
  };
};

it("a failure has its line whatever the sample rate is (E9)", async () => {
  const limited = createClient({ RATE_LIMIT_GLOBAL: 1, LOG_SAMPLE_RATE: 0 });
  await limited.send("/health");
  const failing: [status: number, ask: (rate: number) => Promise<Response>][] = [
    [400, (rate) => sampling(rate).post("/auth/login", "{")],
    [401, (rate) => sampling(rate).send("/v1/lancamentos")],
    [404, (rate) => sampling(rate).send("/nothing")],
    [405, (rate) => sampling(rate).send("/v1/lancamentos", { method: "PUT" })],
    [413, (rate) => sampling(rate).post("/auth/login", "x".repeat(5000))],
    [414, (rate) => sampling(rate).send(`/health?x=${"x".repeat(9000)}`)],
    [429, () => limited.send("/health")],
    [500, (rate) => createClient({ LOG_SAMPLE_RATE: rate, RATE_LIMIT_AUTH: 0 }).send("/health")],
    [500, () => createClient({ LOG_SAMPLE_RATE: -1 }).send("/health")],
    [503, (rate) => uncounted(rate).send("/auth/me")],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...failing),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      async ([status, ask], rate, random) => {
        vi.spyOn(Math, "random").mockReturnValue(random);
        const lines = await linesOf(() => ask(rate));
        expect(lines).toEqual([expect.objectContaining({ status, sample_rate: 1 })]);
      },
    ),
    { numRuns: 100 },
  );
});

const sampling = (LOG_SAMPLE_RATE: number) => createClient({ LOG_SAMPLE_RATE });

const uncounted = (LOG_SAMPLE_RATE: number) => {
  const COUNTERS = interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken")));
  return createClient({ COUNTERS, LOG_SAMPLE_RATE });
};

it.each([
  [0, []],
  [1, [200, 200, 200, 304, 204]],
])("with a sample rate of %d, of what succeeds is logged: %j (E9)", async (rate, statuses) => {
  const lines = await linesOf(await succeed(rate));
  expect(lines.map(({ status }) => status)).toEqual(statuses);
  expect(lines.every(({ sample_rate }) => sample_rate === rate)).toBe(true);
});

it("with a sample rate between, that fraction of what succeeds is logged, and each line tells the rate (E9)", async () => {
  // Numbers that look like chance and are always the same ones.
  let seed = 20261122;
  vi.spyOn(Math, "random").mockImplementation(() => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  });
  const { send } = createClient({ LOG_SAMPLE_RATE: 0.25 });
  const lines = await linesOf(async () => {
    for (let i = 0; i < 400; i += 1) await send("/health");
  });
  expect(lines.every(({ sample_rate }) => sample_rate === 0.25)).toBe(true);
  const requests = lines.reduce((sum, { sample_rate }) => sum + 1 / sample_rate, 0);
  expect(requests).toBeGreaterThan(320);
  expect(requests).toBeLessThan(480);
});
