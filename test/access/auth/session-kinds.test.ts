// @module-tag server
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { cheapHash } from "../../support/cheap-hash.ts";
import {
  addUser,
  authorization,
  breakDatabase,
  databaseRequests,
  mendDatabase,
  post,
  signIn,
  sql,
  warehouseAt,
} from "../../support/worker/api.ts";
import { createClient, DEPLOYED_QUOTAS, remainingIn } from "../../support/worker/client.ts";
import { stopClock, wait } from "../../support/worker/clock.ts";
import { createBrowser } from "../../support/worker/kept-session.ts";
import { createOAuth } from "../../support/worker/oauth.ts";
import { KIND_NAMES, renewed, SESSION_KINDS } from "../../support/worker/session-kinds.ts";

const DAY = 86_400_000;
/** A new user for each test. */
const PERSON = { email: "person.of.kinds@example.com", password: "a-person's-password" };
beforeEach(() => addUser(PERSON));
afterEach(async () => {
  vi.useRealTimers();
  await mendDatabase();
});

const ENDS: [what: string, end: () => Promise<unknown>][] = [
  [
    "a new password",
    () => sql`update users set password_hash = ${cheapHash(PERSON.password)} where email = ${PERSON.email}`,
  ],
  [
    "being disabled and enabled again",
    () =>
      sql.transaction([
        sql`update users set ativo = false where email = ${PERSON.email}`,
        sql`update users set ativo = true where email = ${PERSON.email}`,
      ]),
  ],
  [
    "a sign-out by the operator",
    () => sql`update users set session_number = session_number + 1 where email = ${PERSON.email}`,
  ],
  ["being removed and added again", () => addUser(PERSON)],
];

describe.each(KIND_NAMES)("a session of kind %s", (name) => {
  const kind = SESSION_KINDS[name];
  const expectEnded = async (token: string) => expect((await kind.renew(token)).status).toBe(kind.refusal);

  it("is valid for seven days, and ninety days in all (A7, A12, A14)", async () => {
    stopClock();
    const [early, late] = [await kind.open(PERSON), await kind.open(PERSON)];
    wait(7 * DAY - 1000);
    let token = await renewed(kind, early);
    wait(2000);
    await expectEnded(late);
    for (let day = 7; day < 85; day += 6) {
      wait(6 * DAY);
      token = await renewed(kind, token);
    }
    wait(4.9 * DAY);
    token = await renewed(kind, token);
    wait(0.2 * DAY);
    await expectEnded(token);
  });

  it.each(ENDS)("ends for good after %s, and later ones continue (A9)", async (_, end) => {
    const [first, second] = [await kind.open(PERSON), await kind.open(PERSON)];
    const third = await renewed(kind, second);
    await end();
    for (const token of [first, third, third]) await expectEnded(token);
    await renewed(kind, await renewed(kind, await kind.open(PERSON)));
  });

  it("is renewed at the endpoint of its kind, and ends at no other (A12, A14)", async () => {
    const token = await kind.open(PERSON);
    for (const other of KIND_NAMES.filter((one) => one !== name))
      expect((await SESSION_KINDS[other].renew(token)).status).toBe(SESSION_KINDS[other].refusal);
    if (name !== "api") await post("/auth/logout", { refresh_token: token }, authorization(await signIn()));
    if (name !== "browser") await createBrowser().send("logout", token);
    if (name !== "oauth") await createOAuth().form("/oauth/revoke", { token, client_id: "x" });
    await renewed(kind, token);
  });

  it("refuses a token without a statement, and charges its address (A6, E3)", async () => {
    const used = await kind.open(PERSON);
    await renewed(kind, await renewed(kind, used));
    await expectEnded(used);
    const { DATABASE_URL, host } = warehouseAt("kinds.test");
    const client = createClient({ ...DEPLOYED_QUOTAS, DATABASE_URL });
    await breakDatabase({ kind: "refuse", host });
    for (const token of [used, "x", "x".repeat(104)])
      expect((await kind.renew(token, client)).status).toBe(kind.refusal);
    expect(await databaseRequests()).toBe(0);
    expect(remainingIn(await client.send("/nothing"))).toBe(496);
  });
});
