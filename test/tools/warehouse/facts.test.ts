// @module-tag server
import type pg from "pg";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { verifySums } from "../../../tools/warehouse/verify.ts";
import { type Isolation, runRandomLoaders } from "../../oracle/storm.ts";
import { openWarehouse, type Warehouse } from "../../oracle/warehouse.ts";

const seed = inject("fuzzSeed");
const LEVELS: Isolation[] = ["read committed", "repeatable read", "serializable"];

let warehouse: Warehouse;
let db: pg.Client;
let facts: { facts: string; source: string }[];

beforeAll(async () => {
  warehouse = await openWarehouse(seed);
  db = warehouse.db;
  facts = (await db.query("select facts, source from facts order by facts")).rows;
});
afterAll(() => warehouse.close());

const differing = async () => (await warehouse.differingSums()).map(({ table }) => table);

const columnsOf = async (table: string): Promise<string[]> => {
  const { rows } = await db.query(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  return rows.map(({ name }) => name);
};

/** Where each fact is stored: an update or a new row has another place. */
const placesOf = async (table: string) =>
  (await db.query(`select ctid::text, xmin::text from ${table} order by 1`)).rows;

describe(`the facts (seed ${seed})`, () => {
  it("are of five tables (R20)", () => {
    expect(facts.map((one) => one.facts)).toEqual([
      "lancamentos_facts",
      "pagamentos_facts",
      "servicos_facts",
      "vendas_facts",
      "visitas_facts",
    ]);
  });

  it.each(LEVELS)("equal their rows after loaders at %s, with what sums them (R20)", async (isolation) => {
    const count = inject("isServer") ? 8 : 1;
    const loaders = await Promise.all(Array.from({ length: count }, warehouse.connect));
    const executed = await runRandomLoaders(loaders, seed, 25, inject("isServer"), { isolation });
    expect(executed.size).toBeGreaterThan(20);
    expect(await differing()).toEqual([]);
  });

  it("follow an UPDATE of every column, the key too (R20)", async () => {
    for (const source of new Set(facts.map((one) => one.source)))
      for (const column of await columnsOf(source)) {
        const isKey = /^(id|salon_id|erp_id)$/.test(column);
        // Some rows get the value of another row, and those that had it keep it.
        const value = isKey
          ? column === "salon_id"
            ? "'moved ' || t.id"
            : `(select max(${column}) from ${source}) + row_number() over ()`
          : `lead(${column}) over (order by ${column}, id)`;
        await db.query(`update ${source} as t set ${column} = moved.value
          from (select id, ${value} as value from ${source} as t order by random() limit 40) as moved
          where t.id = moved.id and (moved.value is not null or ${source === "transacoes" && column === "parcelas"})`);
        expect([source, column, await differing()]).toEqual([source, column, []]);
      }
  });

  it("follow a statement that deletes rows and inserts them again, whichever trigger is first (R20)", async () => {
    for (const table of ["transacoes", "vendas_produto"])
      for (const order of [
        "old as (delete from T where id % 3 = 0 returning *) insert into T overriding system value select * from old",
        "old as (delete from T where id % 3 = 1 returning *), new as (insert into T overriding system value select * from old returning id) select count(*) from new",
        "kept as (select * from T where id % 3 = 2), new as (insert into T overriding system value select * from kept where false), old as (delete from T where id % 3 = 2) select 1",
      ]) {
        await db.query(`with ${order.replaceAll(/\bT\b/g, table)}`);
        expect([table, order, await differing()]).toEqual([table, order, []]);
      }
  });

  // With `limit 1`, the INSERT ends before the UPDATE, so its trigger is the first.
  it.each(["", "limit 1"])(
    "follow a statement that gives a row another id and the id to a new row %s (R20)",
    async (limit) => {
      const { rowCount } = await db.query(`with moved as (
        update vendas_produto set id = id + (select max(id) from vendas_produto) where id in (select id from vendas_produto order by id limit 5) returning *
      )
      insert into vendas_produto overriding system value
      select (jsonb_populate_record(null::vendas_produto, to_jsonb(moved)
          || jsonb_build_object('id', id - (select max(id) from vendas_produto), 'valor_total', 7))).*
      from moved ${limit}`);
      expect(rowCount).toBeGreaterThan(0);
      expect(await differing()).toEqual([]);
    },
  );

  it("are not written by an UPDATE that changes none of them (R20)", async () => {
    const before = await Promise.all(facts.map((one) => placesOf(one.facts)));
    await db.query("update transacoes set total = total, raw_data = '{\"n\": 1}', synced_at = now()");
    await db.query("update vendas_produto set cliente_nome = 'Outra', valor_unitario = 3");
    await db.query("update lancamentos set raw_data = raw_data || '{\"n\": 1}', sent_at = now()");
    await db.query("update pagamentos_erp set descricao = 'outra', updated_at = now()");
    expect(await Promise.all(facts.map((one) => placesOf(one.facts)))).toEqual(before);
  });

  it("are written only for the rows of an UPDATE that changes them (R20)", async () => {
    const others = () =>
      db.query(
        "select ctid::text, xmin::text from visitas_facts where id <> (select min(id) from transacoes) order by 1",
      );
    const before = (await others()).rows;
    await db.query(
      "update transacoes set sent_to_erp = case id when (select min(id) from transacoes) then not sent_to_erp else sent_to_erp end",
    );
    expect((await others()).rows).toEqual(before);
    expect(await differing()).toEqual([]);
  });

  it.each([
    [
      "one that is not updated",
      "update transacoes set sent_to_erp = not sent_to_erp",
      "visitas_facts_update",
    ],
    [
      "one of a deleted row",
      "delete from transacoes where id = (select min(id) from transacoes)",
      "visitas_facts_delete",
    ],
    [
      "none for a new row",
      "insert into transacoes (id, salon_id, estabelecimento_id, total, data_hora, raw_data) select max(id) + 1, 'planted', '101', 1, now(), '{}' from transacoes",
      "visitas_facts_insert",
    ],
  ])("that are wrong are found and repaired: %s (R20)", async (_, write, trigger) => {
    await db.query(`alter table transacoes disable trigger ${trigger}`);
    await db.query(write);
    await db.query(`alter table transacoes enable trigger ${trigger}`);
    expect(await differing()).toContain("visitas_facts");
    await verifySums(warehouse.url, { repair: true, report: () => {} });
    expect(await differing()).toEqual([]);
  });

  it("that are wrong are found and repaired: one of another day, and one of a row that was rolled back (R20)", async () => {
    for (const write of [
      "update vendas_facts set day = day + 1 where id = (select min(id) from vendas_facts where isfinite(day))",
      "insert into pagamentos_facts (id, situacao, valor, sem_valor) values (987654321, 1, 5, 0)",
      "insert into servicos_facts select * from servicos_facts limit 1",
    ]) {
      await db.query(write);
      expect(await differing()).not.toEqual([]);
      await verifySums(warehouse.url, { repair: true, report: () => {} });
      expect(await differing()).toEqual([]);
    }
  });

  it("may be defined again, and their rollups and later writes follow (R20)", async () => {
    await expect(db.query("select redefine_facts('nothing_facts', 'select')")).rejects.toThrow("no facts");
    await db.query(`select redefine_facts('visitas_facts', $$
      select id, data_hora as at, date '2026-01-01' as day, 1::smallint as dia_semana, 9::smallint as hora, estabelecimento_id,
        sent_to_erp, 'Any' as forma_pagamento, parcelas, cliente_salon_id, 1 as total
      from ROWS$$)`);
    await db.query("update transacoes set sent_to_erp = not sent_to_erp where id % 2 = 0");
    await db.query("delete from transacoes where id % 5 = 0");
    const { rows } = await db.query(
      `select distinct forma_pagamento from transacoes_forma_rollup where records <> 0`,
    );
    expect([rows, await differing()]).toEqual([[{ forma_pagamento: "Any" }], []]);
  });
});
