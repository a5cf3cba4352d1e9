import { z } from "@hono/zod-openapi";
import { dateRange, integer, nameList, oneOf, querySchema } from "../../../platform/http/params.ts";
import { instant, record, string } from "../fields.ts";
import { Direitos } from "../frescor/schemas.ts";
import { comparison, RangeAnterior } from "./comparison.ts";
import { combinationErrors } from "./general-checks.ts";
import { defaultMeasures, dimensionColumns, documentedField, VARIATION } from "./question.ts";
import type { Source } from "./source.ts";

const MAX_DIMENSIONS = 4;

/** More rows are unreadable. The periods of a series fit (R22). */
const MAX_LIMIT = 1100;

/** All columns that an answer of the source may have. */
const allColumns = ({ dimensions, measures }: Source) => ({
  keys: dimensionColumns(Object.values(dimensions)),
  measures: Object.fromEntries(
    Object.entries(measures).map(([name, measure]) => [name, documentedField(measure)]),
  ),
});

const names = (declared: object) => Object.keys(declared);

const described = (dimensions: Source["dimensions"]) =>
  Object.entries(dimensions)
    .map(([name, { description }]) => (description === undefined ? name : `${name} (${description})`))
    .join(", ");

const measureText = (source: Source) => {
  const defaults = defaultMeasures(source);
  const extra = names(source.measures).filter((name) => !defaults.includes(name));
  return (
    `Columns, comma-separated. Default: ${defaults.join(", ")}.` +
    (extra.length > 0 ? ` Also ${extra.join(", ")}.` : "")
  );
};

/** The query parameters of a source (R21). */
export const generalFilters = (source: Source) => {
  const { dimensions, measures, filters, unitParameter, dateParameter } = source;
  const { keys } = allColumns(source);
  const columns = [...names(keys), ...names(measures), VARIATION];
  const query = querySchema({
    por: nameList(names(dimensions), {
      what: "dimensions",
      max: MAX_DIMENSIONS,
      // A dimension whose column has its name, as the example of the answer.
      example: ["mes", "coorte"].find((name) => name in dimensions) as string,
      description:
        `Rows: up to ${MAX_DIMENSIONS}, comma-separated, of ${described(dimensions)}. ` +
        "At most one period.",
    })
      .optional()
      .openapi({ "x-names": names(dimensions) }),
    medidas: nameList(names(measures), {
      what: "measures",
      example: names(measures)[0] as string,
      description: measureText(source),
    })
      .optional()
      .openapi({ "x-names": names(measures) }),
    ...(dateParameter && { data: dateParameter }),
    ...dateRange(source.range, { mayLieAhead: source.mayLieAhead ?? false }),
    ...(unitParameter && { estabelecimento_id: unitParameter }),
    ...Object.fromEntries(Object.entries(filters).map(([name, { parameter }]) => [name, parameter])),
    ordem: nameList(columns, {
      what: "columns",
      max: 1,
      isSigned: true,
      example: `-${names(measures)[0]}`,
      description:
        "A column, or `variacao` of the first measure with `comparar`; descending with `-`. Default: by time, " +
        "else highest first.",
    }).optional(),
    limite: integer({
      min: 1,
      max: MAX_LIMIT,
      example: 10,
      description: "Maximum rows. Default: 100; all if `por` is one period.",
    }).optional(),
    ...comparison,
    explicar: oneOf(["true"], "Adds `explicacao`: where the figures come from. Not with CSV.").optional(),
  });
  return query.superRefine(
    (q, { issues, addIssue }) => {
      for (const issue of combinationErrors(source, q, issues)) addIssue({ code: "custom", ...issue });
    },
    { when: () => true },
  );
};

const Explanation = record("Explicacao", {
  linha: string("A visit: a record of `transacoes`.", "What a row of the source is"),
  medidas: z.record(z.string(), z.string()).openapi({
    description: "What each measure is",
    example: { visitas: "Number of rows of `transacoes`" },
  }),
  filtros: z.record(z.string(), z.unknown()).openapi({
    description: "The filters that were applied, with the ends of the range in place of `periodo`",
    example: { estabelecimento_id: "101" },
  }),
  direitos: Direitos,
  registros: string(
    "/v1/transacoes?estabelecimento_id=101",
    "URL of a list with exactly these rows, or for a tool its name and arguments; `null` if none has them",
  ).nullable(),
  dados_ate: instant().nullable().openapi({ description: "How far the data reaches; `null` if no job ran" }),
}).openapi({ description: "With `explicar`: where the figures come from" });

/** The answer of a source: each row has the columns that were asked for (R22). */
export const generalAnswer = (source: Source) => {
  const { keys, measures } = allColumns(source);
  const title = source.name.charAt(0).toUpperCase() + source.name.slice(1);
  const Measures = record(`${title}Medidas`, measures).partial().openapi(`${title}Medidas`);
  const earlier = Measures.optional().openapi({
    description: "With `comparar`: the measures of the earlier range",
  });
  const Row = record(`${title}Linha`, { ...keys, ...measures }).partial();
  // Repeats the fields instead of extending `Medidas`: its `allOf` would reject `anterior`.
  const Totals = record(`${title}Totais`, measures).partial();
  return record(title, {
    data: z.array(Row.extend({ anterior: earlier }).openapi(`${title}Linha`)),
    linhas: z.int().openapi({ description: "Number of rows before `limite`", example: 12 }),
    totais: Totals.extend({ anterior: earlier }).openapi(`${title}Totais`, {
      description: "The measures of everything that matched; not the sum of the rows",
    }),
    anterior: RangeAnterior.optional(),
    explicacao: Explanation.optional(),
  });
};
