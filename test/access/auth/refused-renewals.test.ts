import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clearTallies } from "../../../src/access/limits/middleware.ts";
import {
  addUser,
  authorization,
  breakDatabase,
  expectError,
  mendDatabase,
  sql,
  statements,
  type Tokens,
  warehouseAt,
} from "../../support/worker/api.ts";
import {
  countByStatus,
  createLimitedClient as createClient,
  inParallel,
  newAddress,
  remainingIn,
} from "../../support/worker/client.ts";

/** A new user for each test. */
const PERSON = { email: "refused@example.com", password: "a-password" };
beforeEach(() => addUser(PERSON));
afterEach(clearTallies);

type Client = ReturnType<typeof createClient>;

describe("a refused renewal", () => {
  // KV caches a missing key for up to a minute, so the object must refuse without the hint.
  const HINTS = new Proxy(env.HINTS, {
    get: (hints, name) => (name === "get" ? async () => null : Reflect.get(hints, name).bind(hints)),
  });
  const openSession = async ({ post } = createClient()) => {
    return (await post("/auth/login", PERSON)).json<Tokens>();
  };
  const renew = (client: ReturnType<typeof createClient>, { refresh_token }: Tokens, headers = {}) =>
    client.post("/auth/refresh", { refresh_token }, headers);

  it("also counts for its address, and stays a 401 when that quota is used up (E3)", async () => {
    const sessions = await Promise.all([openSession(), openSession()]);
    const client = createClient({ RATE_LIMIT_AUTH: 5 });
    for (const tokens of sessions) expect((await renew(client, tokens)).status).toBe(200);
    expect(remainingIn(await client.send("/nothing"))).toBe(499);
    // Each session has four of its five permits left, and the address has five.
    for (const tokens of [...sessions, ...sessions, ...sessions])
      await expectError(await renew(client, tokens), 401, "Unauthorized", /already used/);
    expect(remainingIn(await client.send("/nothing"))).toBe(498 - 5);
    expect((await client.post("/auth/login", PERSON)).status).toBe(429);
  });

  it("reports the remaining quota of its session, not of its address (E4)", async () => {
    const tokens = await openSession();
    const client = createClient();
    await renew(client, tokens);
    expect(remainingIn(await renew(client, tokens), "auth")).toBe(18);
  });

  it("on a page of another origin counts for the second client (E3)", async () => {
    const tokens = await openSession();
    const client = createClient();
    await renew(client, tokens);
    await renew(client, tokens, { "Sec-Fetch-Site": "cross-site" });
    expect(remainingIn(await client.send("/nothing"))).toBe(499);
    expect(remainingIn(await client.send("/nothing", { headers: { "Sec-Fetch-Site": "cross-site" } }))).toBe(
      498,
    );
  });

  it("with text that is not a token counts once (E3)", async () => {
    const client = createClient();
    expect((await renew(client, { refresh_token: "nonsense" } as Tokens)).status).toBe(401);
    expect(remainingIn(await client.send("/nothing"))).toBe(498);
  });

  const { DATABASE_URL, host } = warehouseAt("renewals.test");
  const statementsOf = async (work: () => Promise<void>) => {
    await breakDatabase({ kind: "none", host });
    await work();
    const sent = await statements();
    await mendDatabase();
    return sent;
  };

  it.each([
    [
      "spent a moment ago from the same address",
      async (client: Client, t: Tokens) => void (await renew(client, t)),
    ],
    [
      "spent and presented again from another address",
      async (client: Client, t: Tokens) => {
        await renew(client, t);
        await renew(createClient({ HINTS }, newAddress()), t);
      },
    ],
    [
      "of a session that was signed out",
      async (client: Client, t: Tokens) =>
        void (await client.post("/auth/logout", { refresh_token: t.refresh_token }, authorization(t))),
    ],
    [
      "of a disabled user, after its first 401",
      async (client: Client, t: Tokens) => {
        await sql`update users set ativo = false where email = ${PERSON.email}`;
        expect((await renew(client, t)).status).toBe(401);
      },
    ],
    [
      "of a removed user, after its first 401",
      async (client: Client, t: Tokens) => {
        await sql`delete from users where email = ${PERSON.email}`;
        expect((await renew(client, t)).status).toBe(401);
      },
    ],
    [
      "of a session that a new password ended, after its first 401",
      async (client: Client, t: Tokens) => {
        await sql`update users set session_number = session_number + 1 where email = ${PERSON.email}`;
        expect((await renew(client, t)).status).toBe(401);
      },
    ],
  ])("with a token %s sends no statement, even without a hint in KV (A6, E3)", async (_, spend) => {
    const client = createClient({ HINTS, DATABASE_URL });
    let tokens = {} as Tokens;
    const signIn = async () => {
      tokens = await openSession(client);
    };
    expect(await statementsOf(signIn)).not.toEqual([]);
    await spend(client, tokens);
    const sent = await statementsOf(async () => {
      const answers = await inParallel(10, () => renew(client, tokens));
      expect(countByStatus(answers)).toEqual({ 401: 10 });
    });
    expect(sent).toEqual([]);
  });
});
