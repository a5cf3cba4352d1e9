import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { PLACES } from "../../../../tools/warehouse/person/places.ts";

/** The table of each schema of a record. */
const TABLES: Record<string, string> = {
  JobLog: "jobs_log",
  Lancamento: "lancamentos",
  PagamentoErp: "pagamentos_erp",
  Produto: "produtos",
  Profissional: "profissionais",
  TransacaoDetalhada: "transacoes",
  VendaProduto: "vendas_produto",
};
/** Schemas with fewer fields of a table, or with sums of it, whose persons are its columns or in its payload. */
const DERIVED: Record<string, string[]> = {
  ClientesLinha: ["cliente_nome", "cliente_salon_id"],
  LancamentosLinha: ["centro_custo", "pessoa"],
  Transacao: ["cliente_nome", "cliente_salon_id", "servicos"],
  VendasLinha: ["cliente_id", "cliente_nome"],
  VisitasLinha: ["cliente_nome", "cliente_salon_id"],
};

interface Schema {
  properties?: Record<string, object>;
}

it("an erasure covers exactly the columns that the document marks as personal, in all schemas (A16, A11)", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../api/openapi/openapi.snapshot.yaml"), "utf8");
  const schemas: Record<string, Schema> = parse(text).components.schemas;
  const marked = Object.entries(schemas).flatMap(([name, { properties = {} }]) => {
    const fields = Object.keys(properties).filter((field) => "x-personal-data" in (properties[field] ?? {}));
    return fields.length > 0 ? [[name, fields.toSorted()] as const] : [];
  });
  const covered = PLACES.map(({ table, columns }) => [table, columns.map(({ name }) => name).toSorted()]);
  const records = marked.filter(([name]) => !(name in DERIVED));
  expect(records.map(([name, fields]) => [TABLES[name], fields]).toSorted()).toEqual(covered.toSorted());
  expect(Object.fromEntries(marked.filter(([name]) => name in DERIVED))).toEqual(DERIVED);
  // A mark deeper in a schema would be forgotten above.
  const marks = JSON.stringify(schemas).split('"x-personal-data"').length - 1;
  expect(marked.flatMap(([, fields]) => fields)).toHaveLength(marks);
});
