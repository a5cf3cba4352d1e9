import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import { addUser, authorization, expectError, type Tokens } from "../../support/worker/api.ts";
import {
  countByStatus,
  createLimitedClient as createClient,
  inParallel,
  remainingIn,
} from "../../support/worker/client.ts";
import { advanceClockUntilDone, startFakeClock } from "../../support/worker/clock.ts";

/** A new user for each test. */
const PERSON = { email: "charged@example.com", password: "a-password" };
beforeEach(() => addUser(PERSON));
afterEach(() => {
  vi.useRealTimers();
  clearTallies();
});

describe("a request that is refused before its sender is known", () => {
  const long = `/health?${"x".repeat(8200)}`;
  const large = { method: "POST", body: "x".repeat(5000) };

  it.each([
    ["414", 414, (send: Send) => send(long)],
    ["413", 413, (send: Send) => send("/auth/refresh", large)],
    ["413 outside /auth", 413, (send: Send) => send("/health", large)],
    ["413 for a stream", 413, (send: Send) => send("/health", { method: "POST", body: streamOf(5000) })],
  ] as const)(
    "with %s counts for its address, and gets 429 when that quota is used up (E3)",
    async (_, status, ask) => {
      const { send } = createClient({ RATE_LIMIT_GLOBAL: 20 });
      const answers = await inParallel(30, () => ask(send));
      expect(countByStatus(answers)).toEqual({ [status]: 20, 429: 10 });
      const [first] = answers;
      expect(first?.headers.get("RateLimit-Policy")).toContain('"global";q=20;w=900');
      const last = await ask(send);
      await expectError(last, 429, "Too Many Requests", /Wait \d+ seconds/);
      expect(last.headers.get("Retry-After")).toMatch(/^\d+$/);
      expect((await send("/health")).status).toBe(429);
    },
  );

  it("with 400 for a body that breaks off counts for its address (E3)", async () => {
    const { send } = createClient();
    const broken = new ReadableStream({ pull: (it) => it.error(new Error("connection lost")) });
    const answer = await send("/auth/login", { method: "POST", body: broken });
    await expectError(answer, 400, "Bad Request", /^The body is incomplete/);
    expect(remainingIn(await send("/nothing"))).toBe(498);
  });

  it("counts in both limits under /auth (E3)", async () => {
    const { send } = createClient();
    const answers = await inParallel(25, () => send("/auth/login", large));
    expect(countByStatus(answers)).toEqual({ 413: 20, 429: 5 });
    expect(remainingIn(await send("/nothing"))).toBe(479);
  });

  it("counts once, for its user, if it is a message to /mcp that is too large (E3, M5)", async () => {
    const { send, post } = createClient();
    const tokens = await (await post("/auth/login", PERSON)).json<Tokens>();
    const body = "x".repeat(70_000);
    const headers = { ...authorization(tokens), "Content-Type": "application/json" };
    const before = remainingIn(await send("/auth/me", { headers: authorization(tokens) }));
    expect((await send("/mcp", { method: "POST", headers, body })).status).toBe(413);
    expect(remainingIn(await send("/auth/me", { headers: authorization(tokens) }))).toBe(before - 2);
    expect(remainingIn(await send("/nothing"))).toBe(498);
  });
});

describe("a request whose body does not end", () => {
  const endless = () => new ReadableStream<Uint8Array>({ start: (it) => it.enqueue(new Uint8Array([123])) });
  const json = { "Content-Type": "application/json" };

  it("gets 408 within its deadline and counts for its address (E2, E3)", async () => {
    const { send, post } = createClient();
    const tokens = await (await post("/auth/login", PERSON)).json<Tokens>();
    const stalled = ["/auth/login", "/auth/refresh", "/auth/logout", "/health", "/nowhere"];
    startFakeClock();
    const answers = await advanceClockUntilDone(
      Promise.all(
        stalled.map((path) =>
          send(path, { method: "POST", headers: { ...json, ...authorization(tokens) }, body: endless() }),
        ),
      ),
    );
    for (const answer of answers) await expectError(answer, 408, "Request Timeout", /Send the request again/);
    // One sign-in and five stalled requests, three of which also count under /auth.
    const next = await post("/auth/login", PERSON);
    expect([remainingIn(next), remainingIn(next, "auth")]).toEqual([493, 15]);
    const message = { method: "POST", headers: { ...json, ...authorization(tokens) }, body: endless() };
    const before = remainingIn(await send("/auth/me", { headers: authorization(tokens) }));
    await expectError(
      await advanceClockUntilDone(send("/mcp", message)),
      408,
      "Request Timeout",
      /Send the request again/,
    );
    expect(remainingIn(await send("/auth/me", { headers: authorization(tokens) }))).toBe(before - 2);
  });
});

type Client = ReturnType<typeof createClient>;
type Send = Client["send"];
const streamOf = (bytes: number) =>
  new ReadableStream<Uint8Array>({
    start: (it) => {
      for (let i = 0; i < bytes; i += 1000) it.enqueue(new Uint8Array(1000));
      it.close();
    },
  });
