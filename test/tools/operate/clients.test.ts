// @module-tag server
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { COMMAND_LINE, exitCodeOf, readCommand } from "../../../tools/operate/clients.ts";
import { printAccesses } from "../../../tools/warehouse/accesses.ts";
import { connected } from "../../../tools/warehouse/databases.ts";
import { runTool } from "../../support/node/run-tool.ts";

/** Starts `npm run clients`. Removes the line that names the database. */
const start = async (args: string[], env: Record<string, string> = {}) => {
  const { errors, ...result } = await runTool("operate/clients.ts", args, {
    // A folder without a running `npm start`.
    cwd: tmpdir(),
    env: { DATABASE_URL: inject("postgresUrl"), ...env },
  });
  return { ...result, errors: errors.replace(/^Working on the database \w+ at \S+\.\n/, "") };
};

/** Runs the same command in this process, which is cheaper. */
const clients = async (...args: string[]) => {
  let errors = "";
  const print = (line: string) => {
    errors += `${line}\n`;
  };
  try {
    const command = readCommand(parseArgs({ ...COMMAND_LINE, args }), { print });
    return { code: 0, output: `${await connected(inject("postgresUrl"), command)}\n`, errors };
  } catch (error) {
    print((error as Error).message);
    return { code: exitCodeOf(error), output: "", errors };
  }
};

const ID = "client-[\\da-f]{8}(?:-[\\da-f]{4}){3}-[\\da-f]{12}";
const UNKNOWN = "client-00000000-0000-0000-0000-000000000000";
const REDIRECT = "https://chatgpt.com/connector_platform_oauth_redirect";
const hash = (secret: string) => createHash("sha256").update(secret).digest("hex");

describe("npm run clients", () => {
  let db: pg.Client;
  const query = async (text: string, values: unknown[] = []) => (await db.query(text, values)).rows;
  const secrets = (id: string) =>
    query("select hash, expires_at from oauth_secrets where client_id = $1 order by created_at", [id]);
  const changes = async () =>
    (
      await query(
        "select session_client, change, actor from acessos where change like 'clients %' order by id",
      )
    )
      .filter(({ actor }) => Boolean(actor))
      .map(({ session_client, change }) => [session_client, change]);

  beforeAll(async () => {
    db = new pg.Client({ connectionString: inject("postgresUrl") });
    await db.connect();
  });
  beforeEach(() => db.query("delete from oauth_clients; delete from acessos"));
  afterAll(async () => {
    await db.query("delete from oauth_clients; delete from acessos");
    await db.end();
  });

  const add = async (
    name = "ChatGPT",
    redirects = [REDIRECT],
    run: typeof start = (args) => clients(...args),
  ) => {
    const result = await run(["add", name, ...redirects.flatMap((redirect) => ["--redirect", redirect])]);
    expect([result.code, result.output, result.errors]).toEqual([
      0,
      expect.stringMatching(new RegExp(`^client_id: ${ID}\nclient_secret: ocs_[\\w-]{43}\n$`)),
      "The secret is shown only once: enter it in the assistant's settings, and store it nowhere else.\n",
    ]);
    const [, id = "", secret = ""] = /^client_id: (.*)\nclient_secret: (.*)\n$/.exec(result.output) ?? [];
    return { id, secret };
  };

  it("add prints id and secret once; the database has the SHA-256 only (A14)", async () => {
    const { id, secret } = await add("ChatGPT", [REDIRECT, "https://chatgpt.com/other?x=1", REDIRECT], start);
    expect(await query("select client_id, name, redirects from oauth_clients")).toEqual([
      { client_id: id, name: "ChatGPT", redirects: [REDIRECT, "https://chatgpt.com/other?x=1"] },
    ]);
    expect(await secrets(id)).toEqual([{ hash: hash(secret), expires_at: null }]);
    expect(JSON.stringify(await query("select * from acessos"))).not.toContain(secret.slice(4));
  });

  it("list shows the clients with their redirects, and no secret or hash (A14)", async () => {
    expect((await clients("list")).output).toBe("There are no OAuth clients yet.\n");
    const first = await add();
    const second = await add("Gemini Enterprise", ["https://a.test/1", "https://a.test/2"]);
    await clients("rotate", second.id);
    const { output } = await clients("list");
    const instant = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ";
    expect(output.trimEnd().split("\n")).toEqual([
      expect.stringMatching(new RegExp(`^${first.id}  ChatGPT  created ${instant}  ${REDIRECT}$`)),
      expect.stringMatching(
        new RegExp(
          `^${second.id}  Gemini Enterprise  created ${instant}  old secret until ${instant}  https://a.test/1  https://a.test/2$`,
        ),
      ),
    ]);
    for (const { secret } of [first, second]) {
      expect(output).not.toContain(secret);
      expect(output).not.toContain(hash(secret));
    }
  });

  it("rotate adds a secret, and each old one expires 24 hours after it was replaced (A14)", async () => {
    const { id, secret } = await add();
    const { code, output, errors } = await clients("rotate", id);
    expect([code, errors]).toEqual([
      0,
      expect.stringMatching(
        /^The new secret works within a minute, the old one until \S+Z\. The secret is shown only once/,
      ),
    ]);
    const next = /^client_secret: (ocs_[\w-]{43})\n$/.exec(output)?.[1] ?? "";
    const [old, current] = await secrets(id);
    expect([old?.hash, current]).toEqual([hash(secret), { hash: hash(next), expires_at: null }]);
    const ends = old?.expires_at as Date;
    expect(Math.abs(ends.getTime() - Date.now() - 86_400_000)).toBeLessThan(10_000);
    // A second rotation shortens no overlap, and drops what has expired.
    await clients("rotate", id);
    expect((await secrets(id)).map(({ expires_at }) => expires_at !== null)).toEqual([true, true, false]);
    expect((await secrets(id))[0]?.expires_at).toEqual(ends);
    await db.query("update oauth_secrets set expires_at = now() where hash = $1", [hash(secret)]);
    await clients("rotate", id);
    expect((await secrets(id)).map((row) => row.hash)).not.toContain(hash(secret));
  });

  it("two rotations at once leave one current secret (A14)", async () => {
    const { id } = await add();
    await Promise.all([clients("rotate", id), clients("rotate", id)]);
    expect((await secrets(id)).filter(({ expires_at }) => expires_at === null)).toHaveLength(1);
  });

  it("redirects replaces the redirect URLs, and keeps id and secret (A14)", async () => {
    const { id, secret } = await add();
    const [one, two] = ["https://a.test/1", "https://a.test/2"];
    expect(await clients("redirects", id, "--redirect", one, "--redirect", two)).toEqual({
      code: 0,
      output: `Replaced the redirect URLs of ${id}. They hold within a minute.\n`,
      errors: "",
    });
    expect(await query("select client_id, redirects from oauth_clients")).toEqual([
      { client_id: id, redirects: [one, two] },
    ]);
    expect((await secrets(id)).map((row) => row.hash)).toEqual([hash(secret)]);
    expect((await changes()).at(-1)).toEqual([id, `clients redirects: ${one} ${two}`]);
    expect((await clients("redirects", id, "--redirect", "http://a.test")).code).toBe(2);
    expect((await query("select redirects from oauth_clients"))[0]?.redirects).toEqual([one, two]);
  });

  it("remove deletes the client with its secrets; a new one of the same name has another id (A14)", async () => {
    const { id } = await add();
    expect(await clients("remove", id)).toEqual({
      code: 0,
      output: `Removed ${id}. Codes and refresh tokens end within a minute, access tokens within 16 minutes.\n`,
      errors: "",
    });
    expect(await query("select from oauth_clients")).toEqual([]);
    expect(await secrets(id)).toEqual([]);
    expect((await add()).id).not.toBe(id);
  });

  it("records each change with the client, and prints it as an access (A14, A15)", async () => {
    const { id } = await add();
    await clients("rotate", id);
    await clients("remove", id);
    expect(await changes()).toEqual([
      [id, `clients add "ChatGPT": ${REDIRECT}`],
      [id, expect.stringMatching(/^clients rotate: the old secret works until \S+Z$/)],
      [id, "clients remove"],
    ]);
    const lines: string[] = [];
    await printAccesses(db, {}, (line) => lines.push(line));
    expect(lines.at(-1)).toMatch(new RegExp(`  clients remove OAuth client "${id}" by \\S+$`));
  });

  it.each([
    [[], /^Registers OAuth clients with a secret/],
    [["nonsense"], /^Registers OAuth clients/],
    [["__proto__"], /^Registers OAuth clients/],
    [["add"], /^A client needs a name: npm run clients -- add <name> --redirect <https URL>\n$/],
    [["add", " ", "--redirect", REDIRECT], /^A client needs a name/],
    [["add", "x".repeat(61), "--redirect", REDIRECT], /^<name> must have at most 60 characters\.\n$/],
    [
      ["add", "Chat\u202eGPT", "--redirect", REDIRECT],
      /^<name> must have visible characters and spaces only/,
    ],
    [["add", "Chat\nGPT", "--redirect", REDIRECT], /^<name> must have visible/],
    [["add", "ChatGPT"], /^A client needs the option --redirect: npm run clients -- add/],
    [
      ["add", "Chat", "GPT", "--redirect", REDIRECT],
      /^Unexpected argument "GPT" for add\. Put a name of several words/,
    ],
    [["list", "x"], /^Unexpected argument "x" for list\./],
    [["list", "--redirect", REDIRECT], /^Only add and redirects accept --redirect\./],
    [["redirects", UNKNOWN], /^A client needs the option --redirect: npm run clients -- redirects <id>/],
    [["redirects", UNKNOWN, "--redirect", REDIRECT], /^There is no client with the <id> "client-0{8}/],
    [["redirects", "--redirect", REDIRECT], /^There is no client with the <id> ""/],
    [["rotate"], /^There is no client with the <id> ""\. To list the ids: npm run clients -- list\n$/],
    [["rotate", "x"], /^There is no client with the <id> "x"\./],
    [["rotate", UNKNOWN], /^There is no client with the <id> "client-0{8}/],
    [["remove", UNKNOWN], /^There is no client with the <id> "client-0{8}/],
    [["remove", `ocs_${"A".repeat(43)}`], /^<id> must be a client_id; that is a client secret\. [^A]*\n$/],
    [["rotate", `ocs_${"A".repeat(43)}`, "x"], /^Unexpected argument "x" for rotate\./],
    [["rotate", UNKNOWN, `ocs_${"B".repeat(43)}`], /^Unexpected argument "ocs_…" for rotate\./],
  ])("%j exits with 2, names the argument and changes nothing (A14)", async (args, message) => {
    const { code, output, errors } = await clients(...args);
    expect([code, output, errors]).toEqual([2, "", expect.stringMatching(message)]);
    expect(await query("select from oauth_clients")).toEqual([]);
    expect(await changes()).toEqual([]);
  });

  it.each([
    "http://a.test/cb",
    "a.test/cb",
    "",
    "javascript:alert(1)",
    "https://user@a.test/cb",
    "https://a.test/cb#x",
    "https://A.test/cb",
    "https://a.test/x/../cb",
    "https://a.test:443/cb",
    " https://a.test/cb",
    "https://*.a.test /cb",
    "http://127.0.0.1/cb",
    `https://a.test/${"x".repeat(2000)}`,
  ])("refuses the redirect %j, also beside a valid one (A14)", async (redirect) => {
    const { code, errors } = await clients("add", "X", "--redirect", REDIRECT, "--redirect", redirect);
    expect([code, errors]).toEqual([
      2,
      expect.stringMatching(/^--redirect must be an https URL as a browser/),
    ]);
    expect(await query("select from oauth_clients")).toEqual([]);
  });

  it("has help, and says what npm took for itself (A14)", async () => {
    const help = await start(["--help"]);
    expect([help.code, help.output]).toEqual([0, expect.stringContaining("npm run clients -- remove <id>")]);
    expect(await start(["add", "X"], { npm_config_redirect: REDIRECT })).toMatchObject({
      code: 2,
      errors: "npm took --redirect for itself. Write -- before it: npm run clients -- --redirect\n",
    });
    expect(await start(["add", "X", "--nonsense"])).toMatchObject({ code: 2 });
    expect(await start(["list"], { DATABASE_URL: "" })).toMatchObject({
      code: 2,
      errors: expect.stringMatching(/^DATABASE_URL is not set/),
    });
  });
});
