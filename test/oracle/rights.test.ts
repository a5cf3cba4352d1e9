// @module-tag server
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Rights } from "../../src/core/rights.ts";
import { type Database, openMigrated } from "../support/databases.ts";
import { createFollower } from "./follower.ts";
import {
  LISTS,
  parametersOf,
  questionsOnClients,
  questionsOverTime,
  questionsTo,
  questionsToReports,
  REPORTS,
  REPORTS_OVER_TIME,
  rangeOffsets,
} from "./questions.ts";
import { ROW_REPORTS } from "./row-reports.ts";
import { type Reader, type Service, startService } from "./service.ts";
import { runRandomLoaders } from "./storm.ts";
import { openWarehouse, type Warehouse } from "./warehouse.ts";

const [seed, rounds, isServer] = [inject("oracleSeed"), inject("oracleRounds"), inject("isServer")];
const SESSIONS = isServer ? 8 : 1;

/** The unit of a row, by table. Tables without units are copied whole. */
const UNIT_COLUMNS: Record<string, string | undefined> = {
  transacoes: "estabelecimento_id",
  lancamentos: "estabelecimento_id",
  vendas_produto: "estabelecimento_id",
  produtos: "estabelecimento_id",
  pagamentos_erp: undefined,
  jobs_log: undefined,
  taxas_cartao: undefined,
  profissionais: "salon_estabelecimento_id",
  estabelecimentos: "salon_id",
};
/** Names are looked up everywhere (V5, V6), so these are limited in a second step only. */
const LOOKED_UP = ["profissionais", "estabelecimentos"];

/** What a reader without personal data may see of `servicos`, written unlike the service's SQL. */
const MASKED_SERVICES = `case when jsonb_typeof(servicos) = 'array' then (
  select coalesce(jsonb_agg(case when jsonb_typeof(item) <> 'object' then 'null' else (
    select coalesce(jsonb_object_agg(k, case when item -> k @? '$.keyvalue()' or jsonb_typeof(item -> k) = 'array' or jsonb_typeof(item -> k) = 'object' then 'null' else item -> k end), '{}')
    from unnest('{idProfissionalQueRealizouServico,nome,valor,cortesia}'::text[]) as k where item ? k) end order by n), '[]')
  from jsonb_array_elements(servicos) with ordinality as items(item, n)) end`;

const MASKS: Record<string, string> = {
  transacoes: `cliente_salon_id = null, cliente_nome = null, raw_data = '{}', servicos = ${MASKED_SERVICES}`,
  lancamentos: "raw_data = '{}'",
  vendas_produto: "cliente_id = null, cliente_nome = null",
  produtos: "raw_data = '{}'",
  profissionais: "cpf = null",
  pagamentos_erp: "descricao = null, raw_data = '{}'",
};

/** A database that holds only what the rights allow. */
const openLimited = async (from: pg.Client, { units, personalData }: Rights) => {
  const database: Database = await openMigrated(process.env.TEST_DATABASE_URL);
  const db = new pg.Client({ connectionString: database.url });
  await db.connect();
  const isOutside = (table: string) => `(${UNIT_COLUMNS[table]} = any($1::text[])) is not true` as const;
  for (const [table, column] of Object.entries(UNIT_COLUMNS)) {
    const { rows } = await from.query(
      `select coalesce(json_agg(t order by id), '[]')::text as rows from ${table} t`,
    );
    await db.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`, [
      rows[0].rows,
    ]);
    if (units !== null && column !== undefined && !LOOKED_UP.includes(table))
      await db.query(`delete from ${table} where ${isOutside(table)}`, [units]);
  }
  return {
    url: database.url,
    /** Masks personal data. Reports read what is masked, so they are compared before. */
    mask: async () => {
      if (!personalData)
        for (const [table, change] of Object.entries(MASKS)) await db.query(`update ${table} set ${change}`);
      if (!personalData || units !== null) await db.query("update jobs_log set error = null");
    },
    /** Removes the professionals and units that are outside, too. */
    limitLookedUp: async () => {
      if (units !== null)
        for (const table of LOOKED_UP)
          await db.query(`delete from ${table} where ${isOutside(table)}`, [units]);
    },
    close: async () => {
      await db.end();
      await database.close();
    },
  };
};

const someRights: fc.Arbitrary<Rights> = fc
  .record({
    units: fc.option(fc.subarray(["101", "102", "201", "777", ""], { minLength: 1, maxLength: 3 }), {
      freq: 4,
    }),
    personalData: fc.boolean(),
  })
  .map(({ units, personalData }) => ({ units: units?.toSorted() ?? null, personalData, payments: true }));

/** The paths that were compared, as the document writes them. */
const compared = new Set<string>();

/** Compares a limited user on the full database with an unlimited one on the limited database. */
const compare = async (
  [limited, control]: [Reader, Reader],
  { units, personalData }: Rights,
  path: string,
  query: Record<string, string>,
  pick: (body: string) => unknown = (body) => body,
) => {
  const [actual, expected] = await Promise.all([limited.request(path, query), control.request(path, query)]);
  const what = `${path} ${JSON.stringify(query)}`;
  const asked = query.estabelecimento_id;
  compared.add(
    path.replace(/^(\w+[\w-]*)\/.*$/, (all, list) =>
      /^(relatorios|alteracoes)$/.test(list) ? all : `${list}/{id}`,
    ),
  );
  if (!personalData && ("cliente_salon_id" in query || "cliente_id" in query)) {
    expect([what, actual.status]).toEqual([what, 403]);
    return;
  }
  if (asked !== undefined && units !== null && !units.includes(asked)) {
    // An invalid parameter is reported before the unit is checked.
    const isInvalid = expected.status === 400 && expected.body.includes("`comparar`");
    expect([what, actual.status]).toEqual([what, isInvalid ? 400 : 403]);
    if (!isInvalid) expect(actual.body).toContain(JSON.stringify(units[0]).replaceAll('"', '\\"'));
    return;
  }
  expect([what, actual.status, pick(actual.body)]).toEqual([what, expected.status, pick(expected.body)]);
  if (pick(actual.body) === actual.body) expect([what, actual.etag]).toEqual([what, expected.etag]);
};

const withoutDelays = (body: string) => body.replaceAll(/"atraso_segundos":\d+|"agora":"[^"]+"/g, "");

/** Without personal data, an id that is an object is null: leaves out the rows that this merges. */
const withoutOddIds = (body: string) =>
  JSON.stringify(JSON.parse(body), (name, value) =>
    name === "por_profissional"
      ? undefined
      : Array.isArray(value)
        ? value.filter((row) => !/^[[{]|^null$/.test(String(row?.profissional_salon_id)))
        : value,
  );

const checkRights = async (warehouse: Warehouse, service: Service, rights: Rights) => {
  const limitedDatabase = await openLimited(warehouse.db, rights);
  const control = await startService(limitedDatabase.url, SESSIONS);
  try {
    const limited = await service.as(rights);
    const clients: [Reader, Reader] = [limited, control];
    const check = async (
      path: string,
      questions: ReturnType<typeof questionsTo>,
      pick?: (body: string) => unknown,
      more: Record<string, string>[] = [{}],
    ) => {
      const property = fc.asyncProperty(questions, rangeOffsets, async (question, zones) => {
        for (const one of more)
          await compare(clients, rights, path, { ...parametersOf(question, zones), ...one }, pick);
      });
      await fc.assert(property, { numRuns: Math.max(3, Math.ceil(rounds / 4)), seed });
    };
    const masked = rights.personalData ? undefined : withoutOddIds;
    for (const report of REPORTS.filter((name) => name !== "nao-mapeados"))
      await check(`relatorios/${report}`, questionsToReports, masked);
    await check("relatorios/nao-mapeados", questionsToReports, (body) =>
      JSON.stringify(JSON.parse((masked ?? String)(body)).profissionais ?? body),
    );
    for (const report of REPORTS_OVER_TIME) await check(`relatorios/${report}`, questionsOverTime, masked);
    for (const [report, { filters }] of Object.entries(ROW_REPORTS)) {
      // Where odd ids are masked, rows are merged and a limit would cut elsewhere.
      const isMasked = masked && report.endsWith("por-profissional");
      const { limite, ...others } = filters;
      const asked = isMasked ? others : filters;
      await check(
        `relatorios/${report}`,
        questionsTo({ filters: asked, range: true }),
        isMasked ? masked : undefined,
      );
    }
    await check("relatorios/clientes", questionsOnClients);
    await limitedDatabase.mask();
    for (const [list, options] of Object.entries(LISTS).filter(([list]) => list !== "profissionais"))
      await check(list, questionsTo(options), undefined, [
        { per_page: "7" },
        { per_page: "7", page: "2" },
        { per_page: "50", page: "3" },
        ...(options.cursor
          ? [
              { per_page: "7", after_id: "0" },
              { per_page: "7", after_id: "20000" },
            ]
          : []),
      ]);
    await compare(clients, rights, "frescor", {}, withoutDelays);
    for (const [list, key] of [
      ["transacoes", "salon_id"],
      ["lancamentos", "salon_id"],
      ["pagamentos-erp", "erp_id"],
    ] as const) {
      const { rows } = await warehouse.db.query(
        `select ${key} as key from ${list.replace("-", "_")} order by id limit 12`,
      );
      for (const { key: id } of rows) await compare(clients, rights, `${list}/${encodeURIComponent(id)}`, {});
    }
    for (const list of ["transacoes", "lancamentos", "pagamentos-erp", "vendas-produto"]) {
      compared.add(`alteracoes/${list}`);
      const followers = clients.map((client) => createFollower(client, list));
      const copies = [];
      for (const follower of followers) {
        while (await follower.readPage(true));
        copies.push([...follower.copy()].sort(([a], [b]) => a - b));
      }
      expect(copies[0]).toEqual(copies[1]);
    }
    await limitedDatabase.limitLookedUp();
    await check("profissionais", questionsTo(LISTS.profissionais ?? { filters: {}, range: false }));
    await compare(clients, rights, "estabelecimentos", {});
    await check(
      "relatorios/nao-mapeados",
      questionsToReports,
      (body) => JSON.parse(body).estabelecimentos ?? body,
    );
    for (const list of ["profissionais", "estabelecimentos"])
      for (let id = 1; id <= 10; id += 1) await compare(clients, rights, `${list}/${id}`, {});
  } finally {
    await control.stop();
    await limitedDatabase.close();
  }
};

describe(`a limited reader gets what an unlimited reader of the reduced database gets (ORACLE_SEED=${seed})`, () => {
  let warehouse: Warehouse;
  let service: Service;
  beforeAll(async () => {
    warehouse = await openWarehouse(seed);
    service = await startService(warehouse.url, SESSIONS);
  });
  afterAll(async () => {
    await service.stop();
    await warehouse.close();
  });

  /** One unit and several, with and without personal data, then random ones. */
  const sample = (n: number): Rights[] => [
    { units: [n === 0 ? "101" : "201"], personalData: n === 0, payments: true },
    { units: ["", "102", "777"], personalData: n > 0, payments: true },
    ...(rounds > 8 ? fc.sample(someRights, { seed: seed + n, numRuns: Math.ceil(rounds / 40) }) : []),
  ];

  it("in every list, record, report and feed (A11)", { timeout: 1_800_000 }, async () => {
    for (const rights of sample(0)) await checkRights(warehouse, service, rights);
    // A new route is in this list only if it was compared.
    const snapshot = readFileSync(join(import.meta.dirname, "../openapi.snapshot.yaml"), "utf8");
    const documented = [...snapshot.matchAll(/^ {2}\/v1\/(\S+):$/gm)].map(([, path]) => path);
    expect([...compared].sort()).toEqual(documented.sort());
  });

  it("in all of them again after writes by many concurrent loaders (A11)", {
    timeout: 1_800_000,
  }, async () => {
    const loaders = await Promise.all(Array.from({ length: SESSIONS }, warehouse.connect));
    await runRandomLoaders(loaders, seed, isServer ? 40 : 60, isServer);
    for (const rights of sample(1)) await checkRights(warehouse, service, rights);
  });
});
