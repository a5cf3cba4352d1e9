// @module-tag server
import { z } from "@hono/zod-openapi";
import { expect, it } from "vitest";
import { listAll } from "../../src/db/records.ts";
import { type Selection, selectionOf } from "../../src/db/selection.ts";
import { Profissional } from "../../src/v1/profissionais/schemas.ts";
import { profissionais as t } from "../../src/v1/profissionais/table.ts";

const Name = z.object({ nome: z.string() });
const Names = z.object({ data: z.array(Name) });
const Filters = z.object({});

it("selectionOf reads only the columns that the schema lists", () => {
  expect(Object.keys(selectionOf(t, Name, {}).columns)).toEqual(["nome"]);
});

// The compiler checks the rest: it fails if a line after `@ts-expect-error` has no error.
it("selectionOf does not compile for a field that neither the table nor an expression provides", () => {
  // @ts-expect-error There is no such column.
  selectionOf(t, z.object({ nome: z.string(), marca: z.string() }), {});
  // @ts-expect-error The column may be null.
  selectionOf(t, z.object({ cpf: z.string() }), {});
  // @ts-expect-error The column is text.
  selectionOf(t, z.object({ nome: z.int() }), {});
});

it("selectionOf does not compile for an expression whose field the schema does not list", () => {
  // @ts-expect-error
  selectionOf(t, Name, { cpf: t.cpf });
});

it("listAll does not compile for more or fewer fields than the schema of the body has", () => {
  const unordered = () => ({ where: undefined, order: [] });
  listAll<typeof Filters, typeof Names>(selectionOf(t, Name, {}), unordered);
  // @ts-expect-error The body does not have these fields.
  listAll<typeof Filters, typeof Names>(selectionOf(t, Profissional, {}), unordered);
  // @ts-expect-error
  const more: Selection<z.output<typeof Profissional>> = selectionOf(t, Name, {});
  expect(more.columns).not.toHaveProperty("cpf");
});
