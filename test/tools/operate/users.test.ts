// @module-tag server
import { createHash } from "node:crypto";
import { tmpdir } from "node:os";
import { Readable } from "node:stream";
import { parseArgs } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { verifyPassword } from "../../../src/access/auth/passwords.ts";
import { makeToken } from "../../../tools/operate/agent-tokens.ts";
import { COMMAND_LINE, exitCodeOf, readCommand } from "../../../tools/operate/users.ts";
import { connected } from "../../../tools/warehouse/databases.ts";
import { runTool } from "../../support/node/run-tool.ts";

/** Starts `npm run users` with a password on stdin. Removes the line that names the database. */
const start = async (args: string[], stdin = "", env: Record<string, string> = {}) => {
  const { errors, ...result } = await runTool("operate/users.ts", args, {
    // A folder without a running `npm start`.
    cwd: tmpdir(),
    env: { DATABASE_URL: inject("postgresUrl"), ...env },
    stdin,
  });
  return { ...result, errors: errors.replace(/^Working on the database \w+ at \S+\.\n/, "") };
};

/** Runs the same command in this process, which is cheaper. */
const users = async (args: string[], stdin = "") => {
  let errors = "";
  const print = (line: string) => {
    errors += `${line}\n`;
  };
  try {
    const parsed = parseArgs({ ...COMMAND_LINE, args });
    const command = readCommand(parsed, { input: Readable.from([stdin]), print });
    return { code: 0, output: `${await connected(inject("postgresUrl"), command)}\n`, errors };
  } catch (error) {
    print((error as Error).message);
    return { code: exitCodeOf(error), output: "", errors };
  }
};

describe("npm run users", () => {
  const email = "ops@example.com";
  let db: pg.Client;
  const row = async () =>
    (await db.query("select name, ativo, password_hash, session_number from users where email = $1", [email]))
      .rows[0];

  beforeAll(async () => {
    db = new pg.Client({ connectionString: inject("postgresUrl") });
    await db.connect();
  });
  afterAll(() => db.end());

  it("adds a user with a password from stdin and the e-mail in lower case (A5)", async () => {
    expect(await start(["add", "Ops@Example.com", "Ops"], "first-password\n")).toEqual({
      code: 0,
      output: `Added ${email}.\n`,
      errors: "",
    });
    expect(verifyPassword("first-password", (await row()).password_hash)).toBe(true);
    expect(await start(["add", email, "Ops"], "first-password")).toEqual({
      code: 1,
      output: "",
      errors: "A user with this e-mail already exists.\n",
    });
  });

  it("changes a password (A9)", async () => {
    expect((await users(["password", email], "second-password")).code).toBe(0);
    expect(verifyPassword("first-password", (await row()).password_hash)).toBe(false);
    expect(verifyPassword("second-password", (await row()).password_hash)).toBe(true);
  });

  it("disables, enables and lists users (A9)", async () => {
    expect((await users(["disable", email])).output).toMatch(
      /^Disabled ops@example\.com\..* 15 minutes\.\n$/,
    );
    expect((await row()).ativo).toBe(false);
    expect((await users(["list"])).output).toMatch(/ops@example\.com {2}Ops {2}disabled {2}units all, /);
    expect((await users(["enable", email])).output).toBe(`Enabled ${email}. The user may sign in again.\n`);
    expect((await row()).ativo).toBe(true);
    expect((await users(["list"])).output).toMatch(
      /ops@example\.com {2}Ops {2}active {2}units all, personal data yes, payments yes\n/,
    );
  });

  it("raises the session number with password, disable, enable, sign-out and rights only (A9, A11)", async () => {
    const number = async () => Number((await row()).session_number);
    let last = await number();
    for (const args of [
      ["password", email],
      ["disable", email],
      ["enable", email],
      ["sign-out", email],
    ]) {
      expect((await users(args, "third-password")).code).toBe(0);
      expect(await number(), args[0]).toBeGreaterThan(last);
      last = await number();
    }
    for (const change of ["units = '{101}'", "units = null", "personal_data = false", "payments = false"]) {
      await db.query(`update users set ${change} where email = $1`, [email]);
      expect(await number(), change).toBeGreaterThan(last);
      last = await number();
    }
    await db.query("update users set name = 'Operations', updated_at = now() where email = $1", [email]);
    expect(await number()).toBe(last);
    await db.query("update users set personal_data = true, payments = true where email = $1", [email]);
  });

  it("never reuses a session number, even after a restore to an earlier time (A9)", async () => {
    await users(["sign-out", email]);
    const { session_number: latest } = await row();
    // Restore the row with an older session number, as from a backup.
    const { rows } = await db.query("delete from users where email = $1 returning *", [email]);
    const { name, password_hash, identity } = rows[0];
    await db.query(
      "insert into users (email, name, password_hash, identity, session_number) values ($1, $2, $3, $4, 0)",
      [email, name, password_hash, identity],
    );
    await users(["sign-out", email]);
    expect(Number((await row()).session_number)).toBeGreaterThan(Number(latest));
  });

  it("removes a user, and gives a new user with the same e-mail another identity (A9)", async () => {
    const identity = async () =>
      (await db.query("select identity from users where email = $1", [email])).rows[0]?.identity;
    const before = await identity();
    expect((await users(["remove", email])).output).toMatch(/^Removed ops@example\.com\./);
    expect(await row()).toBeUndefined();
    await users(["add", email, "Ops"], "first-password");
    expect(await identity()).toMatch(/^[\da-f-]{36}$/);
    expect(await identity()).not.toBe(before);
  });

  describe("limit (A11)", () => {
    const limit = (...args: string[]) => users(["limit", email, ...args]);
    const stored = async () =>
      (
        await db.query("select units, personal_data, payments, session_number from users where email = $1", [
          email,
        ])
      ).rows[0];

    beforeAll(async () => {
      await db.query(
        "insert into estabelecimentos (nome, salon_id, ativo) values ('Salão Jardins', '901', true), ('Salão Moema', '902', true), ('Sem id', null, true), ('Vazia', '', true)",
      );
    });
    const reset = () => limit("--units", "all", "--personal-data", "yes", "--payments", "yes");
    beforeEach(reset);
    afterAll(async () => {
      await reset();
      await db.query("delete from estabelecimentos where salon_id in ('901', '902', '') or nome = 'Sem id'");
      await db.query("delete from agent_tokens");
    });

    it("sets the rights that it names, keeps the others, and ends the sessions (A9, A11)", async () => {
      for (const [args, rights] of [
        [["--units", "902,901,902"], { units: ["901", "902"], personal_data: true, payments: false }],
        [["--payments", "yes"], { units: ["901", "902"], personal_data: true, payments: true }],
        [["--personal-data", "no"], { units: ["901", "902"], personal_data: false, payments: true }],
        [["--units", "901", "--payments", "yes"], { units: ["901"], personal_data: false, payments: true }],
        [["--units", "all"], { units: null, personal_data: false, payments: true }],
        [["--units", " 902 , "], { units: ["902"], personal_data: false, payments: false }],
      ] as const) {
        const before = Number((await stored()).session_number);
        const { code, output } = await limit(...args);
        expect([code, output]).toEqual([
          0,
          expect.stringMatching(/^ops@example\.com may read: units .*\. Existing sessions/),
        ]);
        expect(await stored()).toMatchObject(rights);
        expect(Number((await stored()).session_number)).toBeGreaterThan(before);
      }
    });

    it("prints the rights without an option, and ends nothing (A11)", async () => {
      await limit("--units", "901");
      const before = await stored();
      expect(await limit()).toMatchObject({
        code: 0,
        output: "ops@example.com may read: units 901, personal data yes, payments no.\n",
      });
      expect(await stored()).toEqual(before);
      expect((await users(["list"])).output).toContain("active  units 901, personal data yes, payments no\n");
    });

    it.each([
      [
        ["--units", "901,999"],
        /^--units names "999", which does not exist\. .*\n {2}901 {2}Salão Jardins\n {2}902 {2}Salão Moema\n$/s,
      ],
      [["--units", ""], /^--units is empty\. .*\n {2}901 {2}Salão Jardins/s],
      [["--units", " , "], /^--units is empty\./],
      [["--units", "ALL"], /^--units names "ALL", which does not exist\./],
      [["--personal-data", "maybe"], /^--personal-data must be yes or no; got "maybe"\.\n$/],
      [["--payments", ""], /^--payments must be yes or no; got ""\.\n$/],
      [["--payments", "yes", "--payments", "no"], /^--payments must be given only once\./],
      [["--days", "3"], /^Only token accepts --days\./],
    ])("%j is an error that changes nothing (A11)", async (args, message) => {
      const before = await stored();
      const { code, errors } = await limit(...args);
      expect([code, errors]).toEqual([2, expect.stringMatching(message)]);
      expect(await stored()).toEqual(before);
    });

    it("two at once both take effect (A11)", async () => {
      await Promise.all([limit("--payments", "no"), limit("--personal-data", "no")]);
      expect(await stored()).toMatchObject({ units: null, personal_data: false, payments: false });
    });

    it.each([
      [["--units", "all"]],
      [["--units", "902"]],
      [["--units", "901,902"]],
      [["--personal-data", "yes"]],
      [["--payments", "yes"]],
    ])("a token wider than its user is refused: %j (A11)", async (args) => {
      await limit("--units", "901", "--personal-data", "no");
      const { code, errors } = await users(["token", email, ...args]);
      expect([code, errors]).toEqual([
        2,
        "A token cannot have more rights than its user. ops@example.com has: units 901, personal data no, payments no.\n",
      ]);
    });

    it("an agent token grants only rights that it and its user both have (A11)", async () => {
      const create = async (...args: string[]) => {
        const { output, errors } = await users(["token", email, ...args]);
        const hash = createHash("sha256").update(output.trimEnd()).digest("hex");
        return {
          errors,
          rights: async () => (await db.query("select * from agent_account($1)", [hash])).rows[0],
        };
      };
      const whole = await create();
      expect(await whole.rights()).toMatchObject({ units: null, personal_data: true, payments: true });
      const narrow = await create("--units", "901,902", "--personal-data", "no");
      expect(narrow.errors).toContain("It grants units 901,902, personal data no, payments no.");
      expect(await narrow.rights()).toMatchObject({
        units: ["901", "902"],
        personal_data: false,
        payments: false,
      });
      // Somebody changes the row by hand, without ending the tokens.
      await db.query("alter table users disable trigger users_session_number");
      await db.query("update users set units = '{902}', payments = false where email = $1", [email]);
      expect(await whole.rights()).toMatchObject({ units: ["902"], personal_data: true, payments: false });
      expect(await narrow.rights()).toMatchObject({ units: ["902"], personal_data: false, payments: false });
      await db.query("update users set units = '{903}' where email = $1", [email]);
      expect(await narrow.rights()).toBeUndefined();
      await db.query("alter table users enable trigger users_session_number");
      await limit("--units", "all");
      expect(await whole.rights()).toBeUndefined();
    });
  });

  describe("agent tokens", () => {
    const LINE =
      /^(\d+) {2}ops@example\.com {2}created (\S+Z) {2}expires (\S+Z) {2}(active|ended) {2}units all, personal data yes, payments yes$/;
    /** Creates a token with the command. Returns it with the id that the command printed. */
    const createToken = async (args: string[] = [], run: typeof start = users) => {
      const { code, output, errors } = await run(["token", email, ...args]);
      expect([code, errors]).toEqual([
        0,
        expect.stringMatching(/^Agent token \d+ of ops@example\.com, valid until /),
      ]);
      return { token: output.trimEnd(), output, id: /^Agent token (\d+)/.exec(errors)?.[1] ?? "", errors };
    };
    const listTokens = async () =>
      (await users(["tokens"])).output
        .trimEnd()
        .split("\n")
        .map((line) => LINE.exec(line)?.slice(1) ?? [line]);
    const hash = (token: string) => createHash("sha256").update(token).digest("hex");
    const accounts = async (token: string) =>
      (await db.query("select * from agent_account($1)", [hash(token)])).rows;

    it("are shown once, on stdout only, and stored as SHA-256 (A10)", async () => {
      const { token, output, errors, id } = await createToken([], start);
      expect(output).toMatch(/^agt_[\w-]{43}\n$/);
      expect(errors).not.toContain(token);
      const { rows } = await db.query("select *, expires_at - created_at as lives from agent_tokens");
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatchObject({ id, hash: hash(token), lives: { days: 30 } });
      expect(JSON.stringify(rows)).not.toContain(token.slice(4, 20));
      expect((await createToken()).token).not.toBe(token);
      expect(await accounts(token)).toMatchObject([{ email, name: "Ops" }]);
    });

    it.each([
      ["1", 24],
      ["90", 2160],
    ])("with --days %s last %i hours (A10)", async (days, hours) => {
      const { id } = await createToken(["--days", days]);
      const [, createdAt = "", ends = ""] = (await listTokens()).find(([one]) => one === id) ?? [];
      expect(Date.parse(ends) - Date.parse(createdAt)).toBe(hours * 3_600_000);
    });

    it.each(["0", "91", "1.5", "1e1", "+1", "", " ", "x", "99999999999999999999", "-1", "30 days"])(
      "are not created with --days=%s (A10)",
      async (days) => {
        const countTokens = async () => (await db.query("select count(*) from agent_tokens")).rows[0];
        const before = await countTokens();
        await expect(makeToken(db, email, days)).rejects.toThrow(
          `--days must be a whole number from 1 to 90; got "${days}".`,
        );
        expect(await countTokens()).toEqual(before);
      },
    );

    it("are revoked one at a time by revoke-token (A10)", async () => {
      const [first, second] = [await createToken(), await createToken()];
      expect(await users(["revoke-token", first.id])).toEqual({
        code: 0,
        output: `Revoked agent token ${first.id}. It ends within a minute.\n`,
        errors: "",
      });
      expect(await accounts(first.token)).toEqual([]);
      expect(await accounts(second.token)).toHaveLength(1);
      expect((await listTokens()).map(([id]) => id)).not.toContain(first.id);
      expect((await users(["revoke-token", first.id])).code).toBe(2);
    });

    it.each([
      ["password", "a-fourth-password"],
      ["disable", ""],
      ["sign-out", ""],
    ])("end for good with %s, and the next token removes them from the list (A10)", async (change, stdin) => {
      const before = await createToken();
      expect((await users([change, email], stdin)).code).toBe(0);
      expect(await accounts(before.token)).toEqual([]);
      expect((await listTokens()).find(([id]) => id === before.id)?.[3]).toBe("ended");
      await users(["enable", email]);
      expect(await accounts(before.token)).toEqual([]);
      const after = await createToken();
      expect(await listTokens()).toEqual([[after.id, expect.any(String), expect.any(String), "active"]]);
      expect(await accounts(after.token)).toHaveLength(1);
    });

    it("end when their days are over (A10)", async () => {
      const { id, token } = await createToken();
      await db.query(
        "update agent_tokens set created_at = created_at - interval '31 days', expires_at = now() where id = $1",
        [id],
      );
      expect(await accounts(token)).toEqual([]);
      expect((await listTokens()).find(([one]) => one === id)?.[3]).toBe("ended");
    });

    it("cannot last longer than ninety days, even if inserted by SQL (A10)", async () => {
      await expect(
        db.query(
          `insert into agent_tokens (user_identity, hash, session_number, expires_at)
           select identity, $1, session_number, now() + interval '90 days 1 second' from users where email = $2`,
          [hash("x"), email],
        ),
      ).rejects.toThrow(/agent_tokens_90_days/);
    });

    it("are not created for a disabled user, whose tokens stay in the list after they end (A10)", async () => {
      const { id } = await createToken();
      await users(["disable", email]);
      expect(await users(["token", email])).toEqual({
        code: 2,
        output: "",
        errors: `${email} is disabled. Enable the user first.\n`,
      });
      expect((await listTokens()).find(([one]) => one === id)?.[3]).toBe("ended");
      await users(["enable", email]);
    });

    it.each([
      ["revoke-token", "{}"],
      ["token", "{}"],
      ["revoke-token", "1", "{}"],
      ["disable", "{}"],
      ["token", email, "--days={}"],
    ])("are not printed in the error if given as a wrong argument: %s %s %s (A10)", async (...args) => {
      const { token } = await createToken();
      const { code, output, errors } = await users(args.map((one) => one.replace("{}", token)));
      expect([code, output]).toEqual([2, ""]);
      expect(errors).not.toContain(token.slice(4));
      if (args[0] === "revoke-token" && args.length === 2)
        expect(errors).toMatch(/^That is an agent token, not its id.* npm run users -- tokens/);
    });

    it("are deleted with their user (A10)", async () => {
      const { token } = await createToken();
      await users(["remove", email]);
      expect(await accounts(token)).toEqual([]);
      expect((await users(["tokens"])).output).toBe("There are no agent tokens.\n");
      await users(["add", email, "Ops"], "first-password");
    });
  });

  it.each([
    [[], "", /^Manages who may sign in/],
    [["rename", email], "", /^Manages who may sign in/],
    [["add"], "", /is not an e-mail address/],
    [["add", "ops"], "", /"ops" is not an e-mail address/],
    [["add", "x@example.com"], "long-enough", /needs a name/],
    [["add", "x@example.com", "X"], "short", /at least 8 characters/],
    [["add", "x@example.com", "X"], "é".repeat(129), /at most 256 bytes/],
    [["password", "nobody@example.com"], "long-enough", /There is no user nobody@example\.com/],
    [["disable", "nobody@example.com"], "", /There is no user nobody@example\.com/],
    [["remove", "nobody@example.com"], "", /There is no user nobody@example\.com/],
    [["limit", "nobody@example.com", "--payments", "no"], "", /There is no user nobody@example\.com/],
    [["remove"], "", /is not an e-mail address/],
    [["token"], "", /is not an e-mail address/],
    [["token", "nobody@example.com"], "", /There is no user nobody@example\.com/],
    [["list", "--days", "3"], "", /^Only token accepts --days\./],
    [["revoke-token", "8", "9"], "", /^Unexpected argument "9" for revoke-token\./],
    [["tokens", "extra"], "", /^Unexpected argument "extra" for tokens\./],
    [["list", "extra"], "", /^Unexpected argument "extra" for list\./],
    [["add", "x@example.com", "Jane", "Doe"], "long-enough", /^Unexpected argument "Doe" .* in quotes\./],
    [["disable", email, "x"], "", /^Unexpected argument "x" for disable\./],
    [["token", email, "--days", "5", "--days", "6"], "", /^--days must be given only once\./],
    [["revoke-token"], "", /^There is no agent token with the id ""/],
    [
      ["revoke-token", "x"],
      "",
      /^There is no agent token with the id "x"\. To list the ids: npm run users -- tokens$/m,
    ],
    [["revoke-token", "1.0"], "", /^There is no agent token/],
    [["revoke-token", "987654321"], "", /^There is no agent token with the id "987654321"/],
    [["revoke-token", "9".repeat(30)], "", /^There is no agent token/],
  ])("rejects the arguments %j", async (args, stdin, message) => {
    const { code, errors } = await users(args, stdin);
    expect(errors).toMatch(message);
    expect(code).toBe(2);
  });

  it.each([
    ["an option without a value", ["token", email, "--days"], {}, "'--days <value>'"],
    ["an unknown user", ["remove", "nobody@example.com"], {}, "There is no user nobody@example.com."],
    ["a missing DATABASE_URL", ["list"], { DATABASE_URL: "" }, "DATABASE_URL is not set"],
  ])("exits with code 2 for %s, and prints the error on stderr", async (_, args, env, message) => {
    expect(await start(args, "", env)).toEqual({
      code: 2,
      output: "",
      errors: expect.stringContaining(message),
    });
  });
});
