// @module-tag server
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { cheapHash } from "../support/cheap-hash.ts";
import { authorization, post, send, signIn, sql, type Tokens } from "../support/worker/api.ts";
import { createClient, interceptObjects } from "../support/worker/client.ts";

const PERSON = { email: "person@example.com", password: "a-person's-password" };
const HASH = cheapHash(PERSON.password);
const ROW = 70_001;

/** Recreates the user's row, with the same id and a new identity. */
const recreateUser = async (email = PERSON.email) => {
  await sql`delete from users where id = ${ROW}`;
  await sql`insert into users (id, email, name, password_hash)
    values (${ROW}, ${email}, 'Person', ${HASH})`;
};

const refresh = (refresh_token: string) => post("/auth/refresh", { refresh_token });
const renew = async (refresh_token: string): Promise<Tokens> => {
  const response = await refresh(refresh_token);
  expect(response.status).toBe(200);
  return response.json();
};
const expectEnded = async (refresh_token: string) => expect((await refresh(refresh_token)).status).toBe(401);

const CHANGES: [what: string, change: () => Promise<unknown>][] = [
  [
    "a new password",
    () => sql`update users set password_hash = ${cheapHash(PERSON.password)} where id = ${ROW}`,
  ],
  [
    "being disabled and enabled again",
    () =>
      sql.transaction([
        sql`update users set ativo = false where id = ${ROW}`,
        sql`update users set ativo = true where id = ${ROW}`,
      ]),
  ],
  [
    "a sign-out by the operator",
    () => sql`update users set session_number = session_number + 1 where id = ${ROW}`,
  ],
];

beforeEach(() => recreateUser());

describe("a user's sessions (A9)", () => {
  it.each(CHANGES)("end for good after %s, and later sessions continue (A9)", async (_, change) => {
    const [first, second] = [await signIn(PERSON), await signIn(PERSON)];
    const third = await renew(second.refresh_token);
    await change();
    await expectEnded(first.refresh_token);
    await expectEnded(third.refresh_token);
    await expectEnded(third.refresh_token);
    const later = await signIn(PERSON);
    await renew((await renew(later.refresh_token)).refresh_token);
    expect((await send("/auth/me", { headers: authorization(first) })).status).toBe(200);
  });

  it.each(CHANGES)(
    "end after %s, even if the sign-in reads the account before it and opens the session after it (A9)",
    async (_, change) => {
      const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
        if (method === "open") await change();
        return call();
      });
      const login = await createClient({ SESSIONS }).post("/auth/login", PERSON);
      await expectEnded((await login.json<Tokens>()).refresh_token);
    },
  );

  it("survive a change of the user's name, which appears in the next access token (A9)", async () => {
    const { refresh_token } = await signIn(PERSON);
    await sql`update users set name = 'Somebody Else', updated_at = now() where id = ${ROW}`;
    const me = await send("/auth/me", { headers: authorization(await renew(refresh_token)) });
    expect(await me.json()).toMatchObject({ name: "Somebody Else" });
  });

  it("end when the user is removed, and stay ended when the user is added again (A9)", async () => {
    const { refresh_token } = await signIn(PERSON);
    await sql`delete from users where id = ${ROW}`;
    await expectEnded(refresh_token);
    await recreateUser();
    await expectEnded(refresh_token);
  });
});

describe("an old refresh token", () => {
  it("does not act as a new user with the same row id (A4)", async () => {
    const { refresh_token } = await signIn(PERSON);
    await recreateUser("another.person@example.com");
    await expectEnded(refresh_token);
    await renew((await signIn({ ...PERSON, email: "another.person@example.com" })).refresh_token);
  });
});
