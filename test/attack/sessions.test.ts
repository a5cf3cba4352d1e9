import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { hashPassword } from "../../src/auth/passwords.ts";
import { forget } from "../../src/limits/middleware.ts";
import { authorization, breakDatabase, DEMO, mendDatabase, sql, type Tokens } from "../support/api.ts";
import { createClient, interceptObjects, tally } from "../support/client.ts";

const { post, send } = createClient();
const LONG = { timeout: 1_200_000 };
const ROUNDS = inject("attackRounds");
/** Rounds of the attacks that take longer. */
const FEWER_ROUNDS = Math.ceil(ROUNDS / 10);

const signIn = async (): Promise<Tokens> => (await post("/auth/login", DEMO)).json();
const refresh = (refresh_token: string, client = post) => client("/auth/refresh", { refresh_token });
const expectStatus = async (status: number, refresh_token: string) =>
  expect((await refresh(refresh_token)).status).toBe(status);

afterEach(async () => {
  await mendDatabase();
  forget();
});

describe("refresh tokens under attack (A6)", () => {
  it(
    `answers one of 200 parallel refreshes of a token with 200, ${FEWER_ROUNDS} rounds, and the winner goes on working`,
    LONG,
    async () => {
      let { refresh_token } = await signIn();
      for (let round = 0; round < FEWER_ROUNDS; round += 1) {
        const responses = await Promise.all(Array.from({ length: 200 }, () => refresh(refresh_token)));
        expect(tally(responses)).toEqual({ 200: 1, 401: 199 });
        const winner = responses.find(({ status }) => status === 200) as Response;
        ({ refresh_token } = await winner.json<Tokens>());
      }
      await expectStatus(200, refresh_token);
    },
  );

  it(
    `ends the family when a token two generations old is presented, ${FEWER_ROUNDS} rounds`,
    LONG,
    async () => {
      for (let round = 0; round < FEWER_ROUNDS; round += 1) {
        const first = await signIn();
        const second = await (await refresh(first.refresh_token)).json<Tokens>();
        const third = await (await refresh(second.refresh_token)).json<Tokens>();
        await expectStatus(401, first.refresh_token);
        await expectStatus(401, third.refresh_token);
      }
    },
  );

  it(`leaves no live session when refresh and logout race, ${ROUNDS} rounds`, LONG, async () => {
    let tokens = await signIn();
    for (let round = 0; round < ROUNDS; round += 1) {
      if (round % 10 === 0) tokens = await signIn();
      const session = round % 10 === 0 ? tokens : await signIn();
      const logout = () =>
        post("/auth/logout", { refresh_token: session.refresh_token }, authorization(session));
      // Either may be a little ahead of the other.
      const race =
        round % 2 === 0
          ? [refresh(session.refresh_token), logout()]
          : [logout(), refresh(session.refresh_token)];
      const [one, other] = await Promise.all(race);
      const [renewal, end] = round % 2 === 0 ? [one, other] : [other, one];
      expect(end?.status).toBe(200);
      if (renewal?.status === 200) await expectStatus(401, (await renewal.json<Tokens>()).refresh_token);
      await expectStatus(401, session.refresh_token);
    }
  });

  it(
    `makes no second successor when the reply of a rotation is lost, ${FEWER_ROUNDS} rounds`,
    LONG,
    async () => {
      let rotations = 0;
      const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
        const reply = await call();
        if (method !== "rotate") return reply;
        rotations += 1;
        // The first reply of each two: the second attempt must find its own successor.
        if (rotations % 2 === 1) throw new Error("reply lost");
        return reply;
      });
      const unlucky = createClient({ SESSIONS });
      let { refresh_token } = await signIn();
      for (let round = 0; round < FEWER_ROUNDS; round += 1) {
        const response = await refresh(refresh_token, unlucky.post);
        expect(response.status).toBe(200);
        const next = await response.json<Tokens>();
        // From the same address, as the client itself might try once more.
        expect((await refresh(refresh_token, unlucky.post)).status).toBe(401);
        ({ refresh_token } = next);
      }
      await expectStatus(200, refresh_token);
      expect(rotations).toBe(2 * FEWER_ROUNDS);
    },
  );

  it(
    "answers 503 when every reply of a rotation is lost, and the rotated token opens no second session",
    LONG,
    async () => {
      const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
        const reply = await call();
        if (method === "rotate") throw new Error("reply lost");
        return reply;
      });
      const cut = createClient({ SESSIONS });
      const { refresh_token } = await signIn();
      expect((await refresh(refresh_token, cut.post)).status).toBe(503);
      await expectStatus(401, refresh_token);
    },
  );

  it(
    `keeps every token alive that a lost database answered with 503, ${FEWER_ROUNDS} rounds`,
    LONG,
    async () => {
      let { refresh_token } = await signIn();
      for (let round = 0; round < FEWER_ROUNDS; round += 1) {
        await breakDatabase(round % 2 === 0 ? { kind: "refuse" } : { kind: "status", status: 500 });
        await expectStatus(503, refresh_token);
        await mendDatabase();
        const response = await refresh(refresh_token);
        expect(response.status).toBe(200);
        ({ refresh_token } = await response.json<Tokens>());
      }
    },
  );

  it("the session object failing before its commit: 503, and the token still works", LONG, async () => {
    const SESSIONS = interceptObjects(env.SESSIONS, () => Promise.reject(new Error("reset")));
    const cut = createClient({ SESSIONS });
    const { refresh_token } = await signIn();
    for (let round = 0; round < 50; round += 1)
      expect((await refresh(refresh_token, cut.post)).status).toBe(503);
    await expectStatus(200, refresh_token);
  });
});

describe("a flood of logins", () => {
  beforeAll(async () => {
    await sql`insert into users (email, name, password_hash) values ('flooded@example.com', 'Flooded', ${hashPassword("flooded-password")})`;
  });

  it("on one account is worked off in turn, and the owner's data goes on being served", LONG, async () => {
    const credentials = { email: "flooded@example.com", password: "flooded-password" };
    const owner = await (await post("/auth/login", credentials)).json<Tokens>();
    const flood = Array.from({ length: 20 }, () =>
      createClient().post("/auth/login", { ...credentials, password: "a-guess" }),
    );
    const reads = Array.from({ length: 20 }, () =>
      send("/v1/lancamentos?per_page=1", { headers: authorization(owner) }),
    );
    expect(tally(await Promise.all(reads))).toEqual({ 200: 20 });
    const answers = tally(await Promise.all(flood));
    // Each guess is worked off in its turn, or has waited as long as a request may.
    expect((answers[401] ?? 0) + (answers[503] ?? 0)).toBe(20);
  });
});
