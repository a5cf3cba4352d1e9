// @module-tag server
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";
import { cheapHash } from "../../support/cheap-hash.ts";
import { authorization, post, send, signIn, sql, type Tokens } from "../../support/worker/api.ts";
import { createClient, interceptObjects } from "../../support/worker/client.ts";

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

beforeEach(() => recreateUser());

describe("a user's sessions (A9)", () => {
  it("end even if the sign-in reads the account before a new password and opens the session after it (A9)", async () => {
    const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
      if (method === "open")
        await sql`update users set password_hash = ${cheapHash(PERSON.password)} where id = ${ROW}`;
      return call();
    });
    const login = await createClient({ SESSIONS }).post("/auth/login", PERSON);
    await expectEnded((await login.json<Tokens>()).refresh_token);
  });

  it("survive a change of the user's name, which appears in the next access token (A9)", async () => {
    const { refresh_token } = await signIn(PERSON);
    await sql`update users set name = 'Somebody Else', updated_at = now() where id = ${ROW}`;
    const me = await send("/auth/me", { headers: authorization(await renew(refresh_token)) });
    expect(await me.json()).toMatchObject({ name: "Somebody Else" });
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
