import { z } from "@hono/zod-openapi";
import { dateRange, queryOf } from "../../http/params.ts";
import { Estabelecimento } from "../estabelecimentos/schemas.ts";
import { record } from "../fields.ts";
import { Frescor } from "../frescor/schemas.ts";
import { unit } from "../parameters.ts";
import { transacoes } from "../transacoes/table.ts";
import { vendasProduto } from "../vendas-produto/table.ts";
import { comparison, earlierEnds } from "./comparison.ts";
import { granularity } from "./fields.ts";
import { GRAINS, PARTS, type Part, type PartName, questionTo, UNSENT } from "./panel-parts.ts";
import { columnsOf, dimensionsOf, measuresOf } from "./question.ts";

/** The columns that identify a row: a period is `dia` or `mes`. */
const keysOf = (part: Part): Record<string, z.ZodType> => {
  const [byDay, byMonth] = GRAINS.map((grain) => columnsOf(dimensionsOf(questionTo(part, grain, false))));
  const all = Object.entries({ ...byDay, ...byMonth });
  return Object.fromEntries(
    all.map(([name, field]) => [
      name,
      name in { ...byDay } && name in { ...byMonth } ? field : field.optional(),
    ]),
  );
};

/** The answer of a general report with the columns of a part. */
const answerTo = (name: string, part: Part) => {
  const measures = Object.fromEntries(
    measuresOf(questionTo(part, "mes", false)).map(({ name: measure, field }) => [measure, field]),
  );
  const earlier = z.object(measures).optional().openapi({
    description: "With `comparar`: the measures of the earlier range",
  });
  const compared = part.comparable ? { anterior: earlier } : {};
  return record(`Painel${name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`, {
    data: z.array(z.object({ ...keysOf(part), ...measures, ...compared })),
    linhas: z.int().openapi({ description: "Number of rows before the limit", example: 12 }),
    totais: z.object({ ...measures, ...compared }),
    ...(part.comparable ? { anterior: earlierEnds.optional() } : {}),
  }).openapi({ description: part.description });
};

const partOf = (name: PartName) => answerTo(name, PARTS[name]);
const partOrNull = (name: PartName) => z.union([partOf(name), z.null()]);

export const Painel = record("Painel", {
  unidades: z
    .array(Estabelecimento)
    .openapi({ description: "The business units that you may read, by name, regardless of the filters" }),
  faturamento: partOf("faturamento"),
  faturamento_por_periodo: partOf("faturamento_por_periodo"),
  faturamento_anterior: partOrNull("faturamento_anterior"),
  metas: partOf("metas"),
  metas_por_unidade: partOf("metas_por_unidade"),
  faturamento_por_unidade: partOf("faturamento_por_unidade"),
  faturamento_por_unidade_e_periodo: partOf("faturamento_por_unidade_e_periodo"),
  visitas: partOf("visitas"),
  visitas_por_forma_pagamento: partOf("visitas_por_forma_pagamento"),
  clientes: partOrNull("clientes"),
  pendentes: answerTo("pendentes", UNSENT.pendentes),
  pendentes_antigos: answerTo("pendentes_antigos", UNSENT.pendentes_antigos),
  lancamentos_pendentes: partOf("lancamentos_pendentes"),
  lancamentos_pendentes_antigos: partOf("lancamentos_pendentes_antigos"),
  pagamentos: partOrNull("pagamentos"),
  servicos_por_profissional: partOf("servicos_por_profissional"),
  servicos_por_unidade_e_profissional: partOf("servicos_por_unidade_e_profissional"),
  frescor: Frescor,
}).openapi({
  description:
    "Reports from one snapshot, each for the range and the unit of the request unless it says otherwise. They " +
    "have the format of the general reports",
});
export type Painel = z.output<typeof Painel>;

export const PainelFilters = queryOf({
  ...dateRange("`data_hora`"),
  estabelecimento_id: unit("visits and sales lines of", [
    transacoes.estabelecimento_id,
    vendasProduto.estabelecimento_id,
  ]),
  granularidade: granularity("1,100 periods"),
  ...comparison,
});
