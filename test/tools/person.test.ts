// @module-tag server
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { verifyFeeds } from "../../tools/warehouse/feeds.ts";
import { erasePersons } from "../../tools/warehouse/person/erase.ts";
import { exportPerson } from "../../tools/warehouse/person/export.ts";
import { type Kind, PLACES } from "../../tools/warehouse/person/places.ts";
import { inactiveClients, returnedPersons } from "../../tools/warehouse/person/present.ts";
import { parseReceipts, type Receipt, readKey } from "../../tools/warehouse/person/receipts.ts";
import { createFollower } from "../oracle/follower.ts";
import { type Service, startService } from "../oracle/service.ts";
import { runRandomLoaders } from "../oracle/storm.ts";
import { openWarehouse, type Warehouse } from "../oracle/warehouse.ts";

const SCRIPT = join(import.meta.dirname, "../../tools/warehouse/cli.ts");
const isServer = inject("isServer");
const ERASURE_KEY = randomBytes(32).toString("base64url");
const key = readKey(ERASURE_KEY);

let warehouse: Warehouse;
let db: pg.Client;
let service: Service;

beforeAll(async () => {
  warehouse = await openWarehouse(inject("fuzzSeed"));
  db = warehouse.db;
  service = await startService(warehouse.url, isServer ? 4 : 1);
});
afterAll(async () => {
  await service.stop();
  await warehouse.close();
});

const CLIENT = "cliente-7f3";
const NAME = "Zuleide Quixadá";
const OTHER = "cliente-8a1";
const PROFESSIONAL = "970013";
const PAID = "Ubirajara Xerém";
/** Names that only these tests have, as a search of the whole database may find them. */
const TRACES = /7f3|zuleide/i;

const query = async (sql: string, values: unknown[] = []) => (await db.query(sql, values)).rows;

const visit = (id: string, client: string | null, name: string | null, at = "2026-03-05 12:00-03") =>
  query(
    `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, qtd_servicos, servicos, raw_data)
     values ($1, '101', 150.45, $2, $3, $4, 1, $5, $6)
     on conflict (salon_id) do update set cliente_salon_id = excluded.cliente_salon_id, cliente_nome = excluded.cliente_nome,
       servicos = excluded.servicos, raw_data = excluded.raw_data`,
    [
      id,
      at,
      client,
      name,
      JSON.stringify([
        { idProfissionalQueRealizouServico: Number(PROFESSIONAL), nome: "Escova", valor: 150.45, para: name },
        { idProfissionalQueRealizouServico: 970099, nome: "Corte", valor: 0, cortesia: true },
      ]),
      JSON.stringify({
        id,
        total: 150.45,
        cliente: { id: client, nome: name, telefone: "5500" },
        observacao: `Oi, ${name}!`,
      }),
    ],
  );
const entry = (id: string, visitId: string, name: string) =>
  query(
    `insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ($1, '101', $2)
     on conflict (salon_id) do update set raw_data = excluded.raw_data`,
    [
      id,
      JSON.stringify({
        Transacao: visitId,
        Pessoa: PAID,
        IdProfissional: Number(PROFESSIONAL),
        CentroCusto: "80001",
        ValorBruto: 12.25,
        DataVencimento: "2026-04-05",
        Itens: [{ Item: "Escova", Cliente: name, Valor: 12.25 }],
      }),
    ],
  );

/** A person in every place that a person can be in, and others beside them. */
const plant = async () => {
  await visit("pt 1", CLIENT, NAME);
  await visit("pt 2", CLIENT, "zuleide  QUIXADÁ", "2026-04-05 12:00-03");
  await visit("pt 3", OTHER, "Maria Silva");
  await query(
    `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, cliente_id, cliente_nome, valor_total, quantidade, profissional_id)
     values ('loja', 'pv 1', '201', '2026-03-05', $1, $2, 99.9, 2, $3), ('loja', 'pv 2', '201', null, $4, 'Maria Silva', 10, 1, null)`,
    [CLIENT, NAME, PROFESSIONAL, OTHER],
  );
  await entry("pl 1", "pt 1", NAME);
  await entry("pl 3", "pt 3", "Maria Silva");
  await query(
    `insert into pagamentos_erp (erp_id, situacao, valor, data_vencimento, descricao, raw_data)
     values (970001, 1, 45.5, '2026-05-05', $1, $2), (970002, 1, 7, '2026-05-05', 'Aluguel', '{"Id": 970002}')`,
    [`Reembolso ${NAME} - março`, { Id: 970001, Valor: 45.5, Favorecido: NAME, ClienteId: CLIENT }],
  );
  await query("update transacoes set raw_data = raw_data || $1 where salon_id = 'pt 3'", [
    JSON.stringify({ indicada_por: `amiga da\nZuleide Quixada`, clienteIndicou: CLIENT }),
  ]);
  await query(
    "insert into produtos (salon_id, estabelecimento_id, nome, raw_data) values ('pp 1', '101', 'Kit', $1)",
    [{ reservado: [NAME, 12.5] }],
  );
  await query(
    "insert into jobs_log (queue, job_name, status, error) values ('q', 'send-receber', 'failed', $1)",
    [`no account for ${NAME}`],
  );
  await query(
    "insert into acessos (route, cliente_id, email, row_count) values ('/v1/transacoes', $1, 'reader@example.com', 2), ('/v1/transacoes', $2, 'x@example.com', 1)",
    [CLIENT, OTHER],
  );
  await query("insert into profissionais (nome, salon_id, cpf) values ($1, $2, '00000000000')", [
    PAID,
    PROFESSIONAL,
  ]);
};
const removePlanted = async () => {
  for (const table of ["transacoes", "lancamentos", "produtos"])
    await query(`delete from ${table} where salon_id ~ '^p[tlp] '`);
  await query("delete from vendas_produto where transacao_id ~ '^pv '");
  await query("delete from pagamentos_erp where erp_id in (970001, 970002)");
  await query("delete from jobs_log where error ~ '^no account' or queue = 'q'");
  await query("delete from profissionais where salon_id = $1", [PROFESSIONAL]);
  await query("delete from acessos; delete from erasures");
};
beforeEach(plant);
afterEach(removePlanted);

const erase = (kind: Kind, ...ids: string[]) =>
  erasePersons(db, { kind, ids, key, progress: () => undefined });
const repeat = async (receipts: Receipt[], kind: Kind = "client") =>
  erasePersons(db, {
    kind,
    ...(await returnedPersons(db, kind, receipts, key)),
    key,
    progress: () => undefined,
  });

/** Every row of every table, and the statistics of every column, that matches. */
const search = async (pattern: RegExp): Promise<string[]> => {
  const tables = await query(
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  const found: string[] = [];
  for (const { name } of [...tables, { name: "pg_stats" }]) {
    const rows = await query(
      `select to_jsonb(t)::text as row from ${name} as t where to_jsonb(t)::text ~* $1`,
      [pattern.source],
    );
    found.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  return found;
};

/** Answers with every total, in which nothing depends on who a client or a professional is. */
const totals = async () => {
  const asked: [string, Record<string, string>][] = [
    ["transacoes", { per_page: "1", campos: "total" }],
    ["vendas-produto", { per_page: "1", campos: "origem" }],
    ["relatorios/resumo", {}],
    ["relatorios/transacoes-por-forma-pagamento", {}],
    ...["faturamento", "visitas", "vendas", "servicos"].flatMap(
      (source): [string, Record<string, string>][] => [
        [`relatorios/${source}`, { por: "unidade" }],
        [
          `relatorios/${source}`,
          { por: "mes", data_inicio: "2020-01-01T00:00:00-03:00", data_fim: "2027-01-01T00:00:00-03:00" },
        ],
      ],
    ),
    ["relatorios/lancamentos", { por: "centro_custo", data: "vencimento" }],
    ["relatorios/pagamentos", { por: "conta" }],
  ];
  const answers: Record<string, unknown> = {};
  for (const [path, parameters] of asked) {
    const { data, ...body } = JSON.parse(await service.read(path, parameters));
    answers[`${path} ${JSON.stringify(parameters)}`] = path.startsWith("relatorios") ? (data ?? body) : body;
  }
  return answers;
};

const expectConsistent = async () => {
  expect(await warehouse.differingRollups()).toEqual([]);
  const feeds = await verifyFeeds(warehouse.url, { repair: false, report: () => undefined });
  expect(feeds.filter(({ differences }) => differences > 0)).toEqual([]);
};

describe("the places in which a person is erased", () => {
  it("are all columns that the document marks as personal (A16, A11)", () => {
    const document = parse(readFileSync(join(import.meta.dirname, "../openapi.snapshot.yaml"), "utf8"));
    const schemas = Object.entries<{ properties?: Record<string, object> }>(document.components.schemas);
    const columns = PLACES.flatMap((place) => place.columns.map(({ name }) => name));
    const records = schemas.filter(([name]) =>
      [
        "TransacaoDetalhada",
        "VendaProduto",
        "Lancamento",
        "PagamentoErp",
        "Produto",
        "JobLog",
        "Profissional",
      ].includes(name),
    );
    expect(records).toHaveLength(7);
    const marked = records.flatMap(([, { properties = {} }]) =>
      Object.entries(properties).flatMap(([name, field]) => ("x-personal-data" in field ? [name] : [])),
    );
    expect(columns.toSorted()).toEqual(marked.toSorted());
  });
});

describe("erasing a client", () => {
  it("leaves neither name nor id in any table, rollup, feed or statistic, and every total as it was (A16)", async () => {
    await query("analyze");
    expect((await search(TRACES)).length).toBeGreaterThan(10);
    const before = await totals();
    const [receipt] = await erase("client", CLIENT);
    expect(receipt?.rows).toEqual({
      acessos: 1,
      jobs_log: 1,
      lancamentos: 1,
      pagamentos_erp: 1,
      produtos: 1,
      transacoes: 3,
      vendas_produto: 1,
    });
    expect(await search(TRACES)).toEqual([]);
    expect(await totals()).toEqual(before);
    await expectConsistent();
  });

  it("keeps of the client's rows what a reader without personal data gets, and money (A16, A11)", async () => {
    await erase("client", CLIENT);
    const [row] = await query(
      "select total::text, cliente_salon_id, cliente_nome, qtd_servicos, servicos, raw_data from transacoes where salon_id = 'pt 1'",
    );
    expect(row).toEqual({
      total: "150.45",
      cliente_salon_id: null,
      cliente_nome: null,
      qtd_servicos: 1,
      servicos: [
        { idProfissionalQueRealizouServico: Number(PROFESSIONAL), nome: "Escova", valor: 150.45 },
        { idProfissionalQueRealizouServico: 970099, nome: "Corte", valor: 0, cortesia: true },
      ],
      raw_data: {},
    });
    const [sold] = await query(
      "select valor_total::text, cliente_id from vendas_produto where transacao_id = 'pv 1'",
    );
    expect(sold).toEqual({ valor_total: "99.90", cliente_id: null });
    const [paid] = await query("select raw_data from lancamentos where salon_id = 'pl 1'");
    expect(paid.raw_data).toMatchObject({
      Pessoa: PAID,
      ValorBruto: 12.25,
      Itens: [{ Cliente: null, Valor: 12.25 }],
    });
    const [payment] = await query("select descricao, raw_data from pagamentos_erp where erp_id = 970001");
    expect(payment).toEqual({
      descricao: null,
      raw_data: { Id: 970001, Valor: 45.5, Favorecido: null, ClienteId: null },
    });
  });

  it("changes nothing of others (A16)", async () => {
    const others = async () => [
      ...(await query("select * from transacoes where salon_id not in ('pt 1', 'pt 2', 'pt 3') order by id")),
      ...(await query("select * from vendas_produto where transacao_id <> 'pv 1' order by id")),
      ...(await query("select * from lancamentos where salon_id <> 'pl 1' order by id")),
      ...(await query("select * from pagamentos_erp where erp_id <> 970001 order by id")),
      ...(await query("select * from profissionais order by id")),
      ...(await query("select * from acessos where cliente_id = $1", [OTHER])),
    ];
    const before = await others();
    await erase("client", CLIENT);
    expect(await others()).toEqual(before);
    const [mention] = await query("select cliente_nome, raw_data from transacoes where salon_id = 'pt 3'");
    expect(mention).toMatchObject({
      cliente_nome: "Maria Silva",
      raw_data: { indicada_por: null, clienteIndicou: null, cliente: { id: OTHER, nome: "Maria Silva" } },
    });
  });

  it("removes the person from a payload that names several clients, and keeps the others (A16)", async () => {
    const clients = { a: { id: CLIENT, telefone: "1" }, b: { id: OTHER }, c: [CLIENT, OTHER] };
    await query("update produtos set raw_data = $1 where salon_id = 'pp 1'", [
      { Clientes: clients, n: CLIENT.length },
    ]);
    await erase("client", CLIENT);
    const [product] = await query("select raw_data from produtos where salon_id = 'pp 1'");
    expect(product.raw_data.Clientes).toEqual({ a: null, b: { id: OTHER }, c: [null, OTHER] });
  });

  it("keeps a name that another client or a professional has, where only the name is known (A16)", async () => {
    await visit("pt 4", "cliente-9", NAME);
    await erase("client", CLIENT);
    expect(await query("select cliente_nome from transacoes where salon_id = 'pt 4'")).toEqual([
      { cliente_nome: NAME },
    ]);
    const [payment] = await query("select descricao from pagamentos_erp where erp_id = 970002");
    expect(payment.descricao).toBe("Aluguel");
    const [paid] = await query("select raw_data from lancamentos where salon_id = 'pl 1'");
    expect(paid.raw_data.Itens[0].Cliente).toBeNull();
    const [, job] = [0, (await query("select error from jobs_log where queue = 'q'"))[0]];
    expect(job.error).toBe(`no account for ${NAME}`);
  });

  it("delivers the changed rows to followers of every feed, without the person (A16, C2)", async () => {
    const lists = ["transacoes", "vendas-produto", "lancamentos", "pagamentos-erp"];
    const followers = lists.map((list) => createFollower(service, list));
    for (const follower of followers) await follower.readNewChanges();
    const copied = () =>
      followers.flatMap((follower) => [...follower.copy().values()]).filter((text) => TRACES.test(text));
    expect(copied().length).toBeGreaterThanOrEqual(5);
    let isErasing = true;
    // The embedded Postgres has one session, in which a follower cannot read meanwhile.
    const meanwhile = followers.map(async (follower) => {
      while (isServer && isErasing) await follower.readPage(true);
    });
    await erase("client", CLIENT);
    isErasing = false;
    await Promise.all(meanwhile);
    for (const follower of followers) await follower.readNewChanges();
    expect(copied()).toEqual([]);
    for (const [n, list] of lists.entries()) {
      const fresh = createFollower(service, list);
      await fresh.readNewChanges();
      expect(followers[n]?.copy()).toEqual(fresh.copy());
    }
  });

  it("keeps the hash of the id in the records of access (A15, A16)", async () => {
    const [receipt] = await erase("client", CLIENT);
    expect(await query("select cliente_id from acessos where email = 'reader@example.com'")).toEqual([
      { cliente_id: receipt?.hash },
    ]);
  });

  it("changes nothing and gives no receipt if the client is unknown (A16)", async () => {
    expect(await erase("client", "never seen")).toEqual([]);
    expect((await search(TRACES)).length).toBeGreaterThan(5);
  });

  it("gives a receipt without rows when it is repeated (A16)", async () => {
    const [first] = await erase("client", CLIENT);
    const [again] = await erase("client", CLIENT);
    expect(again).toMatchObject({ hash: first?.hash, rows: {} });
  });

  it("changes nothing if it is interrupted (A16)", async () => {
    const before = await search(TRACES);
    await query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'interrupted'; end $$;
      create trigger refuse before insert on erasures execute function refuse()`);
    try {
      await expect(erase("client", CLIENT)).rejects.toThrow("interrupted");
    } finally {
      await query("drop function refuse cascade");
    }
    expect(await search(TRACES)).toEqual(before);
    await expectConsistent();
  });
});

describe("receipts", () => {
  it("name nobody, and find a client again who came back with a restore (A16)", async () => {
    const receipts = await erase("client", CLIENT);
    const text = receipts.map((receipt) => JSON.stringify(receipt)).join("\n");
    expect(text).not.toMatch(TRACES);
    await removePlanted();
    await plant();
    const again = await repeat(parseReceipts(text, key));
    expect(again).toMatchObject([{ hash: receipts[0]?.hash, rows: { transacoes: 3, lancamentos: 1 } }]);
    await query("analyze");
    expect(await search(TRACES)).toEqual([]);
  });

  it("find a client again whom a late sync brings back with the id (A16)", async () => {
    const receipts = await erase("client", CLIENT);
    await visit("pt 2", CLIENT, NAME);
    await visit("pt 5", CLIENT, NAME);
    expect(await repeat(receipts)).toMatchObject([{ rows: { transacoes: 2 } }]);
    expect(await search(TRACES)).toEqual([]);
  });

  it("find a name again that a late sync brings back without the id, unless somebody else has it (A16)", async () => {
    const receipts = await erase("client", CLIENT);
    await entry("pl 1", "pt 1", NAME);
    await visit("pt 6", "cliente-9", NAME);
    await repeat(receipts);
    expect((await search(TRACES)).length).toBeGreaterThan(0);
    await query("delete from transacoes where salon_id = 'pt 6'");
    expect(await repeat(receipts)).toMatchObject([{ rows: { lancamentos: 1 } }]);
    await query("analyze");
    expect((await search(TRACES)).filter((row) => !row.startsWith("transacoes_"))).toEqual([]);
  });

  it("of another key, or with a wrong line, are an error (A16)", async () => {
    const [receipt] = await erase("client", CLIENT);
    const text = JSON.stringify(receipt);
    expect(() => parseReceipts(text, readKey(randomBytes(32).toString("base64url")))).toThrow(
      /^Line 1 was made with the key [0-9a-f]{8}, and ERASURE_KEY is the key/,
    );
    expect(() => parseReceipts(`${text}\n\n{}`, key)).toThrow(
      "Line 3 is not a receipt. Nothing was changed.",
    );
    expect(() => readKey("short")).toThrow(/^ERASURE_KEY must be base64url of at least 32 bytes/);
  });
});

describe("erasing a professional", () => {
  const THEIRS = /970013|ubirajara|xerem|xerém/i;

  it("leaves neither name nor id, and every total as it was (A16)", async () => {
    const before = await totals();
    const [receipt] = await erase("professional", PROFESSIONAL);
    expect(receipt?.rows).toEqual({ lancamentos: 2, profissionais: 1, transacoes: 3, vendas_produto: 1 });
    await query("analyze");
    expect(await search(THEIRS)).toEqual([]);
    expect(await totals()).toEqual(before);
    await expectConsistent();
    const [row] = await query("select cliente_nome, servicos from transacoes where salon_id = 'pt 1'");
    expect(row.cliente_nome).toBe(NAME);
    expect(row.servicos).toMatchObject([
      { idProfissionalQueRealizouServico: null, valor: 150.45 },
      { idProfissionalQueRealizouServico: 970099 },
    ]);
  });

  it("is repeated by receipts after a restore (A16)", async () => {
    const receipts = await erase("professional", PROFESSIONAL);
    await removePlanted();
    await plant();
    expect(await repeat(receipts, "professional")).toMatchObject([
      { rows: { profissionais: 1, transacoes: 3 } },
    ]);
  });
});

describe("an export", () => {
  const exported = async (kind: Kind, id: string) => JSON.parse((await exportPerson(db, kind, id)) ?? "null");

  it("has every row that concerns the client and nothing of another client (A16)", async () => {
    const { rows, ...rest } = await exported("client", CLIENT);
    expect(rest).toMatchObject({ kind: "client", id: CLIENT });
    const keys = Object.fromEntries(
      Object.entries<Record<string, unknown>[]>(rows).map(([table, found]) => [
        table,
        found.map((row) => row.salon_id ?? row.transacao_id ?? row.erp_id ?? row.route),
      ]),
    );
    expect(keys).toEqual({
      transacoes: ["pt 1", "pt 2"],
      vendas_produto: ["pv 1"],
      lancamentos: ["pl 1"],
      pagamentos_erp: [970001],
      acessos: ["/v1/transacoes"],
    });
    expect(rows.transacoes[0].raw_data.cliente).toEqual({ id: CLIENT, nome: NAME, telefone: "5500" });
    expect(rest.mentioned_in_rows_of_others.map(({ in_table }: { in_table: string }) => in_table)).toEqual([
      "jobs_log",
      "produtos",
      "transacoes",
    ]);
    expect(JSON.stringify({ rows, rest })).not.toMatch(/Maria|cliente-8a1|reader@example/);
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
    expect(repeated.stderr).toMatch("client: 1 receipts, 1 persons had come back and were erased again.");
    expect(await search(TRACES)).toEqual([]);
    expect(run(["person", "erase", "--receipts", join(folder, "none")]).status).toBe(1);
  });

  it.skipIf(!isServer)("anonymise only says what it would erase, until --yes (A16)", async () => {
    await visit("pt 7", "old 7f3", NAME, "2011-01-01 12:00Z");
    const dry = run(["anonymise", "--older-than", "10"], { env: { ERASURE_KEY: "" } });
    expect([dry.status, dry.stdout]).toEqual([0, ""]);
    expect(dry.stderr).toMatch(
      /^\d+ clients had no visit .*\nNothing was changed\. To erase them, add --yes\.$/m,
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

describe("an erasure among loaders", () => {
  it.skipIf(!isServer)("waits for an open transaction, and erases what it commits (A16)", async () => {
    const [loader, own] = [await warehouse.connect(), await warehouse.connect()];
    await loader.query("begin");
    await loader.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, raw_data)
       values ('pt 8', '101', 1, now(), $1, $2, '{}')`,
      [CLIENT, NAME],
    );
    const [{ pid }] = (await own.query("select pg_backend_pid() as pid")).rows;
    const erasing = erasePersons(own, { kind: "client", ids: [CLIENT], key, progress: () => undefined });
    await expect
      .poll(() =>
        query("select from pg_locks where pid = $1 and mode = 'ShareRowExclusiveLock' and not granted", [
          pid,
        ]),
      )
      .toHaveLength(1);
    await loader.query("commit");
    expect((await erasing)[0]?.rows.transacoes).toBe(4);
    expect(await search(TRACES)).toEqual([]);
    await expectConsistent();
  });

  it.skipIf(!isServer)("leaves every sum and feed right (A16, C2)", async () => {
    const loaders = await Promise.all(Array.from({ length: 4 }, warehouse.connect));
    const own = await warehouse.connect();
    const clients = await query(
      "select distinct cliente_salon_id as id from transacoes where cliente_salon_id is not null",
    );
    let isWriting = true;
    const erasing = async () => {
      for (let n = 0; isWriting && n < clients.length; n += 1)
        await erasePersons(own, { kind: "client", ids: [clients[n].id], key, progress: () => undefined });
    };
    const loading = runRandomLoaders(loaders, inject("fuzzSeed"), 20, true, false).finally(() => {
      isWriting = false;
    });
    await Promise.all([loading, erasing()]);
    await expectConsistent();
  });
});

describe("any client of a random warehouse", () => {
  it("is erased without a change of any total (A16)", async () => {
    const clients = await query(
      "select id from (select cliente_salon_id as id from transacoes union select cliente_id from vendas_produto) as c where id is not null order by md5(id) limit 12",
    );
    const ids: string[] = clients.map(({ id }) => id);
    const before = await totals();
    const receipts = await erase("client", ...ids);
    expect(receipts).toHaveLength(ids.length);
    expect(await totals()).toEqual(before);
    await expectConsistent();
    for (const table of [
      "transacoes",
      "vendas_produto",
      "transacoes_cliente_rollup",
      "vendas_cliente_rollup",
    ]) {
      const column = table.startsWith("transacoes") ? "cliente_salon_id" : "cliente_id";
      expect(await query(`select from ${table} where ${column} = any($1)`, [ids])).toEqual([]);
    }
  });
});
