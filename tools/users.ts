import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type pg from "pg";
import { hashPassword, MAX_PASSWORD_BYTES } from "../src/auth/passwords.ts";
import { Credentials } from "../src/auth/schemas.ts";
import { databaseUrl, fail, readArguments } from "./arguments.ts";
import { connected } from "./warehouse/databases.ts";

const USAGE = `Manages who may sign in, on the database that DATABASE_URL names.

  npm run users -- add <e-mail> <name>     asks for the password, or reads it from stdin
  npm run users -- list
  npm run users -- disable <e-mail>        no sign-in and no renewal from now on
  npm run users -- enable <e-mail>         lets a disabled user sign in again
  npm run users -- password <e-mail>       asks for the new password, or reads it from stdin
  npm run users -- sign-out <e-mail>       ends every session; the user may sign in again at once
  npm run users -- remove <e-mail>         deletes the user

disable, enable, password, sign-out and remove end every session begun before: its next renewal is refused. An access
token already issued ends within 15 minutes.`;

const MIN_PASSWORD_CHARACTERS = 8;

/** A refusal of what was typed, told in one line. */
class UsageError extends Error {}

/** Adds a user; the e-mail is kept in lower case. @throws when there is one with this e-mail */
export const addUser = async (
  db: pg.Client,
  user: { email: string; name: string; password: string },
): Promise<void> => {
  await db.query("insert into users (email, name, password_hash) values ($1, $2, $3)", [
    user.email,
    user.name,
    hashPassword(user.password),
  ]);
};

/** What the login takes for an e-mail, in lower case. */
const readEmail = (value: string | undefined): string => {
  const email = value?.toLowerCase() ?? "";
  if (!Credentials.shape.email.safeParse(email).success)
    throw new UsageError(`"${value ?? ""}" is not an e-mail address.`);
  return email;
};

/** From a prompt that echoes nothing, or from stdin when it is not a terminal. */
const readPassword = async (): Promise<string> => {
  const password = process.stdin.isTTY
    ? await askSilently("Password: ")
    : (await text(process.stdin)).replace(/\r?\n$/, "");
  if ([...password].length < MIN_PASSWORD_CHARACTERS) {
    throw new UsageError(`The password needs at least ${MIN_PASSWORD_CHARACTERS} characters.`);
  }
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw new UsageError(`The password may have at most ${MAX_PASSWORD_BYTES} bytes.`);
  }
  return password;
};

const askSilently = async (question: string): Promise<string> => {
  process.stderr.write(question);
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silence, terminal: true });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
};

/** Runs a statement on the user of an e-mail, its first parameter. @throws UsageError when there is none */
const changeOne = async (
  db: pg.Client,
  address: string | undefined,
  sql: string,
  values: string[] = [],
): Promise<string> => {
  const email = readEmail(address);
  const { rowCount } = await db.query(sql, [email, ...values]);
  if (rowCount === 0) throw new UsageError(`There is no user ${email}.`);
  return email;
};

const SESSIONS_END =
  "Sessions begun before cannot be renewed; access tokens already issued end within 15 minutes.";

const COMMANDS: Record<string, (db: pg.Client, args: string[]) => Promise<string>> = {
  add: async (db, [address, name]) => {
    const email = readEmail(address);
    if (!name?.trim()) throw new UsageError("A user needs a name: npm run users -- add <e-mail> <name>");
    await addUser(db, { email, name, password: await readPassword() });
    return `Added ${email}.`;
  },
  list: async (db) => {
    const { rows } = await db.query<{ line: string }>(
      `select concat_ws('  ', id, email, name, case when ativo then 'active' else 'disabled' end) as line
       from users order by email`,
    );
    return rows.length > 0 ? rows.map(({ line }) => line).join("\n") : "There are no users yet.";
  },
  disable: async (db, [address]) => {
    const email = await changeOne(
      db,
      address,
      "update users set ativo = false, updated_at = now() where email = $1",
    );
    return `Disabled ${email}. ${SESSIONS_END}`;
  },
  enable: async (db, [address]) => {
    const email = await changeOne(
      db,
      address,
      "update users set ativo = true, updated_at = now() where email = $1",
    );
    return `Enabled ${email}, who may sign in again.`;
  },
  password: async (db, [address]) => {
    readEmail(address);
    const hash = hashPassword(await readPassword());
    const change = "update users set password_hash = $2, updated_at = now() where email = $1";
    return `Changed the password of ${await changeOne(db, address, change, [hash])}. ${SESSIONS_END}`;
  },
  "sign-out": async (db, [address]) => {
    // The table raises the number by itself, to one it has never had (migrations).
    const change =
      "update users set session_number = session_number + 1, updated_at = now() where email = $1";
    return `Signed out ${await changeOne(db, address, change)}. ${SESSIONS_END}`;
  },
  remove: async (db, [address]) => {
    return `Removed ${await changeOne(db, address, "delete from users where email = $1")}. ${SESSIONS_END}`;
  },
};

if (import.meta.main) {
  const [name = "", ...args] = readArguments(USAGE, { allowPositionals: true }).positionals;
  const command = COMMANDS[name] ?? fail(USAGE);
  try {
    console.log(await connected(databaseUrl(USAGE), (db) => command(db, args)));
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    const told = code === "23505" ? "There is a user with this e-mail already." : message;
    fail(told, error instanceof UsageError ? 2 : 1);
  }
}
