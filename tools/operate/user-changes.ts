import type pg from "pg";
import { hashPassword } from "../../src/access/auth/passwords.ts";
import { Credentials } from "../../src/access/auth/schemas.ts";
import { UsageError } from "../arguments.ts";
import { recordUserChange } from "../changes.ts";
import { inTransaction } from "../warehouse/databases.ts";
import { quoted } from "./agent-tokens.ts";
import { describeRights, limitUser, type NamedRights, type RightsRow } from "./rights.ts";

const isKnownEmail = (error: unknown) =>
  (error as { constraint?: string }).constraint === "users_email_unique";

/** Adds a user. The e-mail is stored in lower case. @throws if a user with this e-mail exists */
export const addUser = async (
  db: pg.Client,
  user: { email: string; name: string; password: string },
  { units = null, personalData = true, payments = true }: NamedRights = {},
): Promise<void> => {
  try {
    await db.query(
      "insert into users (email, name, password_hash, units, personal_data, payments) values ($1, $2, $3, $4, $5, $6)",
      [user.email, user.name, hashPassword(user.password), units, personalData, payments],
    );
  } catch (error) {
    if (!isKnownEmail(error)) throw error;
    throw new Error("A user with this e-mail already exists.", { cause: error });
  }
};

/** Validates an e-mail as the login does, and converts it to lower case. */
export const readEmail = (value: string | undefined): string => {
  const email = value?.toLowerCase() ?? "";
  if (!Credentials.shape.email.safeParse(email).success)
    throw new UsageError(`${quoted(value ?? "")} is not an e-mail address.`);
  return email;
};

/** A statement on one user, whose e-mail is $1. */
interface Change {
  /** As it is recorded (A15): the name of the command. */
  name: string;
  sql: string;
  values?: string[];
}

/** Changes one user and records it. @throws UsageError if no such user exists */
export const changeOne = async (
  db: pg.Client,
  address: string | undefined,
  { name, sql, values = [] }: Change,
): Promise<string> => {
  const email = readEmail(address);
  await inTransaction(db, async () => {
    await recordUserChange(db, email, name);
    const { rowCount } = await db.query(sql, [email, ...values]);
    if (rowCount === 0) throw new UsageError(`There is no user ${email}.`);
  });
  return email;
};

/** Sets the rights that are named and records it. @throws UsageError if no such user exists */
export const changeRights = (db: pg.Client, email: string, named: NamedRights): Promise<RightsRow> =>
  inTransaction(db, async () => {
    const rights = await limitUser(db, email, named);
    if (rights === undefined) throw new UsageError(`There is no user ${email}.`);
    await recordUserChange(db, email, `limit: ${describeRights(rights)}`);
    return rights;
  });
