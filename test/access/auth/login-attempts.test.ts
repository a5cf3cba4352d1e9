import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { hashPassword } from "../../../src/access/auth/passwords.ts";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import { cheapHash } from "../../support/cheap-hash.ts";
import { addUser, expectError } from "../../support/worker/api.ts";
import {
  countByStatus,
  createLimitedClient as createClient,
  inFives,
  newAddress,
} from "../../support/worker/client.ts";
import { stopClock, wait } from "../../support/worker/clock.ts";

afterEach(() => {
  vi.useRealTimers();
  clearTallies();
});

describe("failed sign-ins (E5)", () => {
  beforeAll(() => addUser({ email: "known.target@example.com", password: "target-password" }));

  const guess = (email: string) => createClient().post("/auth/login", { email, password: "wrong-password" });

  const lockOut = async (email: string) => {
    const responses = await inFives(60, () => guess(email));
    expect(countByStatus(responses)).toEqual({ 401: 50, 429: 10 });
    const refused = await guess(email);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(800);
    await expectError(refused, 429, "Too Many Requests", /Too many failed sign-ins with this e-mail/);
  };

  it.each(["known.target@example.com"])(
    "on the known e-mail %s get 429 after the 50th, from every address (E5)",
    lockOut,
  );

  // An unknown e-mail costs a full password hash per attempt.
  it.each(["unknown.target@example.com"])(
    "on the unknown e-mail %s get 429 after the 50th, from every address (E5)",
    { tags: ["slow"] },
    lockOut,
  );

  it("from other addresses block a new address of the owner, but not a known one (E5)", async () => {
    const account = { email: "owner@example.com", password: "owner-password" };
    await addUser(account);
    const home = createClient();
    expect((await home.post("/auth/login", account)).status).toBe(200);
    expect(countByStatus(await inFives(50, () => guess(account.email)))).toEqual({ 401: 50 });
    expect((await guess(account.email)).status).toBe(429);
    expect((await createClient().post("/auth/login", account)).status).toBe(429);
    expect((await home.post("/auth/login", account)).status).toBe(200);
    // Failures at the known address have their own count.
    expect((await home.post("/auth/login", { ...account, password: "a mistake" })).status).toBe(401);
    expect((await home.post("/auth/login", account)).status).toBe(200);
  });

  describe("at an address with its own count (E5)", () => {
    const HASH = cheapHash("right");
    const DAY = 86_400_000;
    const newAccount = () => {
      const attempts = env.LOGINS.getByName(`test:${newAddress()}`);
      const check = async (password: string, address: string) =>
        (await attempts.check({ id: crypto.randomUUID(), password, hash: HASH, isEnabled: true, address }))
          .is;
      const exhaust = async (address: string) => {
        for (let i = 0; i < 50; i += 1) expect(await check("wrong", address)).toBe("wrong");
        expect(await check("right", address)).toBe("throttled");
      };
      return { attempts, check, exhaust };
    };

    it("get 429 after the 50th there (E5)", async () => {
      const { check, exhaust } = newAccount();
      expect(await check("right", "home")).toBe("right");
      expect(await check("right", "office")).toBe("right");
      await exhaust("home");
      expect(await check("right", "office")).toBe("right");
      await exhaust("elsewhere");
      expect(await check("right", "office")).toBe("right");
      expect(await check("right", "anywhere")).toBe("throttled");
    });

    it("have their own count if the address is among the last ten of the account (E5)", async () => {
      const { check, exhaust } = newAccount();
      for (let i = 0; i < 10; i += 1) expect(await check("right", `address ${i}`)).toBe("right");
      // Address 0 signs in again, so address 1 is now the oldest.
      expect(await check("right", "address 0")).toBe("right");
      expect(await check("right", "address 10")).toBe("right");
      await exhaust("elsewhere");
      expect(await check("right", "address 1")).toBe("throttled");
      for (const i of [0, 2, 10]) expect(await check("right", `address ${i}`)).toBe("right");
    });

    it("have their own count for ninety days after the last sign-in (E5)", async () => {
      stopClock();
      const { attempts, check, exhaust } = newAccount();
      const stored = () => runInDurableObject(attempts, (_, { storage }) => [...storage.kv.list()].length);
      expect(await check("right", "home")).toBe("right");
      wait(89 * DAY);
      await exhaust("elsewhere");
      expect(await check("right", "home")).toBe("right");
      wait(900_000);
      await runDurableObjectAlarm(attempts);
      expect(await stored()).toBe(1);
      wait(91 * DAY);
      await exhaust("elsewhere");
      expect(await check("right", "home")).toBe("throttled");
      wait(900_000);
      await runDurableObjectAlarm(attempts);
      expect(await stored()).toBe(0);
    });
  });

  it("count once per call, and do not include correct passwords (E5)", async () => {
    const attempts = env.LOGINS.getByName("test attempts");
    const attempt = { hash: hashPassword("right"), address: "home" };
    const check = async (id: string, password: string, isEnabled = true) =>
      (await attempts.check({ ...attempt, id, password, isEnabled })).is;
    for (let i = 0; i < 3; i += 1) expect(await check(crypto.randomUUID(), "right")).toBe("right");
    for (let i = 0; i < 3; i += 1) expect(await check("same", "wrong")).toBe("wrong");
    expect(await check(crypto.randomUUID(), "right", false)).toBe("wrong");
    const failures = await runInDurableObject(
      attempts,
      (_, { storage }) => [...storage.kv.list({ prefix: "hit:" })].length,
    );
    expect(failures).toBe(2);
  });
});
