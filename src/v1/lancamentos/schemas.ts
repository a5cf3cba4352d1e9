import { z } from "@hono/zod-openapi";
import { cursorPaging, pageOrCursorOf } from "../../http/pages.ts";
import { dateRange, query, trueOrFalse } from "../../http/params.ts";
import { instant, payload, synced } from "../fields.ts";
import { unit } from "../parameters.ts";

export const Lancamento = z
  .object({
    id: z.int().openapi({ description: "Cursor key; not the path id, which is `salon_id`", example: 1 }),
    salon_id: z
      .string()
      .openapi({ description: "Identifier in the salon system; the path id", example: "L-1" }),
    estabelecimento_id: z.string().openapi({ example: "101" }),
    raw_data: payload("The complete entry, digit for digit", {
      Pessoa: "Ana Almeida",
      CentroCusto: "80001",
      ValorBruto: 123.4,
      DataVencimento: "2026-11-30",
    }),
    synced_at: synced(),
    sent_to_salon: z.boolean().openapi({ example: true }),
    sent_at: instant("2026-11-21T12:05:00+00:00").nullable(),
  })
  .openapi("Lancamento");
export type Lancamento = z.output<typeof Lancamento>;

export const LancamentoPage = pageOrCursorOf(Lancamento).openapi("LancamentoPage");
export type LancamentoPage = z.output<typeof LancamentoPage>;

export const ListLancamentos = query({
  ...cursorPaging,
  ...dateRange("synced_at"),
  estabelecimento_id: unit("entries"),
  sent_to_salon: trueOrFalse(
    "Only entries that were sent to the salon system, or only those that were not.",
  ).optional(),
});
export type ListLancamentos = z.output<typeof ListLancamentos>;
