// @module-tag server
import { expect, it } from "vitest";
import { sql } from "./api.ts";
import { insertEdgeCaseRows, removeEdgeCaseRows } from "./edge-case-rows.ts";

const TABLES = [
  "transacoes",
  "lancamentos",
  "pagamentos_erp",
  "produtos",
  "profissionais",
  "vendas_produto",
  "jobs_log",
  "estabelecimentos",
];

const counts = async () => {
  const rows = TABLES.map((table) => sql.query(`select count(*)::int as n from ${table}`));
  return (await Promise.all(rows)).map(([row]) => row?.n);
};

it("removes every edge-case row, and inserts them again", async () => {
  await removeEdgeCaseRows();
  const without = await counts();
  await insertEdgeCaseRows();
  const added = [45, 45, 45, 45, 45, 45, 45, 1];
  expect(await counts()).toEqual(without.map((n, i) => n + added[i]));
  await removeEdgeCaseRows();
  expect(await counts()).toEqual(without);
});
