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

it("what a schema does not list is not read", () => {
  expect(Object.keys(selectionOf(t, Name, {}).columns)).toEqual(["nome"]);
});

// What follows is for the compiler, which finds an expected error that does not come.
it("a field that neither the table nor an expression gives does not compile", () => {
  // @ts-expect-error There is no such column.
  selectionOf(t, z.object({ nome: z.string(), marca: z.string() }), {});
  // @ts-expect-error The column may be null.
  selectionOf(t, z.object({ cpf: z.string() }), {});
  // @ts-expect-error The column is text.
  selectionOf(t, z.object({ nome: z.int() }), {});
});

it("an expression for a field that the schema does not list does not compile", () => {
  // @ts-expect-error
  selectionOf(t, Name, { cpf: t.cpf });
});

it("a list that answers more or fewer fields than its body's schema does not compile", () => {
  const inNoOrder = () => ({ where: undefined, order: [] });
  listAll<typeof Filters, typeof Names>(selectionOf(t, Name, {}), inNoOrder);
  // @ts-expect-error It would answer what the body does not have.
  listAll<typeof Filters, typeof Names>(selectionOf(t, Profissional, {}), inNoOrder);
  // @ts-expect-error
  const more: Selection<z.output<typeof Profissional>> = selectionOf(t, Name, {});
  expect(more.columns).not.toHaveProperty("cpf");
});
