import { userInfo } from "node:os";
import type pg from "pg";

/** The user who runs this command. A container may have no entry for it. */
const osUser = (): string => {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? "unknown"}`;
  }
};

/**
 * Records a change of a user, of rights or of an agent token (A15). Call it in the transaction of the change, while the
 * user exists.
 * @param email in lower case
 */
export const recordChange = async (
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
