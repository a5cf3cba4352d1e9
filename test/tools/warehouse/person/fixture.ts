import { randomBytes } from "node:crypto";
import type pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject } from "vitest";
import { verifyFeeds } from "../../../../tools/warehouse/feeds.ts";
import { erasePersons } from "../../../../tools/warehouse/person/erase.ts";
import type { Kind } from "../../../../tools/warehouse/person/places.ts";
import { returnedPersons } from "../../../../tools/warehouse/person/present.ts";
import { type Receipt, readKey } from "../../../../tools/warehouse/person/receipts.ts";
import { type Service, startService } from "../../../oracle/service.ts";
import { openWarehouse, type Warehouse } from "../../../oracle/warehouse.ts";

export const isServer = inject("isServer");
export const ERASURE_KEY = randomBytes(32).toString("base64url");
export const key = readKey(ERASURE_KEY);
/** For an erasure that prints nothing. */
export const silent = { progress: () => undefined, report: () => undefined };

export let warehouse: Warehouse;
export let db: pg.Client;
export let service: Service;

/** Gives each test of a file a warehouse in which the persons are. */
export const usePersons = () => {
  beforeAll(async () => {
    warehouse = await openWarehouse(inject("fuzzSeed"));
    db = warehouse.db;
    service = await startService(warehouse.url, isServer ? 4 : 1);
  });
  afterAll(async () => {
    await service.stop();
    await warehouse.close();
  });
  beforeEach(plant);
  afterEach(removePlanted);
};

export const CLIENT = "cliente-7f3";
export const NAME = "Zuleide Quixadá";
export const OTHER = "cliente-8a1";
export const PROFESSIONAL = "970013";
export const PAID = "Ubirajara Xerém";
/** Names that only these tests have, as a search of the whole database may find them. */
export const TRACES = /cliente-7f3|zuleide/i;

export const query = async (sql: string, values: unknown[] = []) => (await db.query(sql, values)).rows;

export const visit = (id: string, client: string | null, name: string | null, at = "2026-03-05 12:00-03") =>
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
export const entry = (id: string, visitId: string, name: string) =>
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
export const plant = async () => {
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
  await query(
    `insert into acessos (route, record_id, cliente_id) values ('/v1/transacoes/:id', 'pt 1', null),
       ('/v1/transacoes/:id', 'pt 3', null), ('/v1/lancamentos/:id', 'pl 1', null), ('/v1/transacoes', null, $1)`,
    [` ${CLIENT.toUpperCase()} `],
  );
  await query("insert into profissionais (nome, salon_id, cpf) values ($1, $2, '00000000000')", [
    PAID,
    PROFESSIONAL,
  ]);
};
export const removePlanted = async () => {
  for (const table of ["transacoes", "lancamentos", "produtos"])
    await query(`delete from ${table} where salon_id ~ '^p[tlp] '`);
  await query("delete from vendas_produto where transacao_id ~ '^pv '");
  await query("delete from pagamentos_erp where erp_id in (970001, 970002)");
  await query("delete from jobs_log where error ~ '^no account' or queue = 'q'");
  await query("delete from profissionais where salon_id = $1", [PROFESSIONAL]);
  await query("delete from acessos; delete from erasures");
};
export const erase = (kind: Kind, ...ids: string[]) =>
  erasePersons(db, { kind, ids, key, command: "person erase", ...silent });
/** Erases clients in another session. */
export const eraseIn = (session: pg.Client, ...ids: string[]) =>
  erasePersons(session, { kind: "client", ids, key, command: "person erase", ...silent });
export const repeat = async (receipts: Receipt[], kind: Kind = "client") => {
  const found = await returnedPersons(db, kind, receipts, key);
  return erasePersons(db, { kind, ...found, key, command: "person erase --receipts", ...silent });
};

/** Every row of every table, and the statistics of every column, that matches. */
export const search = async (pattern: RegExp): Promise<string[]> => {
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
export const totals = async () => {
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

export const expectConsistent = async () => {
  expect(await warehouse.differingSums()).toEqual([]);
  const feeds = await verifyFeeds(warehouse.url, { repair: false, report: () => undefined });
  expect(feeds.filter(({ differences }) => differences > 0)).toEqual([]);
};
