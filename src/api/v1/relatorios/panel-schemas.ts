import { z } from "@hono/zod-openapi";
import { dateRange, oneOf, querySchema, withDefault } from "../../../platform/http/params.ts";
import { Estabelecimento } from "../estabelecimentos/schemas.ts";
import { record } from "../fields.ts";
import { Frescor } from "../frescor/schemas.ts";
import { unit } from "../parameters.ts";
import { transacoes } from "../transacoes/table.ts";
import { vendasProduto } from "../vendas-produto/table.ts";
import { comparison, RangeAnterior } from "./comparison.ts";
import { GRAINS, mapParts, PARTS, type PanelPart, questionTo } from "./panel-parts.ts";
import { dimensionColumns, dimensionsOf, documentedField, measuresOf } from "./question.ts";

/** The columns that identify a row: a period is `dia`, `mes` or `hora`. */
const keyFields = (part: PanelPart): Record<string, z.ZodType> => {
  const each = GRAINS.map((grain) => dimensionColumns(dimensionsOf(questionTo(part, grain))));
  const all: [string, z.ZodType][] = each.flatMap((columns) => Object.entries(columns));
  return Object.fromEntries(
    all.map(([name, field]) => [name, each.every((columns) => name in columns) ? field : field.optional()]),
  );
};

/** The answer of a general report with the columns of a part. */
const answerTo = (name: string, part: PanelPart) => {
  const measures = Object.fromEntries(
    measuresOf(questionTo(part, "mes")).map(({ name, ...measure }) => [name, documentedField(measure)]),
  );
  const title = `Painel${name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase())}`;
  const Measures = record(`${title}Medidas`, measures);
  const earlier = Measures.optional().openapi({
    description: "With `comparar`: the measures of the earlier range",
  });
  const compared = part.comparable ? { anterior: earlier } : {};
  return record(title, {
    data: z.array(z.object({ ...keyFields(part), ...measures, ...compared })),
    linhas: z.int().openapi({ description: "Number of rows before the limit", example: 12 }),
    totais: part.comparable ? z.object({ ...measures, ...compared }) : Measures,
    ...(part.comparable ? { anterior: RangeAnterior.optional() } : {}),
  }).openapi({ description: part.description });
};

/** Null for a reader without the right, without an earlier range, or for what may not be asked (R7, R24). */
const orNull = (name: string, part: PanelPart) => z.union([answerTo(name, part), z.null()]);

const { faturamento_anterior, clientes, pagamentos } = PARTS;

export const Painel = record("Painel", {
  unidades: z
    .array(Estabelecimento)
    .openapi({ description: "The business units that you may read, by name, regardless of the filters" }),
  ...mapParts(answerTo),
  faturamento_anterior: orNull("faturamento_anterior", faturamento_anterior),
  clientes: orNull("clientes", clientes),
  pagamentos: orNull("pagamentos", pagamentos),
  frescor: Frescor,
}).openapi({
  description:
    "Reports from one snapshot, each for the range and the unit of the request unless it says otherwise. They " +
    "have the format of the general reports",
});
export type Painel = z.output<typeof Painel>;

export const PainelFilters = querySchema({
  ...dateRange("`data_hora`"),
  estabelecimento_id: unit("visits and sales lines of", [
    transacoes.estabelecimento_id,
    vendasProduto.estabelecimento_id,
  ]),
  granularidade: withDefault(
    oneOf(
      GRAINS,
      "Length of a period: day (`dia`), month (`mes`) or hour of the day (`hora`), in Brasília. At most 1,100 periods.",
    ),
    "mes",
  ),
  ...comparison,
});
