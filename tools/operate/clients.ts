import type { parseArgs } from "node:util";
import type pg from "pg";
import {
  CLIENT_SECRET_PREFIX,
  hashClientSecret,
  isRegisteredId,
  newClientId,
  newClientSecret,
} from "../../src/access/auth/client-secret.ts";
import { parsePlainUrl } from "../../src/core/hosts.ts";
import { fail, readArguments, refuseSwallowed, UsageError } from "../arguments.ts";
import { recordClientChange } from "../changes.ts";
import { warehouseUrl } from "../local/running-demo.ts";
import { connected, inTransaction } from "../warehouse/databases.ts";
import type { Terminal } from "./password-prompt.ts";

const USAGE = `Registers OAuth clients with a secret, in the database that DATABASE_URL names.

  npm run -s clients -- add <name> --redirect <https URL> [--redirect <https URL>]
                                        registers a client; prints client_id and client_secret, each on a line of stdout.
                                        Users see the name when they are asked. The assistant's settings or
                                        documentation name its redirect URLs, which are compared exactly
  npm run clients -- redirects <id> --redirect <https URL> [--redirect <https URL>]
                                        replaces the redirect URLs, within a minute: some assistants name theirs only
                                        after they have id and secret
  npm run clients -- list               lists the clients: id, name, created, secrets, redirect URLs
  npm run -s clients -- rotate <id>     prints another secret, which works within a minute; the old one works for
                                        24 hours more
  npm run clients -- remove <id>        removes a client. Its codes and refresh tokens end within a minute, its access
                                        tokens when they expire, within 16 minutes. Its id is never used again

Assistants whose id is the URL of a metadata document need no registration.
A secret is printed once: the database has only its hash. If one is stolen, remove its client and add another.
Each change is recorded with your user name in the operating system: npm run warehouse -- accesses.

Without DATABASE_URL, it works on the demo warehouse that npm start serves in this folder.`;

const ADD = "npm run clients -- add <name> --redirect <https URL>";
const LIST = "To list the ids: npm run clients -- list";
const OVERLAP = "24 hours";
const MAX_NAME = 60;
const MAX_REDIRECTS = 20;
const MAX_URL = 2000;

/** Quotes an argument in an error message, without revealing a secret. */
const quoted = (typed: string): string =>
  typed.toLowerCase().includes(CLIENT_SECRET_PREFIX) ? `"${CLIENT_SECRET_PREFIX}…"` : JSON.stringify(typed);

/** Characters that are not visible could make one name look like another. */
const NOT_VISIBLE = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\p{Default_Ignorable_Code_Point}/u;

const readName = (typed = ""): string => {
  const name = typed.trim();
  if (name === "") throw new UsageError(`A client needs a name: ${ADD}`);
  if (name.length > MAX_NAME) throw new UsageError(`<name> must have at most ${MAX_NAME} characters.`);
  if (NOT_VISIBLE.test(name))
    throw new UsageError(`<name> must have visible characters and spaces only; got ${quoted(name)}.`);
  return name;
};

const readRedirects = (typed: string[] = [], usage = ADD): string[] => {
  if (typed.length === 0) throw new UsageError(`A client needs the option --redirect: ${usage}`);
  if (typed.length > MAX_REDIRECTS)
    throw new UsageError(`--redirect must be given at most ${MAX_REDIRECTS} times.`);
  for (const redirect of typed) {
    if (redirect.length > MAX_URL || parsePlainUrl(redirect)?.protocol !== "https:")
      throw new UsageError(
        `--redirect must be an https URL as a browser writes it, without user, password and #; got ${quoted(redirect)}.`,
      );
  }
  return [...new Set(typed)];
};

const readId = (id = ""): string => {
  if (id.toLowerCase().includes(CLIENT_SECRET_PREFIX))
    throw new UsageError(`<id> must be a client_id; that is a client secret. ${LIST}`);
  if (!isRegisteredId(id)) throw unknownClient(id);
  return id;
};

const unknownClient = (id: string) =>
  new UsageError(`There is no client with the <id> ${quoted(id)}. ${LIST}`);

const STORE_IT =
  "The secret is shown only once: enter it in the assistant's settings, and store it nowhere else.";

const addSecret = (db: pg.Client, id: string, hash: string) =>
  db.query("insert into oauth_secrets (hash, client_id) values ($1, $2)", [hash, id]);

/** Registers a client. @returns its id and secret, which is stored only as a hash */
export const addClient = async (db: pg.Client, name: string, redirects: string[]) => {
  const [id, secret] = [newClientId(), newClientSecret()];
  const hash = await hashClientSecret(secret);
  await inTransaction(db, async () => {
    await db.query("insert into oauth_clients (client_id, name, redirects) values ($1, $2, $3)", [
      id,
      name,
      redirects,
    ]);
    await addSecret(db, id, hash);
    await recordClientChange(db, id, `clients add ${JSON.stringify(name)}: ${redirects.join(" ")}`);
  });
  return { id, secret };
};

/** Creates another secret. @returns it, and until when the one before it works */
const rotate = async (db: pg.Client, id: string): Promise<{ secret: string; until: string }> => {
  const secret = newClientSecret();
  const hash = await hashClientSecret(secret);
  return inTransaction(db, async () => {
    // Locks the client, so that two rotations at once take turns.
    const { rowCount } = await db.query("select from oauth_clients where client_id = $1 for update", [id]);
    if (rowCount === 0) throw unknownClient(id);
    await db.query("delete from oauth_secrets where client_id = $1 and expires_at <= now()", [id]);
    const { rows } = await db.query<{ until: string }>(
      `update oauth_secrets set expires_at = clock_timestamp() + interval '${OVERLAP}'
       where client_id = $1 and expires_at is null
       returning to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until`,
      [id],
    );
    await addSecret(db, id, hash);
    const until = rows[0]?.until ?? "";
    await recordClientChange(db, id, `clients rotate: the old secret works until ${until}`);
    return { secret, until };
  });
};

/** Lists the clients, one per line. */
const list = async (db: pg.Client): Promise<string> => {
  const { rows } = await db.query<{ line: string }>(
    `select concat_ws('  ', client_id, name,
       'created ' || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       (select string_agg('old secret until ' || to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), '  ' order by expires_at)
        from oauth_secrets s where s.client_id = c.client_id and expires_at > now()),
       array_to_string(redirects, '  ')) as line
     from oauth_clients c order by created_at, client_id`,
  );
  return rows.length > 0 ? rows.map(({ line }) => line).join("\n") : "There are no OAuth clients yet.";
};

interface Options {
  redirect?: string[] | undefined;
}

/** Returns the text for stdout. */
type Command = (
  db: pg.Client,
  argument: string | undefined,
  options: Options,
  terminal: Pick<Terminal, "print">,
) => Promise<string>;

const COMMANDS: Record<string, Command> = {
  add: async (db, name, { redirect }, { print }) => {
    const { id, secret } = await addClient(db, readName(name), readRedirects(redirect));
    print(STORE_IT);
    return `client_id: ${id}\nclient_secret: ${secret}`;
  },
  list,
  redirects: async (db, argument, { redirect }) => {
    const id = readId(argument);
    const redirects = readRedirects(redirect, "npm run clients -- redirects <id> --redirect <https URL>");
    await inTransaction(db, async () => {
      const sql = "update oauth_clients set redirects = $2 where client_id = $1";
      const { rowCount } = await db.query(sql, [id, redirects]);
      if (rowCount === 0) throw unknownClient(id);
      await recordClientChange(db, id, `clients redirects: ${redirects.join(" ")}`);
    });
    return `Replaced the redirect URLs of ${id}. They hold within a minute.`;
  },
  rotate: async (db, argument, _options, { print }) => {
    const { secret, until } = await rotate(db, readId(argument));
    print(`The new secret works within a minute, the old one until ${until}. ${STORE_IT}`);
    return `client_secret: ${secret}`;
  },
  remove: async (db, argument) => {
    const id = readId(argument);
    await inTransaction(db, async () => {
      const { rowCount } = await db.query("delete from oauth_clients where client_id = $1", [id]);
      if (rowCount === 0) throw unknownClient(id);
      await recordClientChange(db, id, "clients remove");
    });
    return `Removed ${id}. Codes and refresh tokens end within a minute, access tokens within 16 minutes.`;
  },
};

/** What `npm run clients` accepts, for `parseArgs`. */
export const COMMAND_LINE = {
  allowPositionals: true,
  options: { redirect: { type: "string", multiple: true } },
} as const;

type Parsed = ReturnType<typeof parseArgs<typeof COMMAND_LINE>>;

/**
 * Chooses the command of a command line.
 * @returns the command, which returns the text for stdout
 * @throws UsageError for wrong arguments. The command throws it, too.
 */
export const readCommand = ({ positionals, values }: Parsed, terminal: Pick<Terminal, "print">) => {
  const [name = "", ...args] = positionals;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) throw new UsageError(USAGE);
  const extra = args[name === "list" ? 0 : 1];
  if (extra !== undefined) {
    const hint =
      name === "add"
        ? " Put a name of several words in quotes, and --redirect before each redirect URL."
        : "";
    throw new UsageError(`Unexpected argument ${quoted(extra)} for ${name}.${hint}\n\n${USAGE}`);
  }
  if (values.redirect !== undefined && !["add", "redirects"].includes(name))
    throw new UsageError(`Only add and redirects accept --redirect.\n\n${USAGE}`);
  return (db: pg.Client): Promise<string> => command(db, args[0], values, terminal);
};

export const exitCodeOf = (error: unknown) => (error instanceof UsageError ? 2 : 1);

if (import.meta.main) {
  try {
    refuseSwallowed("clients", Object.keys(COMMAND_LINE.options));
    const parsed = readArguments(USAGE, COMMAND_LINE);
    const command = readCommand(parsed, { print: console.error });
    console.log(await connected(warehouseUrl(USAGE), command));
  } catch (error) {
    fail((error as Error).message, exitCodeOf(error));
  }
}
