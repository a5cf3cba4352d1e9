// @module-tag server
import { userInfo } from "node:os";
import { Readable } from "node:stream";
import { parseArgs } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMAND_LINE, readCommand } from "../../../tools/operate/users.ts";
import { printAccesses } from "../../../tools/warehouse/accesses.ts";
import { connected } from "../../../tools/warehouse/databases.ts";
import { type Database, openDemo } from "../../support/node/databases.ts";
import { runTool } from "../../support/node/run-tool.ts";

const EMAIL = "ana@example.com";

let database: Database;
let db: pg.Client;
beforeAll(async () => {
  database = await openDemo(process.env.TEST_DATABASE_URL, 400);
  db = new pg.Client({ connectionString: database.url });
  await db.connect();
  // Those of the closings of the demo.
  await db.query("delete from acessos");
});
afterAll(async () => {
  await db.end();
  await database.close();
});

/** Runs `npm run warehouse`. */
const warehouse = async (...args: string[]) => {
  const env = { DATABASE_URL: database.url };
  const { output, ...result } = await runTool("warehouse/cli.ts", args, { env });
  return { ...result, lines: output.trimEnd().split("\n").filter(Boolean) };
};

const users = async (...args: string[]) => {
  const parsed = parseArgs({ ...COMMAND_LINE, args });
  const command = readCommand(parsed, { input: Readable.from(["a-password"]), print: () => undefined });
  return connected(database.url, command);
};

const changes = async () =>
  (
    await db.query(
      "select email, change, actor, user_id is not null as has_id from acessos where change is not null order by id",
    )
  ).rows;

describe("npm run users", () => {
  it("records each change with the operating-system user (A15)", async () => {
    await users("add", EMAIL, "Ana");
    for (const name of ["disable", "enable", "password", "sign-out"]) await users(name, EMAIL);
    await users("limit", EMAIL, "--personal-data", "no");
    const token = await users("token", EMAIL, "--days", "2");
    const id = /^(\d+)/.exec(await users("tokens"))?.[1] ?? "";
    await users("revoke-token", id);
    await users("remove", EMAIL);
    const rights = "units all, personal data no, payments yes";
    const found = await changes();
    expect(found.map(({ change }) => change)).toEqual([
      "add: units all, personal data yes, payments yes",
      ...["disable", "enable", "password", "sign-out"],
      `limit: ${rights}`,
      expect.stringMatching(new RegExp(`^token ${id}: until \\d{4}-.*Z, ${rights}$`)),
      `revoke-token ${id}`,
      "remove",
    ]);
    const who = JSON.stringify({ email: EMAIL, actor: userInfo().username, has_id: true });
    expect(
      new Set(
        found.map(({ change: _, ...row }) =>
          JSON.stringify({ email: row.email, actor: row.actor, has_id: row.has_id }),
        ),
      ),
    ).toEqual(new Set([who]));
    expect(JSON.stringify(found)).not.toContain(token);
    expect(JSON.stringify(found)).not.toContain("a-password");
  });

  it("records nothing that fails or only prints (A15)", async () => {
    const before = await changes();
    for (const name of ["disable", "password", "remove", "token"])
      await expect(users(name, "nobody@example.com"), name).rejects.toThrow("There is no user");
    await expect(users("revoke-token", "999")).rejects.toThrow("There is no agent token");
    await users("list");
    await users("tokens");
    expect(await changes()).toEqual(before);
  });

  it("changes nothing if the change cannot be recorded (A15)", async () => {
    await users("add", "bia@example.com", "Bia");
    const state = async () =>
      (await db.query("select ativo, units, session_number from users where email = 'bia@example.com'")).rows;
    const before = await state();
    await db.query("alter table acessos add constraint full_disk check (change is null) not valid");
    try {
      for (const args of [["disable"], ["limit", "--payments", "no"], ["sign-out"], ["remove"], ["token"]])
        await expect(users(args[0] ?? "", "bia@example.com", ...args.slice(1)), args[0]).rejects.toThrow(
          "full_disk",
        );
      await expect(users("add", "caio@example.com", "Caio")).rejects.toThrow("full_disk");
    } finally {
      await db.query("alter table acessos drop constraint full_disk");
    }
    expect(await state()).toEqual(before);
    expect((await db.query("select from agent_tokens")).rowCount).toBe(0);
    expect((await db.query("select from users where email = 'caio@example.com'")).rowCount).toBe(0);
  });
});

describe("npm run warehouse -- accesses", () => {
  let client: string;
  beforeAll(async () => {
    await db.query("delete from acessos");
    const { rows } = await db.query(
      `select t.cliente_salon_id as client, t.salon_id as visit, l.salon_id as entry
       from transacoes t join lancamentos l on l.raw_data ->> 'Transacao' = t.salon_id
       where t.cliente_salon_id is not null limit 1`,
    );
    client = rows[0].client;
    const other = (
      await db.query("select salon_id from transacoes where cliente_salon_id is distinct from $1 limit 1", [
        client,
      ])
    ).rows[0].salon_id;
    const bia = (await db.query("select id from users where email = 'bia@example.com'")).rows[0].id;
    const read = (at: string, columns: Record<string, unknown>) => {
      const row = {
        at,
        request_id: `r-${at.slice(8, 13)}`,
        user_id: bia,
        address: "203.0.113.1",
        row_count: 1,
        csv: false,
        ...columns,
      };
      const names = Object.keys(row);
      return db.query(
        `insert into acessos (${names}) values (${names.map((_, n) => `$${n + 1}`)})`,
        Object.values(row),
      );
    };
    await read("2026-11-20T02:59:59Z", {
      route: "/v1/transacoes",
      cliente_id: client,
      session_kind: "api",
      row_count: 3,
    });
    await read("2026-11-20T03:00:00Z", {
      route: "/v1/transacoes/:id",
      record_id: rows[0].visit,
      session_kind: "browser",
    });
    await read("2026-11-21T10:00:00Z", {
      route: "/v1/lancamentos/:id",
      record_id: rows[0].entry,
      session_kind: "agent",
      agent_token_id: 4,
    });
    await read("2026-11-22T02:59:59Z", {
      route: "/v1/transacoes",
      session_kind: "oauth",
      session_client: "https://claude.ai/x",
      row_count: 50,
      csv: true,
    });
    await read("2026-11-22T03:00:00Z", {
      route: "/v1/transacoes/:id",
      record_id: other,
      email: "old@example.com",
      user_id: 99,
    });
    await read("2026-11-22T04:00:00Z", { route: "/v1/transacoes", row_count: 0 });
  });

  it("prints all reads, oldest first, and looks up the e-mail of a user (A15)", async () => {
    const { code, lines, errors } = await warehouse("accesses");
    expect(code).toBe(0);
    expect(lines).toHaveLength(6);
    expect(lines[0]).toBe(
      `2026-11-20T02:59:59Z  bia@example.com  api  from 203.0.113.1  /v1/transacoes  client "${client}"  3 rows  request "r-20T02"`,
    );
    expect(lines[2]).toContain("  agent token 4  from");
    expect(lines[3]).toContain(
      '  oauth "https://claude.ai/x"  from 203.0.113.1  /v1/transacoes  50 rows  CSV  request',
    );
    expect(errors).toContain("6 accesses.");
  });

  it("prints what a reader chose as JSON strings, on the line of the access (A15)", async () => {
    const chosen = [
      `C-1  3 rows  request "r-1"`,
      "C-1\n2026-11-20T02:59:59Z  bia@example.com",
      "C-1\u2028\u2029\u0085\u000b\u000c\r\u007f\u001b[2K",
      "C-1\u202e\u2066\u2069\u200f\u061c\ufeff\u{e0041}\\",
      "C-1\u115f\u1160\u3164\uffa0\u034f\ufe0f\u{e0100}\u17b4\u180b\u2800\ue000\u{f0000}\u00a0\u3000\u2003\u0378\ufff0",
      "João 5% – Ñandú 株式 😀 e\u0301",
    ];
    for (const text of chosen)
      await db.query(
        `insert into acessos (at, route, request_id, record_id, cliente_id, session_kind, session_client, address)
         values ('2019-05-05T12:00:00Z', '/v1/transacoes/:id', $1, $1, $1, 'oauth', $1, '203.0.113.1')`,
        [text],
      );
    const lines: string[] = [];
    await printAccesses(db, { to: "2019-05-05" }, (line) => lines.push(line));
    await db.query("delete from acessos where at < '2020-01-01'");
    expect(lines).toHaveLength(chosen.length);
    expect(lines.at(-1)).toContain(`client "${chosen.at(-1)}"`);
    for (const [n, line] of lines.entries()) {
      expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/u);
      const strings = line.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
      expect(strings.map((text) => JSON.parse(text))).toEqual(Array(4).fill(chosen[n]));
      expect(line.replaceAll(/"(?:[^"\\]|\\.)*"/g, "…").slice(20)).toBe(
        "  oauth …  from 203.0.113.1  /v1/transacoes/:id  record …  client …  request …",
      );
    }
  });

  it("finds the reads of a client by filter and by records, and counts lists that may have held it (A15)", async () => {
    const { lines, errors } = await warehouse("accesses", "--client", client);
    expect(lines.map((line) => line.slice(0, 10))).toEqual(["2026-11-20", "2026-11-20", "2026-11-21"]);
    expect(errors).toContain("3 accesses.");
    expect(errors).toContain("1 read of lists, reports and feeds in that time may have held the client.");
  });

  it("takes days in Brasília, the last one included (A15)", async () => {
    const { lines } = await warehouse("accesses", "--from", "2026-11-20", "--to", "2026-11-21");
    expect(lines.map((line) => line.slice(0, 20))).toEqual([
      "2026-11-20T03:00:00Z",
      "2026-11-21T10:00:00Z",
      "2026-11-22T02:59:59Z",
    ]);
  });

  it("finds a user as reader and as the one whose rights changed, also when removed (A15)", async () => {
    await users("limit", "bia@example.com", "--payments", "no");
    const all = async () => (await warehouse("accesses", "--user", "Bia@example.com")).lines;
    const found = await all();
    expect(found).toHaveLength(6);
    expect(found.at(-1)).toMatch(/bia@example\.com {2}limit: units all, .*payments no by \S+$/);
    await users("remove", "bia@example.com");
    expect(await all()).toHaveLength(7);
    expect((await warehouse("accesses", "--user", "old@example.com")).lines).toHaveLength(1);
  });

  it("says that a user or a client is unknown, and refuses a bad day (A15)", async () => {
    for (const [option, value] of [
      ["--user", "nobody@example.com"],
      ["--client", "C-unknown"],
    ] as const) {
      const { code, errors } = await warehouse("accesses", option, value);
      expect([code, errors]).toEqual([
        1,
        expect.stringContaining("No user, row or access has this e-mail or id."),
      ]);
    }
    for (const day of ["2026-02-30", "20/11/2026", "2026-11-20T00:00:00Z"])
      expect(await warehouse("accesses", "--from", day), day).toMatchObject({
        code: 2,
        errors: expect.stringContaining(`--from must be a day such as 2026-11-30; got "${day}".`),
      });
  });

  it("refuses a range that ends before it begins, and options of other commands (A15)", async () => {
    expect(await warehouse("accesses", "--from", "2026-11-21", "--to", "2026-11-20")).toMatchObject({
      code: 2,
      errors: expect.stringContaining("--from must not be after --to."),
    });
    for (const [command, option] of [
      ["accesses", "--days"],
      ["prune-accesses", "--from"],
      ["prune", "--user"],
    ] as const)
      expect(await warehouse(command, option, "3"), command).toMatchObject({
        code: 2,
        errors: expect.stringContaining(`${command} does not accept ${option}.`),
      });
  });

  it("prints more accesses than one batch, each once (A15)", async () => {
    await db.query(
      "insert into acessos (route, at, request_id) select '/v1/x', '2026-01-01Z', i::text from generate_series(1, 12000) i",
    );
    const { lines } = await warehouse("accesses", "--to", "2026-01-02");
    expect(new Set(lines).size).toBe(12_000);
    expect(lines).toHaveLength(12_000);
  });

  it("deletes accesses older than a number of days (A15)", async () => {
    await db.query("update acessos set at = now() where route is distinct from '/v1/x'");
    const { code, lines } = await warehouse("prune-accesses", "--days", "30");
    expect([code, lines]).toEqual([0, ["12000 accesses deleted"]]);
    expect((await db.query("select from acessos where route = '/v1/x'")).rowCount).toBe(0);
    expect((await changes()).at(-1)).toMatchObject({
      change: "prune-accesses --days 30: 12000 deleted",
      actor: userInfo().username,
    });
    expect((await warehouse("prune-accesses")).code).toBe(2);
    expect(await warehouse("prune-accesses", "--days", "0")).toMatchObject({
      code: 2,
      errors: expect.stringContaining("--days must be at least 1."),
    });
  });
});
