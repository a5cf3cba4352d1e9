// @module-tag server
import { z } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { expect, it } from "vitest";
import { Profissional } from "../../../src/api/v1/profissionais/schemas.ts";
import { profissionais as t } from "../../../src/api/v1/profissionais/table.ts";
import type { ScopedFilters } from "../../../src/platform/db/conditions.ts";
import { listAll } from "../../../src/platform/db/records.ts";
import { type Selection, selectionOf } from "../../../src/platform/db/selection.ts";

const Name = z.object({ nome: z.string() });
const Names = z.object({ data: z.array(Name) });
const Filters = z.object({});
const BY_UNIT = { unit: t.salon_estabelecimento_id };

it("selectionOf reads only the columns that the schema lists", () => {
  expect(Object.keys(selectionOf(t, Name, {}, BY_UNIT).columns)).toEqual(["nome"]);
});

// The compiler checks the rest: it fails if a line after `@ts-expect-error` has no error.
it("selectionOf does not compile for a field that neither the table nor an expression provides", () => {
  // @ts-expect-error There is no such column.
  selectionOf(t, z.object({ nome: z.string(), marca: z.string() }), {}, BY_UNIT);
  // @ts-expect-error The column may be null.
  selectionOf(t, z.object({ cpf: z.string() }), {}, BY_UNIT);
  // @ts-expect-error The column is text.
  selectionOf(t, z.object({ nome: z.int() }), {}, BY_UNIT);
});

it("selectionOf does not compile for an expression whose field the schema does not list", () => {
  // @ts-expect-error
  selectionOf(t, Name, { cpf: t.cpf }, BY_UNIT);
});

it("listAll does not compile for more or fewer fields than the schema of the body has", () => {
  const unordered = () => ({ where: undefined, order: [] });
  listAll<typeof Filters, typeof Names>(selectionOf(t, Name, {}, BY_UNIT), unordered);
  // @ts-expect-error The body does not have these fields.
  listAll<typeof Filters, typeof Names>(selectionOf(t, Profissional, {}, BY_UNIT), unordered);
  // @ts-expect-error
  const more: Selection<z.output<typeof Profissional>> = selectionOf(t, Name, {}, BY_UNIT);
  expect(more.columns).not.toHaveProperty("cpf");
});

it("a query does not compile without the rights of its reader or the unit of its rows (A11)", () => {
  const selection = selectionOf(t, Name, {}, BY_UNIT);
  // @ts-expect-error The selection does not say which unit a row belongs to.
  expect(() => selectionOf(t, Name, {})).toThrow();
  const list = listAll<typeof Filters, typeof Names>(selection, () => ({ where: undefined, order: [] }));
  // @ts-expect-error The rights are missing.
  const ask = () => list(async () => undefined, {});
  expect(ask).toBeTypeOf("function");
  // @ts-expect-error The filters of a rollup are missing the units.
  const filters: ScopedFilters = { sent_to_erp: sql`true` };
  expect(filters).toBeTypeOf("object");
});
