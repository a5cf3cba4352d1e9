// @module-tag server
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { authorization, post, send, signIn, sql, type Tokens } from "../support/api.ts";
import { cheapHash, createClient, interceptObjects } from "../support/client.ts";

const PERSON = { email: "person@example.com", password: "a-person's-password" };
const HASH = cheapHash(PERSON.password);
const ROW = 70_001;

/** The table's row, made anew: the id is the same, the identity is not. */
const fillIn = async (email = PERSON.email) => {
  await sql`delete from users where id = ${ROW}`;
  await sql`insert into users (id, email, name, password_hash)
    values (${ROW}, ${email}, 'Person', ${HASH})`;
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
    () => sql`update users set password_hash = ${cheapHash(PERSON.password)} where id = ${ROW}`,
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
    "%s: a login that read the account before, and opens its session after, has ended (A9)",
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
  it("an old refresh token does not act as whoever has the id now (A4)", async () => {
    const { refresh_token } = await signIn(PERSON);
    await fillIn("another.person@example.com");
    await expectEnded(refresh_token);
    await renewed((await signIn({ ...PERSON, email: "another.person@example.com" })).refresh_token);
  });
});
