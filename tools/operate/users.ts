import type { parseArgs } from "node:util";
import type pg from "pg";
import { hashPassword } from "../../src/access/auth/passwords.ts";
import { fail, readArguments, UsageError } from "../arguments.ts";
import { recordUserChange } from "../changes.ts";
import { warehouseUrl } from "../local/running-demo.ts";
import { connected, inTransaction } from "../warehouse/databases.ts";
import { listTokens, makeToken, quoted, revokeToken } from "./agent-tokens.ts";
import { readPassword, type Terminal } from "./password-prompt.ts";
import { describeRights, type RightsOptions, type RightsRow, readRights, rightsOfUser } from "./rights.ts";
import { addUser, changeOne, changeRights, readEmail } from "./user-changes.ts";

const USAGE = `Manages who may sign in to the service, in the database that DATABASE_URL names.

  npm run users -- add <e-mail> <name> [RIGHTS]
                                           adds a user; reads the password from a prompt or stdin
  npm run users -- list                    lists all users
  npm run users -- disable <e-mail>        refuses sign-ins and renewals from now on
  npm run users -- enable <e-mail>         lets a disabled user sign in again
  npm run users -- password <e-mail>       changes the password; reads it from a prompt or stdin
  npm run users -- sign-out <e-mail>       ends every session; the user may sign in again at once
  npm run users -- remove <e-mail>         deletes the user
  npm run users -- limit <e-mail> [RIGHTS] sets what the user may read; without RIGHTS prints it

  npm run -s users -- token <e-mail> [--days N] [RIGHTS]
                                           creates an agent token, valid for N days, 1 to 90 (default 30);
                                           prints it once, as the only line on stdout
  npm run users -- tokens                  lists agent tokens: id, user, created, expires, active or ended, rights
  npm run users -- revoke-token <id>       revokes an agent token

RIGHTS are one or more of these. Those that are not named stay as they are; a token starts with those of its user.

  --units 101,102 | --units all            business units; a list also sets --payments no, unless you name it
  --personal-data yes|no                   clients, CPFs, payloads
  --payments yes|no                        ERP payments

Each change is recorded with your user name in the operating system: npm run warehouse -- accesses.

disable, enable, password, sign-out, remove, and limit with RIGHTS end all existing sessions: the next renewal of each is refused.
Access tokens already issued expire within 15 minutes. The user's agent tokens end within a minute, as after
revoke-token.

Without DATABASE_URL, it works on the demo warehouse that npm start serves in this folder.`;

const SESSIONS_END =
  "Existing sessions cannot be renewed. Agent tokens end within a minute, access tokens within 15 minutes.";

type Options = RightsOptions & { days?: string | undefined };

/** Returns the text for stdout. */
type Command = (db: pg.Client, args: string[], options: Options, terminal: Terminal) => Promise<string>;

const COMMANDS: Record<string, Command> = {
  add: async (db, [address, name], options, terminal) => {
    const email = readEmail(address);
    if (!name?.trim()) throw new UsageError("A user needs a name: npm run users -- add <e-mail> <name>");
    const rights = await readRights(db, options);
    const password = await readPassword(terminal);
    await inTransaction(db, async () => {
      await addUser(db, { email, name, password }, rights);
      const given = await rightsOfUser(db, email);
      await recordUserChange(db, email, `add: ${given && describeRights(given)}`);
    });
    return `Added ${email}.`;
  },
  list: async (db) => {
    const { rows } = await db.query<RightsRow & { line: string }>(
      `select concat_ws('  ', id, email, name, case when ativo then 'active' else 'disabled' end) as line,
         units, personal_data, payments
       from users order by email`,
    );
    const lines = rows.map(({ line, ...rights }) => `${line}  ${describeRights(rights)}`);
    return lines.length > 0 ? lines.join("\n") : "There are no users yet.";
  },
  disable: async (db, [address]) => {
    const sql = "update users set ativo = false, updated_at = now() where email = $1";
    const email = await changeOne(db, address, { name: "disable", sql });
    return `Disabled ${email}. ${SESSIONS_END}`;
  },
  enable: async (db, [address]) => {
    const sql = "update users set ativo = true, updated_at = now() where email = $1";
    const email = await changeOne(db, address, { name: "enable", sql });
    return `Enabled ${email}. The user may sign in again.`;
  },
  password: async (db, [address], _options, terminal) => {
    readEmail(address);
    const hash = hashPassword(await readPassword(terminal));
    const sql = "update users set password_hash = $2, updated_at = now() where email = $1";
    const email = await changeOne(db, address, { name: "password", sql, values: [hash] });
    return `Changed the password of ${email}. ${SESSIONS_END}`;
  },
  "sign-out": async (db, [address]) => {
    // A trigger replaces this with a number the row has never had (migrations).
    const sql = "update users set session_number = session_number + 1, updated_at = now() where email = $1";
    return `Signed out ${await changeOne(db, address, { name: "sign-out", sql })}. ${SESSIONS_END}`;
  },
  remove: async (db, [address]) => {
    const sql = "delete from users where email = $1";
    return `Removed ${await changeOne(db, address, { name: "remove", sql })}. ${SESSIONS_END}`;
  },
  limit: async (db, [address], options) => {
    const email = readEmail(address);
    const named = await readRights(db, options);
    const isChange = Object.keys(named).length > 0;
    const rights = await (isChange ? changeRights(db, email, named) : rightsOfUser(db, email));
    if (rights === undefined) throw new UsageError(`There is no user ${email}.`);
    return `${email} may read: ${describeRights(rights)}.${isChange ? ` ${SESSIONS_END}` : ""}`;
  },
  token: async (db, [address], { days, ...options }, { print }) => {
    const { token, message } = await makeToken(db, readEmail(address), days, options);
    print(message);
    return token;
  },
  tokens: listTokens,
  "revoke-token": (db, [id]) => revokeToken(db, id),
};

/** Number of arguments by command; the default is one. */
const ARGUMENT_COUNTS: Record<string, number> = { add: 2, list: 0, tokens: 0 };

/** Refuses extra arguments: a user who gives two ids expects both to be processed. */
const refuseExtra = (name: string, args: string[]): void => {
  const extra = args[ARGUMENT_COUNTS[name] ?? 1];
  if (extra === undefined) return;
  const hint = name === "add" ? " Put a name of several words in quotes." : "";
  throw new UsageError(`Unexpected argument ${quoted(extra)} for ${name}.${hint}\n\n${USAGE}`);
};

/** What `npm run users` accepts, for `parseArgs`. */
export const COMMAND_LINE = {
  allowPositionals: true,
  options: {
    days: { type: "string", multiple: true },
    units: { type: "string", multiple: true },
    "personal-data": { type: "string", multiple: true },
    payments: { type: "string", multiple: true },
  },
} as const;

type Parsed = ReturnType<typeof parseArgs<typeof COMMAND_LINE>>;

/**
 * Chooses the command of a command line.
 * @returns the command, which returns the text for stdout
 * @throws UsageError for wrong arguments. The command throws it, too.
 */
export const readCommand = ({ positionals, values }: Parsed, terminal: Terminal) => {
  const [name = "", ...args] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(USAGE);
  refuseExtra(name, args);
  for (const [option, given] of Object.entries(values)) {
    if (given.length > 1) throw new UsageError(`--${option} must be given only once.\n\n${USAGE}`);
    const isAccepted = name === "token" || (/^(add|limit)$/.test(name) && option !== "days");
    const accepting = option === "days" ? "Only token accepts" : "Only add, limit and token accept";
    if (!isAccepted) throw new UsageError(`${accepting} --${option}.\n\n${USAGE}`);
  }
  const options = Object.fromEntries(Object.entries(values).map(([option, [given]]) => [option, given]));
  return (db: pg.Client): Promise<string> => command(db, args, options, terminal);
};

export const exitCodeOf = (error: unknown) => (error instanceof UsageError ? 2 : 1);

if (import.meta.main) {
  try {
    const parsed = readArguments(USAGE, COMMAND_LINE);
    const command = readCommand(parsed, { input: process.stdin, print: console.error });
    console.log(await connected(warehouseUrl(USAGE), command));
  } catch (error) {
    fail((error as Error).message, exitCodeOf(error));
  }
}
