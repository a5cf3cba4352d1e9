// @module-tag server
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { closeMonth, reopenMonth, verifyClosings } from "../../../tools/warehouse/closings.ts";
import { openMigrated } from "../../support/node/databases.ts";
import { runTool } from "../../support/node/run-tool.ts";

let url: string;
let db: pg.Client;
let close: () => Promise<void>;
const connect = async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client;
};

beforeAll(async () => {
  ({ url, close } = await openMigrated(process.env.TEST_DATABASE_URL));
  db = await connect();
  await db.query("insert into estabelecimentos (nome, salon_id) values ('Um', '1'), ('Dois', '2')");
  await db.query(
    `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
     values ('a', '1', 100.10, '2026-03-01T03:00:00Z', '[]', '{}'), ('b', '1', 20, '2026-04-01T02:59:59.999999Z', '[]', '{}'),
       ('c', '2', 7, '2026-04-01T03:00:00Z', '[]', '{}')`,
  );
});
afterAll(async () => {
  await db.end();
  await close();
});

const run = (...args: string[]) => runTool("warehouse/cli.ts", args, { env: { DATABASE_URL: url } });
const rowsOf = async (mes: string) =>
  (await db.query("select * from fechamentos where mes = $1 order by versao", [mes])).rows;

describe("closing a month (F2)", () => {
  it("signs the figures of the month in Brasília, with every digit", async () => {
    await closeMonth(db, "2026-03", { note: "Enviado" });
    const [row] = await rowsOf("2026-03");
    expect(JSON.parse(row.valores)).toEqual({
      unidades: [
        {
          estabelecimento_id: "1",
          ...{ faturamento: 120.1, visitas: 2, valor_servicos: 120.1, valor_produtos: 0 },
          ...{ lancamentos: 0, valor_lancamentos: 0 },
        },
      ],
      pagamentos: [],
    });
    expect(row.valores).toContain('"faturamento":120.10,');
    expect(row).toMatchObject({
      versao: 1,
      tipo: "fechamento",
      nota: "Enviado",
      usuario: expect.stringMatching(/./),
    });
    expect(Object.keys(JSON.parse(row.marcadores))).toEqual([
      ...["transacoes", "vendas-produto", "lancamentos", "pagamentos-erp"],
    ]);
    expect(JSON.parse(row.marcadores).transacoes).toEqual({
      epoch: expect.stringMatching(/^[0-9a-f]{12}$/),
      position: 3,
    });
  });

  it("has the SHA-256 of the stored text of month, time, figures and markers, and of the row before, whatever its note", async () => {
    await closeMonth(db, "2026-04");
    const { rows } = await db.query(`
      select hash, hash_anterior, lag(hash) over (order by id) as before, encode(sha256(convert_to(
        mes || E'\\n' || to_char(registrado_em at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || E'\\n' || valores || E'\\n'
        || marcadores || E'\\n' || coalesce(hash_anterior, ''), 'UTF8')), 'hex') as expected
      from fechamentos order by id`);
    expect(rows.length).toBeGreaterThan(1);
    for (const { hash, expected, hash_anterior, before } of rows)
      expect([hash, hash_anterior]).toEqual([expected, before]);
    await db.query("update fechamentos set nota = 'another'");
    expect(await verifyClosings(db)).toEqual({ count: rows.length, changed: [] });
  });

  it("again adds a version, and a reopening one that says so, and none is changed or deleted", async () => {
    await closeMonth(db, "2026-03");
    await reopenMonth(db, "2026-03", { note: "Faltou uma nota" });
    await expect(reopenMonth(db, "2026-03")).rejects.toThrow("2026-03 is not closed.");
    await expect(reopenMonth(db, "2026-01")).rejects.toThrow("2026-01 is not closed.");
    await closeMonth(db, "2026-03");
    expect((await rowsOf("2026-03")).map(({ versao, tipo }) => `${versao} ${tipo}`)).toEqual([
      ...["1 fechamento", "2 fechamento", "3 reabertura", "4 fechamento"],
    ]);
    for (const change of [
      "update fechamentos set valores = '{}'",
      "update fechamentos set mes = '2020-01', nota = 'x'",
      "delete from fechamentos",
      "truncate fechamentos",
    ])
      await expect(db.query(change), change).rejects.toThrow(/never changed or deleted/);
  });

  it.each([
    [
      "a running month",
      new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 7),
      /is not over\. Close it when/,
    ],
    ["a later month", "2199-12", /is not over/],
    ["no month", "2026-13", /must be AAAA-MM, for example 2026-10; got "2026-13"/],
    ["a year", "2026", /must be AAAA-MM/],
  ])("refuses %s", async (_, mes, message) => {
    await expect(closeMonth(db, mes)).rejects.toThrow(message);
    await expect(rowsOf(mes)).resolves.toEqual([]);
  });

  it("refuses a month that the data do not reach, until a run brought them", async () => {
    await db.query(
      "insert into jobs_log (queue, job_name, status, created_at, duration_ms) values ('sync', 'sync-transacoes', 'completed', '2026-02-28T12:00:00-03:00', 0)",
    );
    await expect(closeMonth(db, "2026-02")).rejects.toThrow(
      "The data reach 2026-02-28 12:00 in Brasília, and 2026-02 ends later.",
    );
    await db.query(
      "insert into jobs_log (queue, job_name, status, created_at, duration_ms) values ('sync', 'sync-transacoes', 'completed', '2026-03-01T00:00:00-03:00', 0)",
    );
    await closeMonth(db, "2026-02");
    await db.query("delete from jobs_log");
  });

  it.each([[""], [" "], ["x".repeat(501)], ["a\nb"], ["a\u0001b"], ["a\u2028b"], ["a\u202eb"]])(
    "refuses the note %j",
    async (note) => {
      await expect(closeMonth(db, "2026-03", { note })).rejects.toThrow(
        /^--note must have 1 to 500 characters/,
      );
    },
  );

  it("is a command that prints the hash and is recorded (A15)", async () => {
    const closed = await run("close", "2025-12", "--note", "Para o contador");
    const [row] = await rowsOf("2025-12");
    expect(closed.output).toContain(
      `Closed 2025-12, version 1, with 0 units and 0 kinds of payments. Keep its hash outside of the database: ${row.hash}`,
    );
    const reopened = await run("reopen", "2025-12");
    expect(reopened.output).toMatch(/^Reopened 2025-12, version 2\. .*: [0-9a-f]{64}$/m);
    const { rows } = await db.query("select change from acessos where change like '%2025-12' order by id");
    expect(rows.map(({ change }) => change)).toEqual(["close 2025-12", "reopen 2025-12"]);
    expect((await run("close")).code).toBe(2);
    expect((await run("close", "2199-12")).code).toBe(1);
  });
});

describe("verify (F2)", () => {
  /** Changes rows as somebody could who owns the table. */
  const tamper = async (change: string) => {
    await db.query(`begin; alter table fechamentos disable trigger all; ${change}`);
    const { changed } = await verifyClosings(db);
    await db.query("rollback");
    return changed;
  };
  const FIRST = "id = (select min(id) from fechamentos)";

  it.each([
    [
      "rounded figures",
      `update fechamentos set valores = replace(valores, '120.10', '120.1') where ${FIRST}`,
    ],
    [
      "another figure",
      `update fechamentos set valores = replace(valores, '120.10', '130.10') where ${FIRST}`,
    ],
    [
      "another time",
      `update fechamentos set registrado_em = registrado_em + interval '1 microsecond' where ${FIRST}`,
    ],
    ["another marker", `update fechamentos set marcadores = replace(marcadores, '3', '2') where ${FIRST}`],
    ["another month", `update fechamentos set mes = '2026-05' where ${FIRST}`],
  ])("names a row with %s", async (_, change) => {
    expect((await tamper(change))[0]).toMatch(
      /^fechamentos: 2026-0\d, version 1: its hash is not that of what is stored$/,
    );
  });

  it("names the row after a deleted one, and the row of a month that was closed again", async () => {
    const lines = await tamper(`delete from fechamentos where ${FIRST}`);
    expect(lines).toContain("fechamentos: 2026-04, version 1: the row before it was changed or deleted");
    expect(lines).toContain("fechamentos: 2026-03, version 2: an earlier version was deleted");
  });

  it("exits with 1 and says what to do", async () => {
    expect((await run("verify")).output).toMatch(/^fechamentos: all \d+ hashes match$/m);
    await db.query(
      `alter table fechamentos disable trigger all; update fechamentos set usuario = usuario, marcadores = marcadores || ' ' where ${FIRST}`,
    );
    const { code, output, errors } = await run("verify");
    expect([code, output, errors]).toEqual([
      1,
      expect.stringMatching(/^fechamentos: 2026-03, version 1: its hash/m),
      expect.stringContaining("A closing was changed after it was signed."),
    ]);
    await db.query(
      `update fechamentos set marcadores = rtrim(marcadores) where ${FIRST}; alter table fechamentos enable trigger all`,
    );
    expect((await verifyClosings(db)).changed).toEqual([]);
  });
});

describe.runIf(inject("isServer"))("closings beside other sessions (F2)", () => {
  it("wait for a loader and contain what it wrote, with a marker behind it", async () => {
    const loader = await connect();
    await loader.query(
      `begin; insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
       values ('late', '2', 50, '2026-03-15T12:00:00Z', '[]', '{}')`,
    );
    const closing = closeMonth(db, "2026-03");
    // The closing waits for the loader, which no statement shows before it holds the lock.
    const waiting =
      "select count(*)::int as n from pg_locks where not granted and relation = 'transacoes'::regclass";
    await expect.poll(async () => (await loader.query(waiting)).rows[0].n, { timeout: 20_000 }).toBe(1);
    await loader.query("commit");
    const { versao } = await closing;
    await loader.end();
    const row = (await rowsOf("2026-03")).find((one) => one.versao === versao);
    expect(JSON.parse(row.valores).unidades).toMatchObject([{ visitas: 2 }, { faturamento: 50, visitas: 1 }]);
    const { rows } = await db.query("select max(change)::int as newest from transacoes_changes");
    expect(JSON.parse(row.marcadores).transacoes.position).toBe(rows[0].newest);
  });

  it("form one chain, also if several close at once", async () => {
    const sessions = await Promise.all(Array.from({ length: 4 }, connect));
    const closed = await Promise.all(sessions.map((session) => closeMonth(session, "2025-11")));
    await Promise.all(sessions.map((session) => session.end()));
    expect(closed.map(({ versao }) => versao).sort()).toEqual([1, 2, 3, 4]);
    expect((await verifyClosings(db)).changed).toEqual([]);
  });
});
