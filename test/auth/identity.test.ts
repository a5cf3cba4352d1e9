import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { hashPassword } from "../../src/auth/passwords.ts";
import { authorization, post, send, signIn, sql, type Tokens } from "../support/api.ts";
import { createClient, interceptObjects } from "../support/client.ts";
import { sessionFromBefore } from "../support/previous-release.ts";

const HOUR = 3_600_000;
const PERSON = { email: "person@example.com", password: "a-person's-password" };
const HASH = hashPassword(PERSON.password);
const ROW = 70_001;

/** The table's row, made anew: the id is the same, the identity is not. */
const fillIn = async (createdAt = new Date().toISOString(), email = PERSON.email) => {
  await sql`delete from users where id = ${ROW}`;
  await sql`insert into users (id, email, name, password_hash, created_at)
    values (${ROW}, ${email}, 'Person', ${HASH}, ${createdAt})`;
};

const refresh = (refresh_token: string) => post("/auth/refresh", { refresh_token });
const renewed = async (refresh_token: string): Promise<Tokens> => {
  const response = await refresh(refresh_token);
  expect(response.status).toBe(200);
  return response.json();
};
const expectEnded = async (refresh_token: string) => expect((await refresh(refresh_token)).status).toBe(401);

const CHANGES: [what: string, change: () => Promise<unknown>][] = [
  [
    "a changed password",
    () => sql`update users set password_hash = ${hashPassword(PERSON.password)} where id = ${ROW}`,
  ],
  [
    "disabled and enabled again",
    () =>
      sql.transaction([
        sql`update users set ativo = false where id = ${ROW}`,
        sql`update users set ativo = true where id = ${ROW}`,
      ]),
  ],
  [
    "signed out by the operator",
    () => sql`update users set session_number = session_number + 1 where id = ${ROW}`,
  ],
];

beforeEach(() => fillIn());

describe("what ends the sessions begun before (A9)", () => {
  it.each(CHANGES)("%s: every earlier one is refused for good, later ones live", async (_, change) => {
    const [first, second] = [await signIn(PERSON), await signIn(PERSON)];
    const third = await renewed(second.refresh_token);
    await change();
    await expectEnded(first.refresh_token);
    await expectEnded(third.refresh_token);
    await expectEnded(third.refresh_token);
    const later = await signIn(PERSON);
    await renewed((await renewed(later.refresh_token)).refresh_token);
    expect((await send("/auth/me", { headers: authorization(first) })).status).toBe(200);
  });

  it.each(CHANGES)(
    "%s: a login that read the account before, and opens its session after, has ended",
    async (_, change) => {
      const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
        if (method === "open") await change();
        return call();
      });
      const login = await createClient({ SESSIONS }).post("/auth/login", PERSON);
      await expectEnded((await login.json<Tokens>()).refresh_token);
    },
  );

  it("nothing else ends them: a new name shows in the next access token", async () => {
    const { refresh_token } = await signIn(PERSON);
    await sql`update users set name = 'Somebody Else', updated_at = now() where id = ${ROW}`;
    const me = await send("/auth/me", { headers: authorization(await renewed(refresh_token)) });
    expect(await me.json()).toMatchObject({ name: "Somebody Else" });
  });

  it("a user who is removed and added again signs in again", async () => {
    const { refresh_token } = await signIn(PERSON);
    await sql`delete from users where id = ${ROW}`;
    await expectEnded(refresh_token);
    await fillIn();
    await expectEnded(refresh_token);
  });
});

describe("a users table emptied and filled again", () => {
  it("an old refresh token does not act as whoever has the id now", async () => {
    const { refresh_token } = await signIn(PERSON);
    await fillIn(undefined, "another.person@example.com");
    await expectEnded(refresh_token);
    await renewed((await signIn({ ...PERSON, email: "another.person@example.com" })).refresh_token);
  });

  it("nor does one of the release before, which names the row alone", async () => {
    const { refresh_token } = await sessionFromBefore(ROW, Date.now() - HOUR);
    await expectEnded(refresh_token);
    await fillIn(new Date(Date.now() - 2 * HOUR).toISOString());
    // It was ended when it was presented, and not only refused.
    await expectEnded(refresh_token);
  });
});

describe("a session of the release before", () => {
  const YESTERDAY = new Date(Date.now() - 24 * HOUR).toISOString();

  it("is adopted at its first renewal, and goes on as any other", async () => {
    await fillIn(YESTERDAY);
    const { refresh_token } = await sessionFromBefore(ROW, Date.now() - HOUR);
    const adopted = await renewed(refresh_token);
    const me = await send("/auth/me", { headers: authorization(adopted) });
    expect(await me.json()).toEqual({ id: ROW, email: PERSON.email, name: "Person" });
    const next = await renewed(adopted.refresh_token);
    // Its new tokens name the identity: who has the row now makes no difference.
    await fillIn(YESTERDAY);
    await expectEnded(next.refresh_token);
  });

  it("lets one of many parallel uses win, and ends when a spent token is used again (A6)", async () => {
    await fillIn(YESTERDAY);
    const { refresh_token } = await sessionFromBefore(ROW, Date.now() - HOUR);
    const responses = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(401)]);
    const winner = await responses.find(({ status }) => status === 200)?.json<Tokens>();
    const next = await renewed(winner?.refresh_token ?? "");
    await expectEnded(refresh_token);
    await expectEnded(next.refresh_token);
  });

  it.each(CHANGES)("%s ends it too (A9)", async (_, change) => {
    await fillIn(YESTERDAY);
    const { refresh_token } = await sessionFromBefore(ROW, Date.now() - HOUR);
    await change();
    await expectEnded(refresh_token);
  });

  it("is signed out by either form of access token (A8)", async () => {
    await fillIn(YESTERDAY);
    const before = await sessionFromBefore(ROW, Date.now() - HOUR);
    const logout = (tokens: Tokens, refresh_token: string) =>
      post("/auth/logout", { refresh_token }, authorization(tokens));
    const adopted = await renewed(before.refresh_token);
    expect((await logout(before as Tokens, adopted.refresh_token)).status).toBe(200);
    await expectEnded(adopted.refresh_token);
    const another = await sessionFromBefore(ROW, Date.now() - HOUR);
    expect((await logout(await signIn(PERSON), another.refresh_token)).status).toBe(200);
    await expectEnded(another.refresh_token);
  });

  it("counts in one window with what is issued now (E3)", async () => {
    await fillIn(YESTERDAY);
    const before = await sessionFromBefore(ROW, Date.now() - HOUR);
    const left = async (tokens: Tokens) =>
      Number(
        /"global";r=(\d+)/.exec(
          (await send("/auth/me", { headers: authorization(tokens) })).headers.get("RateLimit") ?? "",
        )?.[1],
      );
    const first = await left(before as Tokens);
    expect(await left(await signIn(PERSON))).toBe(first - 1);
  });
});
