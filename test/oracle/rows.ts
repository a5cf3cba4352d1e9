import fc from "fast-check";
import type pg from "pg";
import { formatInstant, instant, recentInstant } from "./instants.ts";
import { CLIENTS, dayFromToday, LONG_TEXTS } from "./values.ts";

/** A row by column. Omitted columns take their default. */
export type Row = Record<string, unknown>;

/** Some are near today, for comparisons of ranges that have not ended. */
const moment = fc
  .oneof({ weight: 5, arbitrary: instant }, { weight: 2, arbitrary: recentInstant })
  .map((at) => formatInstant(at));
/** The last finite instant that Postgres can store. */
const LAST_INSTANT = "294276-12-31T23:59:59.999999+00:00";
/** An instant, null, or an infinite or the last finite one. */
const maybeOneOf = (moments: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 12, arbitrary: moments },
    { weight: 2, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom("infinity", "-infinity", LAST_INSTANT) },
  );
const maybeMoment = maybeOneOf(moment);
const anyMoment = maybeMoment.filter((at) => at !== null);
/** None near now: the jobs of the last 24 hours must be the same during a comparison. */
const jobMoment = maybeOneOf(instant.map((at) => formatInstant(at))).filter((at) => at !== null);
/** The last days in Brasília, for what is overdue, and other days. */
const day = fc.oneof(
  { weight: 5, arbitrary: maybeMoment.map((at) => at && (at.split("T")[0] ?? at)) },
  { weight: 2, arbitrary: fc.constantFrom(-2, -1, 0, 0, 1, 6, 7, 29, 30).map(dayFromToday) },
);
/** Unit 103 is not registered. */
const unit = fc.constantFrom("101", "102", "201", "103", "");
const client = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...CLIENTS, "c1", "C1 ", "", null) },
  // Clients with few visits, so that some are new in a range.
  { weight: 4, arbitrary: fc.integer({ min: 10, max: 99 }).map((n) => `C${n}`) },
);
const amount = fc.oneof(
  fc.integer({ min: -99_999, max: 999_999 }).map((cents) => (cents / 100).toFixed(2)),
  fc.constantFrom("0.00", "0.01", "-0.01", "999999999999.99", "-999999999999.99"),
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });

/** More than the ten that the panel shows. */
const professional = fc.constantFrom<unknown>(
  ...[5001, 5002, 5003, "5001", "", null, 7, 1.5, true, [5001], { odd: 1 }],
  ...[5004, 5005, "5006", "Ação"],
);
const serviceName = fc.constantFrom<unknown>("Corte", "Corte", "Escova", "", null, 7, {}, ...LONG_TEXTS);
const servicePrice = fc.constantFrom<unknown>(80, 45.5, 0.005, -10, 0, 1e300, "80", "NaN", null, true, [80]);
const service = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record(
      {
        idProfissionalQueRealizouServico: professional,
        nome: serviceName,
        valor: servicePrice,
        cortesia: fc.constantFrom<unknown>(true, true, false, "true", 1, null),
      },
      { requiredKeys: ["idProfissionalQueRealizouServico"] },
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>({ nome: "Escova", observacao: "Íris" }, {}, 7, null, "5001", [], {
      profissional_nome: "stale",
    }),
  },
);
const services = fc.oneof(
  { weight: 8, arbitrary: fc.array(service, { maxLength: 4 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(null, {}, "5001", 5, { idProfissionalQueRealizouServico: 5001 }),
  },
);

/** Due dates as texts: valid ones, with and without a time, and what is no date. */
const dueDates: unknown[] = [
  ...["2018-02-17", "2018-02-18", "2018-11-04", "2019-02-17", "2024-02-29", "2024-03-01T00:00:00"],
  ...["2024-12-31", "2025-01-01", "2025-01-15", "0001-01-01", "9999-12-31"],
  ...["2023-02-29", "2024-13-01", "2024-04-31", "0000-01-01", "2024-1-1", "infinity", "", 20240101, null],
  ...[-31, -7, 0, 0, 1, 7].map(dayFromToday),
];

/** The payload of a ledger entry. */
const entryPayload = fc.record(
  {
    DataVencimento: fc.constantFrom(...dueDates),
    Pessoa: fc.constantFrom<unknown>("Ana", "Íris", "Íris".normalize("NFD"), "", null, 7, {}, ...LONG_TEXTS),
    CentroCusto: fc.constantFrom<unknown>("Salão Jardins", "Loja Centro", "", null, 7101),
    ValorBruto: fc.constantFrom<unknown>(1.1, 80, 0.005, -10, 0, 1e300, "80", "NaN", null, true, [80]),
  },
  { requiredKeys: [] },
);

const notANumber = fc.constant("NaN");

const jobColumns = {
  queue: fc.constantFrom("sync", ""),
  job_id: maybe(fc.integer({ min: 1, max: 9 }).map(String)),
  job_name: fc.constantFrom("sync-transacoes", "send-receber", "send-pagar"),
  status: fc.constantFrom("started", "completed", "failed"),
  duration_ms: maybe(fc.nat()),
  error: maybe(fc.constant("Visit of Íris")),
  created_at: jobMoment,
};
const job = fc.record(jobColumns);
const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
/** A run that ended an hour ago and started some time before: the data instant is when it started (R23). */
const recentJob = fc
  .record({
    ...jobColumns,
    job_name: fc.constant("sync-transacoes"),
    duration_ms: fc.integer({ min: 120_000, max: 7_200_000 }),
    created_at: fc.constantFrom(1.5, 3).map(hoursAgo),
  })
  .map((one) => (one.status === "started" ? one : { ...one, created_at: hoursAgo(1) }));

/** Random rows of the tables that have rollups. `key` is the column by which a loader finds a row. */
export const TABLES: Record<string, { key: string; row: fc.Arbitrary<Row> }> = {
  transacoes: {
    key: "salon_id",
    row: fc.record({
      estabelecimento_id: unit,
      total: amount,
      data_hora: anyMoment,
      cliente_salon_id: client,
      cliente_nome: maybe(fc.constantFrom("Íris", "")),
      forma_pagamento_principal: fc.constantFrom(
        "Pix",
        "Dinheiro",
        "Açaí’s",
        "Açaí’s".normalize("NFD"),
        "",
        null,
      ),
      valor_pagamento: maybe(amount),
      parcelas: maybe(fc.integer({ min: 1, max: 12 })),
      servicos: services,
      sent_to_erp: fc.boolean(),
      raw_data: fc.constantFrom({}, { cliente: "Íris" }),
      synced_at: moment,
    }),
  },
  lancamentos: {
    key: "salon_id",
    row: fc.record({
      estabelecimento_id: unit,
      raw_data: entryPayload,
      synced_at: anyMoment,
      sent_to_salon: fc.boolean(),
      sent_at: maybe(moment),
    }),
  },
  pagamentos_erp: {
    key: "erp_id",
    row: fc.record({
      id_centro_custo: fc.constantFrom("7001", "7002", "7003", "83", "810", "85", "", null),
      situacao: fc.constantFrom(1, 2),
      nome_conta_classificacao: fc.constantFrom("Aluguel", "Água", "Água".normalize("NFD"), "", null),
      valor: maybe(fc.oneof({ weight: 9, arbitrary: amount }, { weight: 1, arbitrary: notANumber })),
      data_vencimento: day,
      data_pagamento: day,
      descricao: maybe(fc.constant("Ana Almeida")),
      raw_data: fc.constantFrom({}, { pessoa: "Ana" }),
      synced_at: moment,
      updated_at: moment,
    }),
  },
  vendas_produto: {
    key: "id",
    row: fc.record({
      origem: fc.constantFrom("salao", "loja"),
      /** Some are visits of `fillTablesWithRollups`. */
      transacao_id: fc.constantFrom("1", "2", ...Array.from({ length: 30 }, (_, n) => `K${1_000_000 + n}`)),
      estabelecimento_id: unit,
      data_hora: maybeMoment,
      cliente_id: client,
      cliente_nome: maybe(fc.constantFrom("Íris", "")),
      produto_id: maybe(fc.constantFrom("P1", "P2", "", ...LONG_TEXTS)),
      produto_nome: maybe(fc.constantFrom("Shampoo", "Óleo", "", ...LONG_TEXTS)),
      quantidade: maybe(fc.constantFrom("1", "2.500", "-1", "0.0001", "NaN", "Infinity", "-Infinity")),
      valor_total: maybe(fc.oneof({ weight: 9, arbitrary: amount }, { weight: 1, arbitrary: notANumber })),
      profissional_id: maybe(fc.constantFrom("5001", "5002", "5003", "", ...LONG_TEXTS)),
      forma_pagamento: maybe(
        fc.constantFrom(
          "Pix",
          ...Array(3).fill("Descontar do Profissional"),
          "descontar do profissional",
          "",
        ),
      ),
    }),
  },
  jobs_log: {
    key: "id",
    row: fc.oneof({ weight: 8, arbitrary: job }, { weight: 2, arbitrary: recentJob }),
  },
};

/** A key column with the value of a number. */
export const keyColumn = (key: string, n: number) => ({ [key]: key === "salon_id" ? `K${n}` : n });

const names = (row: Row) =>
  Object.keys(row)
    .map((name) => `"${name}"`)
    .join();

/** A select of the rows in the JSON parameter `$1`, with the columns of the first row. */
export const selectRows = (table: string, [row = {}]: Row[]) =>
  `select ${names(row)} from jsonb_populate_recordset(null::${table}, $1::jsonb)`;

export const insertRows = (db: pg.Client, table: string, rows: Row[], end = "") =>
  db.query(`insert into ${table} (${names(rows[0] ?? {})}) ${selectRows(table, rows)}${end}`, [
    JSON.stringify(rows),
  ]);

const FIRST_KEY = 50_000_000;
let last = FIRST_KEY;
/** Makes a seed give the same keys in every warehouse. */
export const restartKeys = () => {
  last = FIRST_KEY;
};
/** Adds unique keys to rows. Serial ids are left to the database. */
export const withUniqueKeys = (table: string, rows: Row[]): Row[] => {
  const { key } = TABLES[table] as (typeof TABLES)[string];
  return rows.map((row) => {
    last += 1;
    return key === "id" ? row : { ...row, ...keyColumn(key, last) };
  });
};

/** Random rows of a table with unique keys. */
export const randomRows = (table: string, count: number, seed: number): Row[] => {
  const { row } = TABLES[table] as (typeof TABLES)[string];
  return withUniqueKeys(table, fc.sample(row, { numRuns: count, seed }));
};

/** The number of rows in each table. */
const ROWS = 240;
/** Ids near the ends of blocks, so that some blocks have gaps and some are empty. */
const ids = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom(0, 1, 2, 3, 5, 8), fc.integer({ min: -40, max: 40 }))
    .map(([block, near]) => block * 16_384 + near),
  { minLength: ROWS, maxLength: ROWS },
);

/** Inserts rows into a table of an older schema, without the columns it does not have. */
export const insertExistingColumns: typeof insertRows = async (db, table, rows, end) => {
  const { fields } = await db.query(`select * from ${table} limit 0`);
  const known = new Set(fields.map(({ name }) => name));
  const trimmed = rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => known.has(name))),
  );
  return insertRows(db, table, trimmed, end);
};

/** Edge cases by type, for columns that no row here gives. A new column needs rows of its own only if these do not fit. */
const EDGE_CASES: Record<string, unknown[]> = {
  text: ["", "Açaí’s", "Açaí’s".normalize("NFD"), ' a,"b";\n', ...LONG_TEXTS],
  boolean: [true, false],
  smallint: [0, 1, -1],
  integer: [0, 1, -2_147_483_648, 2_147_483_647],
  bigint: [0, 1, -1, Number.MAX_SAFE_INTEGER],
  numeric: ["0", "0.01", "-0.01", "1"],
  date: ["1999-12-31", "2024-02-29"],
  "timestamp with time zone": ["1999-12-31T23:59:59.999999-03:00", "2024-02-29T00:00:00-03:00"],
  jsonb: [{}, { a: [1, "Íris", null] }],
};

/** Adds edge cases for the columns that rows omit and that have no time of now as their default. */
const complete = async (db: pg.Client, table: string, rows: Row[]): Promise<Row[]> => {
  const { rows: columns } = await db.query<{ name: string; type: string; isNullable: boolean }>(
    `select column_name as name, data_type as type, is_nullable = 'YES' as "isNullable" from information_schema.columns
     where table_schema = 'public' and table_name = $1 and is_identity = 'NO' and column_default is distinct from 'now()'`,
    [table],
  );
  const omitted = columns.filter(({ name }) => !(name in (rows[0] ?? {})));
  const valuesOf = ({ type, isNullable }: (typeof columns)[number]) => [
    ...(EDGE_CASES[type] ?? []),
    ...(isNullable ? [null] : []),
  ];
  return rows.map((row, n) => {
    const added = omitted.map((column, m) => {
      const values = valuesOf(column);
      return [column.name, values[(n + m) % values.length]];
    });
    return { ...row, ...Object.fromEntries(added) };
  });
};

/** Fills the small tables, in which visits and sales lines are looked up. */
export const fillSmallTables = async (db: pg.Client, insertInto = insertRows): Promise<void> => {
  const insert = async (table: string, rows: Row[]) => insertInto(db, table, await complete(db, table, rows));
  await insert("estabelecimentos", [
    { nome: "Salão Jardins", salon_id: "101", ativo: true, erp_centro_custo_id: null },
    { nome: "Loja Centro", salon_id: "201", ativo: false, erp_centro_custo_id: null },
    { nome: "Salão Jardins", salon_id: null, ativo: true, erp_centro_custo_id: 7003 },
    { nome: "Salão Moema", salon_id: "102", ativo: true, erp_centro_custo_id: 7002 },
    { nome: "", salon_id: "", ativo: true, erp_centro_custo_id: null },
    { nome: "zona sul", salon_id: "301", ativo: true, erp_centro_custo_id: null },
    { nome: "Área norte", salon_id: "302", ativo: false, erp_centro_custo_id: 7002 },
  ]);
  const people: [nome: string, salon_id: string | null, unit: string | null, ativo: boolean][] = [
    ["Ana inativa", "5001", "101", false],
    ["Ana", "5001", "101", true],
    ["Ana de novo", "5001", "101", true],
    ["Bruna", "5001", "102", false],
    ["Carla", "5002", null, true],
    ["Carla antes", "5002", "201", false],
    ["Sem número", null, "101", true],
    ["Vazia", "", "", true],
    ["Verdadeira", "true", "102", true],
    ["álvaro", "5101", "101", true],
    ["Álvaro".normalize("NFD"), "5102", "101", true],
    ["Alvaro", "5103", "102", true],
  ];
  await insert(
    "profissionais",
    people.map(([nome, salon_id, salon_estabelecimento_id, ativo]) => ({
      nome,
      salon_id,
      salon_estabelecimento_id,
      erp_centro_custo_id: ativo ? `8${nome.length}` : null,
      cpf: ativo ? "00000000000" : null,
      ativo,
    })),
  );
  await insert("taxas_cartao", [
    { forma_pagamento: "Pix", taxa_cobrada_profissional: "0.0099" },
    { forma_pagamento: "", taxa_cobrada_profissional: "0.0299" },
  ]);
  await insert(
    "produtos",
    [
      ...["Shampoo 50%", "shampoo_suave", "Óleo", "óleo\\de", null, "", "ÓLEO", "Creme"],
      ...["Óleo".normalize("NFD"), "oleo"],
      ...[`${"ó".repeat(70)}B`, `${"O".repeat(70)}a`, `${"o\u0301".repeat(70)}A`],
    ].flatMap((nome, n) =>
      ["101", "102", ""].map((estabelecimento_id) => ({
        salon_id: `P${n % 5}${estabelecimento_id}${n}`,
        estabelecimento_id,
        nome,
        raw_data: { n },
      })),
    ),
  );
  // A value that only one unit has.
  await insert("produtos", [{ salon_id: "E1", estabelecimento_id: "201", nome: "Escova", raw_data: {} }]);
};

/** Goals of units, registered or not, in months with and without sales, the current month among them. */
export const fillGoals = async (db: pg.Client): Promise<void> => {
  const months = ["1914-01", "2018-02", "2018-11", "2024-02", "2025-01", "2100-03"];
  months.push(dayFromToday(0).slice(0, 7));
  const goals = months.flatMap((month, n) =>
    ["101", "201", "103", "999"].map((estabelecimento_id, m) => ({
      estabelecimento_id,
      mes: `${month}-01`,
      valor: (n * 1000 + m * 10 + 0.55).toFixed(2),
    })),
  );
  await insertRows(db, "metas", goals);
};

/** Fills the tables that have rollups with random rows of a seed. */
export const fillTablesWithRollups = async (
  db: pg.Client,
  seed: number,
  insert = insertRows,
): Promise<void> => {
  let n = 0;
  for (const [table, { key, row }] of Object.entries(TABLES)) {
    n += 1;
    const numbers = (fc.sample(ids, { seed: seed + n, numRuns: 1 })[0] ?? []).map((id) => id + 41);
    const rows = fc.sample(row, { seed: seed + n, numRuns: ROWS }).map((one, i) => ({
      ...one,
      ...keyColumn(key, 1_000_000 + i),
      id: numbers[i],
    }));
    await insert(db, table, await complete(db, table, rows));
    await db.query(`select setval(pg_get_serial_sequence('${table}', 'id'), max(id)) from ${table}`);
  }
};
