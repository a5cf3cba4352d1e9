import { sql } from "drizzle-orm";
import { humanText, text } from "../../../../platform/http/params.ts";
import { servicosFacts as f } from "../../facts/table.ts";
import { string } from "../../fields.ts";
import { unit } from "../../parameters.ts";
import { servicosNomeRollup, servicosProfissionalRollup, transacoes as t } from "../../transacoes/table.ts";
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
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Source } from "../source.ts";

export const servicos: Source<"servicos"> = {
  name: "servicos",
  summary: "Services, by what you choose",
  description:
    "Counts and adds up services done in visits. Each counts once, for the professional who did it, so " +
    "rows add up, except `visitas`. Visits include the prices of their services: do not add both.",
  range: "`data_hora` of the visit",
  facts: f,
  dates: {
    data_hora: [
      { facts: f, at: f.at, day: f.day, rollups: [servicosProfissionalRollup, servicosNomeRollup] },
    ],
  },
  unitParameter: unit("services of visits of", [t.estabelecimento_id]),
  dimensions: {
    ...calendar,
    ...cycle(f),
    unidade: unidade(f.estabelecimento_id),
    servico: simple(
      undefined,
      f.servico,
      string("Corte feminino", "Name of the service; `null` for services without a name").nullable(),
    ),
    profissional: profissional(f.profissional),
  },
  measures: {
    servicos: counted("Number of services", 31),
    cortesias: countOf("Number of these services that were free (`cortesia` is true)", 1, f.cortesias),
    valor_total: summed("Sum of `valor` of these services, in reais. Only numbers count", 2480, f.valor),
    visitas: different("Number of different visits. Counts of several rows do not add up", 25, sql`${f.id}`),
  },
  filters: {
    ...cycleFilters(f),
    servico: equalText(
      humanText({
        max: 100,
        example: "Corte feminino",
        description: "Only services with exactly this name.",
      }).optional(),
      f.servico,
    ),
    profissional_salon_id: equalProfessional(
      text({ max: 64, example: "5001", description: "Only services of this professional." }).optional(),
      f.profissional,
    ),
  },
};
