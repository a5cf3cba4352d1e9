import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { authorization, get, post, signIn } from "../../support/worker/api.ts";
import { logged } from "../../support/worker/captured-logs.ts";
import { createClient, interceptObjects } from "../../support/worker/client.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** The lines that are logged while `work` runs. */
const linesDuring = async (work: () => Promise<unknown>) => {
  const before = logged.length;
  await work();
  return logged.slice(before).map((line) => JSON.parse(line));
};

/** Prepares requests that succeed with 200, 304 and 204. */
const successfulRequests = async (LOG_SAMPLE_RATE: number) => {
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

it("a failed request is logged at any sample rate (E9)", async () => {
  const limited = createClient({ RATE_LIMIT_GLOBAL: 1, LOG_SAMPLE_RATE: 0 });
  await limited.send("/health");
  const failing: [status: number, ask: (rate: number) => Promise<Response>][] = [
    [400, (rate) => clientWithRate(rate).post("/auth/login", "{")],
    [401, (rate) => clientWithRate(rate).send("/v1/lancamentos")],
    [404, (rate) => clientWithRate(rate).send("/nothing")],
    [405, (rate) => clientWithRate(rate).send("/v1/lancamentos", { method: "PUT" })],
    [413, (rate) => clientWithRate(rate).post("/auth/login", "x".repeat(5000))],
    [414, (rate) => clientWithRate(rate).send(`/health?x=${"x".repeat(9000)}`)],
    [429, () => limited.send("/health")],
    [500, (rate) => createClient({ LOG_SAMPLE_RATE: rate, RATE_LIMIT_AUTH: 0 }).send("/health")],
    [500, () => createClient({ LOG_SAMPLE_RATE: -1 }).send("/health")],
    [503, (rate) => clientWithoutCounter(rate).send("/auth/me")],
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...failing),
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      async ([status, ask], rate, random) => {
        vi.spyOn(Math, "random").mockReturnValue(random);
        const lines = await linesDuring(() => ask(rate));
        expect(lines).toEqual([expect.objectContaining({ status, sample_rate: 1 })]);
      },
    ),
    { numRuns: 100 },
  );
});

const clientWithRate = (LOG_SAMPLE_RATE: number) => createClient({ LOG_SAMPLE_RATE });

const clientWithoutCounter = (LOG_SAMPLE_RATE: number) => {
  const COUNTERS = interceptObjects(env.COUNTERS, () => Promise.reject(new Error("broken")));
  return createClient({ COUNTERS, LOG_SAMPLE_RATE });
};

it.each([
  [0, []],
  [1, [200, 200, 200, 304, 204]],
])("a sample rate of %d logs these statuses of successful requests: %j (E9)", async (rate, statuses) => {
  const lines = await linesDuring(await successfulRequests(rate));
  expect(lines.map(({ status }) => status)).toEqual(statuses);
  expect(lines.every(({ sample_rate }) => sample_rate === rate)).toBe(true);
});

it("a sample rate between 0 and 1 logs that fraction of successful requests, each with the rate (E9)", async () => {
  // Pseudo-random numbers with a fixed seed.
  let seed = 20261122;
  vi.spyOn(Math, "random").mockImplementation(() => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  });
  const { send } = createClient({ LOG_SAMPLE_RATE: 0.25 });
  const lines = await linesDuring(async () => {
    for (let i = 0; i < 400; i += 1) await send("/health");
  });
  expect(lines.every(({ sample_rate }) => sample_rate === 0.25)).toBe(true);
  const requests = lines.reduce((sum, { sample_rate }) => sum + 1 / sample_rate, 0);
  expect(requests).toBeGreaterThan(320);
  expect(requests).toBeLessThan(480);
});

it("a line has the fields of its request, without personal data (E9)", async () => {
  const lines = await linesDuring(async () => {
    await post("/auth/login", { email: "someone@example.com", password: "secret-words" });
    await get("/v1/lancamentos/a%20name?x=private");
    await get("/v1/lancamentos?estabelecimento_id=private&page=0");
  });
  expect(lines).toHaveLength(3);
  for (const line of lines)
    expect(Object.keys(line)).toEqual(expect.arrayContaining(["method", "ms", "request", "route", "status"]));
  expect(JSON.stringify(lines)).not.toMatch(/someone|secret|private|name|Bearer/);
  expect(lines[1]).toMatchObject({ method: "GET", route: "/v1/lancamentos/:id", status: 404, user: 1 });
});
