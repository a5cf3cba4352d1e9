import { userInfo } from "node:os";
import type pg from "pg";

/** The user who runs this command. A container may have no entry for it. */
export const osUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
};

/**
 * Records what a command did with data of persons or with the records (A15). Call it in the same transaction.
 * @param hashes the keyed hash of each person's id, or undefined if it is not known
 */
export const recordCommand = async (
  db: pg.Client,
  change: string,
  kind: "client" | "professional" = "client",
  hashes: (string | undefined)[] = [undefined],
): Promise<void> => {
  const column = kind === "client" ? "cliente_id" : "record_id";
  await db.query(`insert into acessos (${column}, actor, change) select unnest($1::text[]), $2, $3`, [
    hashes,
    osUser(),
    change,
  ]);
};

/** Records a change of a user, in its transaction and while the user exists (A15). @param email in lower case */
export const recordUserChange = async (
  db: pg.Client,
  email: string,
  change: string,
  token: string | null = null,
): Promise<void> => {
  await db.query(
    `insert into acessos (user_id, email, agent_token_id, actor, change)
     values ((select id from users where email = $1), $1, $2, $3, $4)`,
    [email, token, osUser(), change],
  );
};

/** Records a change of an OAuth client, in its transaction (A14, A15). */
export const recordClientChange = async (db: pg.Client, clientId: string, change: string): Promise<void> => {
  await db.query("insert into acessos (session_client, actor, change) values ($1, $2, $3)", [
    clientId,
    osUser(),
    change,
  ]);
};
