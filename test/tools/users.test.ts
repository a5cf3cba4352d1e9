import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { verifyPassword } from "../../src/auth/passwords.ts";

const SCRIPT = join(import.meta.dirname, "../../tools/users.ts");

/** Runs the command with a password on stdin. */
const users = async (args: string[], stdin = "", env: Record<string, string> = {}) => {
  const child = spawn("node", [SCRIPT, ...args], {
    env: { ...process.env, DATABASE_URL: inject("postgresUrl"), ...env },
  });
  child.stdin.end(stdin);
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), exit]);
  return { code, output, errors };
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

  it("adds a user with a password from stdin, the e-mail in lower case", async () => {
    expect(await users(["add", "Ops@Example.com", "Ops"], "first-password\n")).toEqual({
      code: 0,
      output: `Added ${email}.\n`,
      errors: "",
    });
    expect(verifyPassword("first-password", (await row()).password_hash)).toBe(true);
    expect((await users(["add", email, "Ops"], "first-password")).errors).toBe(
      "There is a user with this e-mail already.\n",
    );
  });

  it("changes a password", async () => {
    expect((await users(["password", email], "second-password")).code).toBe(0);
    expect(verifyPassword("first-password", (await row()).password_hash)).toBe(false);
    expect(verifyPassword("second-password", (await row()).password_hash)).toBe(true);
  });

  it("disables, enables and lists", async () => {
    expect((await users(["disable", email])).output).toMatch(
      /^Disabled ops@example\.com\..* 15 minutes\.\n$/,
    );
    expect((await row()).ativo).toBe(false);
    expect((await users(["list"])).output).toMatch(/ops@example\.com {2}Ops {2}disabled\n/);
    expect((await users(["enable", email])).output).toBe(`Enabled ${email}, who may sign in again.\n`);
    expect((await row()).ativo).toBe(true);
    expect((await users(["list"])).output).toMatch(/ops@example\.com {2}Ops {2}active\n/);
  });

  it("password, disable, enable and sign-out raise the session number, and nothing else does (A9)", async () => {
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
    await db.query("update users set name = 'Operations', updated_at = now() where email = $1", [email]);
    expect(await number()).toBe(last);
  });

  it("the session number never is one it has been, not even after a restore to an earlier moment (A9)", async () => {
    await users(["sign-out", email]);
    const { session_number: begunLater } = await row();
    // The row as a backup has it.
    const { rows } = await db.query("delete from users where email = $1 returning *", [email]);
    const { name, password_hash, identity } = rows[0];
    await db.query(
      "insert into users (email, name, password_hash, identity, session_number) values ($1, $2, $3, $4, 0)",
      [email, name, password_hash, identity],
    );
    await users(["sign-out", email]);
    expect(Number((await row()).session_number)).toBeGreaterThan(Number(begunLater));
  });

  it("removes, and a user of the same e-mail is another one", async () => {
    const identity = async () =>
      (await db.query("select identity from users where email = $1", [email])).rows[0]?.identity;
    const before = await identity();
    expect((await users(["remove", email])).output).toMatch(/^Removed ops@example\.com\./);
    expect(await row()).toBeUndefined();
    await users(["add", email, "Ops"], "first-password");
    expect(await identity()).toMatch(/^[\da-f-]{36}$/);
    expect(await identity()).not.toBe(before);
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
    [["enable", "nobody@example.com"], "", /There is no user nobody@example\.com/],
    [["sign-out", "nobody@example.com"], "", /There is no user nobody@example\.com/],
    [["remove", "nobody@example.com"], "", /There is no user nobody@example\.com/],
    [["remove"], "", /is not an e-mail address/],
  ])("%j is refused with exit code 2", async (args, stdin, message) => {
    const { code, errors } = await users(args, stdin);
    expect(errors).toMatch(message);
    expect(code).toBe(2);
  });

  it("tells that DATABASE_URL is missing", async () => {
    expect(await users(["list"], "", { DATABASE_URL: "" })).toMatchObject({
      code: 2,
      errors: expect.stringContaining("DATABASE_URL is not set"),
    });
  });
});
