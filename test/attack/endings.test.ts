import { env } from "cloudflare:workers";
import { expect, inject, it } from "vitest";
import { cheapHash } from "../support/cheap-hash.ts";
import { DEMO, sql, type Tokens } from "../support/worker/api.ts";
import { createClient, interceptObjects } from "../support/worker/client.ts";

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
const renew = async ({ refresh_token }: Tokens): Promise<Tokens> => {
  const response = await refresh(refresh_token);
  expect(response.status).toBe(200);
  return response.json();
};

/** Recreates the user's row, with the same id and e-mail and a new identity. */
const recreateUser = () =>
  sql.transaction([
    sql`delete from users where id = ${ROW}`,
    sql`insert into users (id, email, name, password_hash) values (${ROW}, ${PERSON.email}, 'Attacked', ${cheapHash(PERSON.password)})`,
  ]);

/** Changes that end every earlier session. The password stays the same, so that every sign-in succeeds. */
const CHANGES = [
  () => sql`update users set password_hash = ${cheapHash(PERSON.password)} where id = ${ROW}`,
  recreateUser,
  () => sql`update users set session_number = session_number + 1 where id = ${ROW}`,
  () =>
    sql.transaction([
      sql`update users set ativo = false where id = ${ROW}`,
      sql`update users set ativo = true where id = ${ROW}`,
    ]),
];

/** A sign-in that reads the account before the change and opens its session after it. */
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

it(`a change ends earlier sessions of its user and no later one, in ${ROUNDS} rounds of parallel renewals (A9)`, {
  timeout: 1_800_000,
}, async () => {
  await recreateUser();
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
    // Renewals shortly before, during and shortly after the change.
    const renewals = [refresh(before.refresh_token), renew(bystander)] as const;
    await changed;
    const [renewal, next] = await Promise.all(renewals);
    bystander = next;
    // A spent token would end its session by itself, so the renewed one is tested.
    const dead = [renewal.status === 200 ? await renewal.json<Tokens>() : before, waiting, await across];
    const [first, second] = await Promise.all([signIn(), signIn()]);
    const refusals = await Promise.all(dead.map(({ refresh_token }) => refresh(refresh_token)));
    expect(refusals.map(({ status }) => status)).toEqual(dead.map(() => 401));
    before = await renew(await renew(first));
    waiting = await renew(second);
  }
});
