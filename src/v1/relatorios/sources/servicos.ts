import { sql } from "drizzle-orm";
import { humanText, text } from "../../../http/params.ts";
import { servicosFacts as facts } from "../../facts/table.ts";
import { string } from "../../fields.ts";
import { unit } from "../../parameters.ts";
import { transacoes as t, transacoesServicosRollup } from "../../transacoes/table.ts";
import {
  calendar,
  counted,
  countOf,
  cycle,
  cycleFilters,
  different,
  equalProfessional,
  equalText,
  profissional,
  readingOf,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Source } from "../source.ts";

const sums = { estabelecimento_id: true, cortesias: true, valor: true } as const;
const value = { sql: sql`value`, columns: ["value"] };

export const servicos: Source<"servicos"> = {
  name: "servicos",
  summary: "Services, by what you choose",
  description:
    "Counts and adds up services done in visits. Each counts once, for the professional who did it, so " +
    "rows add up, except `visitas`. Visits include the prices of their services: do not add both.",
  range: "`data_hora` of the visit",
  dates: {
    data_hora: {
      isDateColumn: false,
      plans: [
        [
          {
            rollup: transacoesServicosRollup,
            only: { dimension: sql`'professional'` },
            facts: { ...sums, profissional: value },
          },
        ],
        [
          {
            rollup: transacoesServicosRollup,
            only: { dimension: sql`'service'` },
            facts: { ...sums, servico: value },
          },
        ],
        [readingOf(facts, { at: facts.at, day: facts.day })],
      ],
    },
  },
  unitParameter: unit("services of visits of", [t.estabelecimento_id]),
  dimensions: {
    ...calendar,
    ...cycle,
    unidade,
    servico: simple(
      undefined,
      "servico",
      string("Corte feminino", "Name of the service; `null` for services without a name").nullable(),
    ),
    profissional,
  },
  measures: {
    servicos: counted("Number of services", 31),
    cortesias: countOf("Number of these services that were free (`cortesia` is true)", 1, "cortesias"),
    valor_total: summed({
      description: "Sum of `valor` of these services, in reais. Only numbers count",
      example: 2480,
      sql: sql`valor`,
      facts: ["valor"],
    }),
    visitas: different("Number of different visits. Counts of several rows do not add up", 25, sql`id`, "id"),
  },
  filters: {
    ...cycleFilters,
    servico: equalText(
      humanText({
        max: 100,
        example: "Corte feminino",
        description: "Only services with exactly this name.",
      }).optional(),
      "servico",
    ),
    profissional_salon_id: equalProfessional(
      text({ max: 64, example: "5001", description: "Only services of this professional." }).optional(),
    ),
  },
};
