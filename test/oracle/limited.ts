import pg from "pg";
import type { Rights } from "../../src/core/rights.ts";
import { type Database, openMigrated } from "../support/node/databases.ts";

/** The unit of a row, by table. Tables without units are copied whole. */
const UNIT_COLUMNS: Record<string, string | undefined> = {
  transacoes: "estabelecimento_id",
  lancamentos: "estabelecimento_id",
  vendas_produto: "estabelecimento_id",
  produtos: "estabelecimento_id",
  metas: "estabelecimento_id",
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
export const openLimited = async (from: pg.Client, { units, personalData }: Rights) => {
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
