// @module-tag server
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { exportPerson } from "../../../../tools/warehouse/person/export.ts";
import type { Kind } from "../../../../tools/warehouse/person/places.ts";
import { inactiveClients } from "../../../../tools/warehouse/person/present.ts";
import {
  CLIENT,
  db,
  ERASURE_KEY,
  isServer,
  key,
  NAME,
  PROFESSIONAL,
  plant,
  query,
  removePlanted,
  search,
  TRACES,
  usePersons,
  visit,
  warehouse,
} from "./fixture.ts";

const SCRIPT = join(import.meta.dirname, "../../../../tools/warehouse/cli.ts");

usePersons();

describe("an export", () => {
  const exported = async (kind: Kind, id: string) => JSON.parse((await exportPerson(db, kind, id)) ?? "null");

  it("has every row that concerns the client and nothing of another client (A16)", async () => {
    const { rows, ...rest } = await exported("client", CLIENT);
    expect(rest).toMatchObject({ kind: "client", id: CLIENT });
    const keys = Object.fromEntries(
      Object.entries<Record<string, unknown>[]>(rows).map(([table, found]) => [
        table,
        found.map((row) => row.salon_id ?? row.transacao_id ?? row.erp_id ?? row.record_id ?? row.route),
      ]),
    );
    expect(keys).toEqual({
      transacoes: ["pt 1", "pt 2"],
      vendas_produto: ["pv 1"],
      lancamentos: ["pl 1"],
      pagamentos_erp: [970001],
      acessos: ["/v1/transacoes", "pt 1", "pl 1", "/v1/transacoes"],
    });
    expect(rows.transacoes[0].raw_data.cliente).toEqual({ id: CLIENT, nome: NAME, telefone: "5500" });
    expect(rest.mentioned_in_rows_of_others.map(({ in_table }: { in_table: string }) => in_table)).toEqual([
      "jobs_log",
      "produtos",
      "transacoes",
    ]);
    expect(JSON.stringify({ rows, rest })).not.toMatch(/Maria|cliente-8a1|reader@example/);
  });

  it("is recorded, with the hash of the id if there is a key (A15, A16)", async () => {
    await exportPerson(db, "client", CLIENT);
    await exportPerson(db, "client", CLIENT, key);
    await exportPerson(db, "professional", PROFESSIONAL, key);
    await exportPerson(db, "client", "never seen", key);
    expect(
      await query("select cliente_id, record_id, change from acessos where change is not null order by id"),
    ).toEqual([
      { cliente_id: null, record_id: null, change: "person export" },
      { cliente_id: key.hashOf("client", CLIENT), record_id: null, change: "person export" },
      { cliente_id: null, record_id: key.hashOf("professional", PROFESSIONAL), change: "person export" },
    ]);
  });

  it("keeps every digit of numbers (A16, V2)", async () => {
    await query(`update transacoes set raw_data = '{"n": 12345678901234567890.10}' where salon_id = 'pt 1'`);
    expect(await exportPerson(db, "client", CLIENT)).toContain('"n": 12345678901234567890.10');
  });

  it("of a professional has no client in it (A16)", async () => {
    const { rows } = await exported("professional", PROFESSIONAL);
    expect(Object.keys(rows).sort()).toEqual([
      "lancamentos",
      "profissionais",
      "transacoes",
      "vendas_produto",
    ]);
    expect(rows.transacoes[0].servicos).toEqual([
      { idProfissionalQueRealizouServico: Number(PROFESSIONAL), nome: "Escova", valor: 150.45 },
    ]);
    expect(JSON.stringify(rows)).not.toMatch(/zuleide|maria|cliente-/i);
  });

  it("of somebody who was never here is none (A16)", async () => {
    expect(await exportPerson(db, "client", "never seen")).toBeUndefined();
  });
});

describe("anonymising by age", () => {
  it("finds the clients without a visit or purchase since, and keeps those of unknown date (A16)", async () => {
    await visit("pt 7", "old", "Old One", "2011-01-01 12:00Z");
    await query(
      "insert into vendas_produto (origem, transacao_id, estabelecimento_id, cliente_id) values ('loja', 'pv 7', '201', 'undated')",
    );
    const ids = (await inactiveClients(db, 10)).map(({ id }) => id);
    expect(ids).toContain("old");
    expect(ids).not.toContain(CLIENT);
    expect(ids).not.toContain("undated");
  });
});

describe("the commands", () => {
  const folder = mkdtempSync(join(tmpdir(), "person-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const run = (
    args: string[],
    { input = "", env = {} }: { input?: string; env?: Record<string, string> } = {},
  ) => {
    const { status, stdout, stderr } = spawnSync("node", [SCRIPT, ...args], {
      input,
      encoding: "utf8",
      env: { ...process.env, DATABASE_URL: warehouse.url, ERASURE_KEY, ...env },
    });
    return { status, stdout, stderr };
  };

  it.each([
    [["person"], "person needs export or erase."],
    [["person", "erase"], "Name one client by id, or one professional by --professional <salon_id>."],
    [
      ["person", "export", "a", "--professional", "1"],
      "Name one client by id, or one professional by --professional <salon_id>.",
    ],
    [
      ["person", "erase", "a", "--receipts", "f"],
      "--receipts erases everybody that the file names. Name nobody else.",
    ],
    [["person", "export", "a", "--yes"], "Only person erase accepts --yes, --others and --receipts."],
    [["person", "erase", "a", "--others", "no"], "--others accepts only yes."],
    [
      ["person", "erase", "--receipts", "f", "--others", "yes"],
      "--others needs one person, and not --receipts.",
    ],
    [["person", "export", "a", "--days", "3"], /^person does not accept --days\./],
    [["anonymise"], /^anonymise needs --older-than\./],
    [["anonymise", "--older-than", "0"], "--older-than must be at least 1 year."],
  ])("%j is wrong usage and exits with 2 (A16)", (args, message) => {
    const { status, stderr } = run(args);
    expect(status).toBe(2);
    expect(stderr.replace(/^Working on .*\n/, "")).toMatch(message);
  });

  it("erase needs the key, before it asks anything (A16)", () => {
    const { status, stderr } = run(["person", "erase", CLIENT], { env: { ERASURE_KEY: "" } });
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^ERASURE_KEY must be base64url/)]);
  });

  // The embedded Postgres has one session, which this test holds.
  it.skipIf(!isServer)("ask for the id again, and change nothing if it differs (A16)", async () => {
    const refused = run(["person", "erase", CLIENT], { input: "cliente-7f\n" });
    expect([refused.status, refused.stdout]).toEqual([1, ""]);
    expect(refused.stderr).toMatch(
      /Enter the id of the client again: The ids differ\. Nothing was changed\.$/m,
    );
    expect((await search(TRACES)).length).toBeGreaterThan(5);
    const erased = run(["person", "erase", CLIENT], { input: `${CLIENT}\n` });
    expect([erased.status, JSON.parse(erased.stdout).kind]).toEqual([0, "client"]);
    expect(await search(TRACES)).toEqual([]);
  });

  it.skipIf(!isServer)("export, erase, repeat and name an unknown client by exit codes (A16)", async () => {
    const unknown = run(["person", "erase", "never seen", "--yes"]);
    expect([unknown.status, unknown.stdout]).toEqual([1, ""]);
    expect(unknown.stderr).toMatch(
      "No row and no earlier erasure has this id of a client. Nothing was changed.",
    );
    expect(run(["person", "export", "never seen"]).status).toBe(1);
    expect(JSON.parse(run(["person", "export", CLIENT]).stdout).id).toBe(CLIENT);
    const receipts = join(folder, "receipts.jsonl");
    writeFileSync(receipts, run(["person", "erase", CLIENT, "--yes"]).stdout);
    expect(run(["person", "erase", CLIENT, "--yes"]).status).toBe(0);
    expect(run(["person", "erase", "--receipts", receipts])).toMatchObject({ status: 0, stdout: "" });
    await removePlanted();
    await plant();
    const repeated = run(["person", "erase", "--receipts", receipts]);
    expect(repeated.status).toBe(0);
    expect(repeated.stderr).toMatch("client: 1 receipt; erased again because they had come back: 1.");
    expect(await search(TRACES)).toEqual([]);
    expect(run(["person", "erase", "--receipts", join(folder, "none")]).status).toBe(1);
  });

  it.skipIf(!isServer)("exit with 1 while something is left, also when repeated (A16)", async () => {
    await query("update jobs_log set queue = $1 where queue = 'q'", [`q ${NAME}`]);
    const first = run(["person", "erase", CLIENT, "--yes"]);
    expect([first.status, JSON.parse(first.stdout).left]).toEqual([1, ["left in jobs_log.queue: 1"]]);
    expect(first.stderr).toMatch(/^Rows of others that change: jobs_log 1, produtos 1, transacoes 1\.$/m);
    expect(first.stderr).toMatch(/^left in jobs_log\.queue: 1\nThe erasure is done, but/m);
    const receipts = join(folder, "left.jsonl");
    writeFileSync(receipts, first.stdout);
    expect(run(["person", "erase", CLIENT, "--yes"]).status).toBe(1);
    expect(run(["person", "erase", "--receipts", receipts]).status).toBe(1);
    await query("update jobs_log set queue = 'q' where queue ~ '^q '");
    expect(run(["person", "erase", CLIENT, "--yes"]).status).toBe(0);
    expect(run(["person", "erase", "--receipts", receipts])).toMatchObject({ status: 0, stdout: "" });
  });

  it.skipIf(!isServer)("change nothing above 100 rows of others, without --others yes (A16)", async () => {
    await query(
      "insert into produtos (salon_id, estabelecimento_id, raw_data) select 'pp n' || n, '101', $1 from generate_series(1, 101) as n",
      [JSON.stringify({ nota: NAME })],
    );
    const before = await search(TRACES);
    for (const input of [undefined, `${CLIENT}\n`]) {
      const { status, stdout, stderr } = run(["person", "erase", CLIENT, ...(input ? [] : ["--yes"])], {
        input: input ?? "",
      });
      expect([status, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("More than 100 rows of others would change");
      expect(stderr).not.toContain("Enter the id");
    }
    expect((await search(TRACES)).length).toBe(before.length);
    expect(run(["person", "erase", CLIENT, "--yes", "--others", "yes"]).status).toBe(0);
    expect(await search(TRACES)).toEqual([]);
  });

  it.skipIf(!isServer)("skip receipts of another key, and say so with exit code 1 (A16)", async () => {
    const receipts = join(folder, "two-keys.jsonl");
    const own = run(["person", "erase", CLIENT, "--yes"]).stdout;
    writeFileSync(receipts, `${own}${own.replace(key.id, "00000000")}`);
    await removePlanted();
    await plant();
    const { status, stdout, stderr } = run(["person", "erase", "--receipts", receipts]);
    expect([status, stdout.trim().split("\n").length]).toEqual([1, 1]);
    expect(stderr).toMatch(
      `1 receipt has another key than ${key.id} and was skipped. Repeat with that ERASURE_KEY.`,
    );
    expect(await search(TRACES)).toEqual([]);
  });

  it.skipIf(!isServer)(
    "do not count a request that named the id as a person who came back (A16)",
    async () => {
      const receipts = join(folder, "request.jsonl");
      writeFileSync(receipts, `\uFEFF${run(["person", "erase", CLIENT, "--yes"]).stdout}`);
      await query("insert into acessos (route, cliente_id) values ('/v1/transacoes', $1)", [` ${CLIENT}`]);
      const { status, stdout, stderr } = run(["person", "erase", "--receipts", receipts]);
      expect([status, JSON.parse(stdout).rows]).toEqual([0, { acessos: 1 }]);
      expect(stderr).toMatch("client: 1 receipt; erased again because they had come back: 0.");
      expect(await search(TRACES)).toEqual([]);
    },
  );

  it("refuse a file without a receipt, with exit code 1 (A16)", () => {
    const empty = join(folder, "empty.jsonl");
    writeFileSync(empty, "\n");
    const { status, stderr } = run(["person", "erase", "--receipts", empty]);
    expect([status, stderr]).toEqual([1, expect.stringContaining("has 0 receipts. Nothing was changed.")]);
  });

  it.skipIf(!isServer)("say that a receipt is not written, with exit code 1 (A16)", async () => {
    const full = openSync("/dev/full", "w");
    const { status, stderr } = spawnSync("node", [SCRIPT, "person", "erase", CLIENT, "--yes"], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
      env: { ...process.env, DATABASE_URL: warehouse.url, ERASURE_KEY },
    });
    closeSync(full);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(
        "The erasure is done, but its receipt was not written: run the same command again.",
      ),
    ]);
    expect(JSON.parse(run(["person", "erase", CLIENT, "--yes"]).stdout).hash).toBe(
      key.hashOf("client", CLIENT),
    );
  });

  it.skipIf(!isServer)("accesses finds an erased client by the id if it has the key (A15, A16)", async () => {
    run(["person", "erase", CLIENT, "--yes"]);
    const lines = run(["accesses", "--client", CLIENT]).stdout.trimEnd().split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([5, expect.stringContaining("person erase")]);
    const { status, stderr } = run(["accesses", "--client", CLIENT], { env: { ERASURE_KEY: "" } });
    expect([status, stderr]).toEqual([1, expect.stringContaining("found by the hash of the receipt")]);
  });

  it.skipIf(!isServer)("anonymise only says what it would erase, until --yes (A16)", async () => {
    await visit("pt 7", "old 7f3", NAME, "2011-01-01 12:00Z");
    const dry = run(["anonymise", "--older-than", "10"], { env: { ERASURE_KEY: "" } });
    expect([dry.status, dry.stdout]).toEqual([0, ""]);
    expect(dry.stderr).toMatch(
      /^\d+ clients? had no visit .*\nNothing was changed\. To erase them, add --yes\.$/m,
    );
    expect(await query("select from transacoes where cliente_salon_id = 'old 7f3'")).toHaveLength(1);
    const done = run(["anonymise", "--older-than", "10", "--yes"]);
    expect(done.status).toBe(0);
    expect(
      done.stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).hash),
    ).toContain(key.hashOf("client", "old 7f3"));
    expect(await query("select from transacoes where cliente_salon_id = 'old 7f3'")).toEqual([]);
    expect(await query("select from transacoes where cliente_salon_id = $1", [CLIENT])).toHaveLength(2);
  });
});
