import { env } from "cloudflare:workers";
import { expect, inject, it } from "vitest";
import { DEMO, sql, type Tokens } from "../support/api.ts";
import { cheapHash, createClient, interceptObjects } from "../support/client.ts";

const ROUNDS = inject("attackRounds");
const PERSON = { email: "attacked@example.com", password: "attacked-password" };
const ROW = 80_001;

const { post } = createClient();
const refresh = (refresh_token: string) => post("/auth/refresh", { refresh_token });
const signIn = async (credentials = PERSON, client = post): Promise<Tokens> => {
  const response = await client("/auth/login", credentials);
  expect(response.status).toBe(200);
  return response.json();
};
const renewed = async ({ refresh_token }: Tokens): Promise<Tokens> => {
  const response = await refresh(refresh_token);
  expect(response.status).toBe(200);
  return response.json();
};

/** Empties the table of the user and fills it again: the same id and e-mail, and somebody else. */
const restore = () =>
  sql.transaction([
    sql`delete from users where id = ${ROW}`,
    sql`insert into users (id, email, name, password_hash) values (${ROW}, ${PERSON.email}, 'Attacked', ${cheapHash(PERSON.password)})`,
  ]);

/** What ends every session begun before. The password is the same each time, so that any sign-in passes. */
const CHANGES = [
  () => sql`update users set password_hash = ${cheapHash(PERSON.password)} where id = ${ROW}`,
  restore,
  () => sql`update users set session_number = session_number + 1 where id = ${ROW}`,
  () =>
    sql.transaction([
      sql`update users set ativo = false where id = ${ROW}`,
      sql`update users set ativo = true where id = ${ROW}`,
    ]),
];

/** A sign-in that has read the account and opens its session only once the change is there. */
const signInAcross = async (change: Promise<unknown>, hasRead: () => void): Promise<Tokens> => {
  const SESSIONS = interceptObjects(env.SESSIONS, async (call, method) => {
    if (method === "open") {
      hasRead();
      await change;
    }
    return call();
  });
  return signIn(PERSON, createClient({ SESSIONS }).post);
};

it(`${ROUNDS} rounds of refresh beside changed passwords and restores: none from before lives, none from after dies (A9)`, {
  timeout: 1_800_000,
}, async () => {
  await restore();
  let [before, waiting] = [await signIn(), await signIn()];
  let bystander = await signIn(DEMO);
  for (let round = 0; round < ROUNDS; round += 1) {
    const change = CHANGES[round % CHANGES.length] as () => Promise<unknown>;
    let hasRead = () => {};
    const read = new Promise<void>((resolve) => {
      hasRead = resolve;
    });
    const changed = read.then(change);
    const across = signInAcross(changed, hasRead);
    await read;
    // Renewals a little ahead of the change, beside it and a little behind it.
    const renewals = [refresh(before.refresh_token), renewed(bystander)] as const;
    await changed;
    const [renewal, next] = await Promise.all(renewals);
    bystander = next;
    // A spent token would end its family by itself.
    const dead = [renewal.status === 200 ? await renewal.json<Tokens>() : before, waiting, await across];
    const [first, second] = await Promise.all([signIn(), signIn()]);
    const refusals = await Promise.all(dead.map(({ refresh_token }) => refresh(refresh_token)));
    expect(refusals.map(({ status }) => status)).toEqual(dead.map(() => 401));
    before = await renewed(await renewed(first));
    waiting = await renewed(second);
  }
});
