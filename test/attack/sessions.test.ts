import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, inject, it } from "vitest";
import { hashPassword } from "../../src/access/auth/passwords.ts";
import { clearTallies } from "../../src/access/limits/middleware.ts";
import { authorization, DEMO, sql, type Tokens } from "../support/worker/api.ts";
import { countByStatus, createClient, interceptObjects } from "../support/worker/client.ts";

const { post, send } = createClient();
const LONG = { timeout: 1_200_000 };
const ROUNDS = inject("attackRounds");
/** Rounds of the attacks that take longer. */
const FEWER_ROUNDS = Math.ceil(ROUNDS / 10);

const signIn = async (): Promise<Tokens> => (await post("/auth/login", DEMO)).json();
const refresh = (refresh_token: string, client = post) => client("/auth/refresh", { refresh_token });
const expectStatus = async (status: number, refresh_token: string) =>
  expect((await refresh(refresh_token)).status).toBe(status);

afterEach(() => clearTallies());

describe("POST /auth/refresh under attack (A6)", () => {
  it(
    `gives a new pair to one of 200 parallel requests, and that pair works, ${FEWER_ROUNDS} rounds (A6)`,
    LONG,
    async () => {
      let { refresh_token } = await signIn();
      for (let round = 0; round < FEWER_ROUNDS; round += 1) {
        const responses = await Promise.all(Array.from({ length: 200 }, () => refresh(refresh_token)));
        expect(countByStatus(responses)).toEqual({ 200: 1, 401: 199 });
        const winner = responses.find(({ status }) => status === 200) as Response;
        ({ refresh_token } = await winner.json<Tokens>());
      }
      await expectStatus(200, refresh_token);
    },
  );

  it(
    `leaves no live session after a race with POST /auth/logout, ${ROUNDS} rounds (A6, A8)`,
    LONG,
    async () => {
      let tokens = await signIn();
      for (let round = 0; round < ROUNDS; round += 1) {
        if (round % 10 === 0) tokens = await signIn();
        const session = round % 10 === 0 ? tokens : await signIn();
        const logout = () =>
          post("/auth/logout", { refresh_token: session.refresh_token }, authorization(session));
        // Either request can arrive first.
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
    },
  );

  it(
    `creates one successor of a token if the reply of its rotation is lost, ${FEWER_ROUNDS} rounds (A6)`,
    LONG,
    async () => {
      let rotations = 0;
      const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
        const reply = await call();
        if (method !== "rotate") return reply;
        rotations += 1;
        // Every other reply is lost, so that the second attempt must find its own successor.
        if (rotations % 2 === 1) throw new Error("reply lost");
        return reply;
      });
      const unlucky = createClient({ SESSIONS });
      let { refresh_token } = await signIn();
      for (let round = 0; round < FEWER_ROUNDS; round += 1) {
        const response = await refresh(refresh_token, unlucky.post);
        expect(response.status).toBe(200);
        const next = await response.json<Tokens>();
        // From the same address, like a retry of the client.
        expect((await refresh(refresh_token, unlucky.post)).status).toBe(401);
        ({ refresh_token } = next);
      }
      await expectStatus(200, refresh_token);
      expect(rotations).toBe(2 * FEWER_ROUNDS);
    },
  );

  it(
    "returns 503 if every reply of a rotation is lost, and the spent token stays spent (A6)",
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
});

describe("a flood of sign-ins", () => {
  // On a busy machine, the hashes of twenty would use up the deadline of the reads.
  const GUESSES = 10;

  beforeAll(async () => {
    await sql`insert into users (email, name, password_hash) values ('flooded@example.com', 'Flooded', ${hashPassword("flooded-password")})`;
  });

  it(
    "to one account gets 401 or 503, and the owner's other requests are served meanwhile",
    LONG,
    async () => {
      const credentials = { email: "flooded@example.com", password: "flooded-password" };
      const owner = await (await post("/auth/login", credentials)).json<Tokens>();
      const flood = Array.from({ length: GUESSES }, () =>
        createClient().post("/auth/login", { ...credentials, password: "a-guess" }),
      );
      const reads = Array.from({ length: 20 }, () =>
        send("/v1/lancamentos?per_page=1", { headers: authorization(owner) }),
      );
      expect(countByStatus(await Promise.all(reads))).toEqual({ 200: 20 });
      const answers = countByStatus(await Promise.all(flood));
      // Each guess is handled in turn, or its request reaches its deadline.
      expect((answers[401] ?? 0) + (answers[503] ?? 0)).toBe(GUESSES);
    },
  );
});
