import { sql } from "drizzle-orm";
import { boolean, pgTable } from "drizzle-orm/pg-core";
import { withMetadata } from "../../../../core/schema-metadata.ts";
import { humanText, text } from "../../../../platform/http/params.ts";
import { servicoColumns } from "../../facts/table.ts";
import { string } from "../../fields.ts";
import { unit } from "../../parameters.ts";
import { profissionais as p } from "../../profissionais/table.ts";
import {
  servicosProfissionalRollup as byProfessional,
  servicosNomeRollup,
  transacoes as t,
} from "../../transacoes/table.ts";
import {
  differentClients,
  differentVisits,
  isFirst,
  novos,
  retornoDias,
  returnOfDifferentVisits,
  withReturn,
} from "../clients.ts";
import {
  calendar,
  counted,
  countOf,
  cycle,
  cycleFilters,
  different,
  equalProfessional,
  equalText,
  existing,
  isShownId,
  profissional,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Source } from "../source.ts";

/** The facts, with `voltou`: whether the client came back (R26). */
const f = pgTable("servicos_facts", { ...servicoColumns, voltou: boolean() });

export const servicos: Source<"servicos"> = {
  name: "servicos",
  summary: "Services, by what you choose",
  description:
    "Counts and adds up services done in visits. Each counts once, for the professional who did it, so " +
    "rows add up, except what counts visits or clients. Visits include the prices of their services: do not add both.",
  row: "A service: an object in `servicos` of a visit.",
  range: "`data_hora` of the visit",
  facts: f,
  dates: {
    data_hora: [
      {
        facts: f,
        at: f.at,
        day: f.day,
        rollups: [byProfessional, servicosNomeRollup],
        rows: withReturn(f),
      },
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
    visitas: {
      ...different("Number of different visits. Counts of several rows do not add up", 25, sql`${f.id}`),
      sql: (context) => differentVisits(f)(sql`true`, context),
    },
    clientes: differentClients(f.cliente_salon_id),
    ...returnOfDifferentVisits(f),
  },
  filters: {
    ...cycleFilters(f),
    servico: equalText(
      existing(
        humanText({
          max: 100,
          example: "Corte feminino",
          description: "Only services with exactly this name.",
        }).optional(),
        servicosNomeRollup.servico,
        servicosNomeRollup,
      ),
      f.servico,
    ),
    profissional_salon_id: equalProfessional(
      withMetadata(
        text({ max: 64, example: "5001", description: "Only services of this professional." }).optional(),
        {
          sources: [
            { value: p.salon_id, name: p.nome, unit: p.salon_estabelecimento_id },
            {
              value: byProfessional.profissional,
              records: byProfessional.records,
              unit: byProfessional.estabelecimento_id,
              isShown: isShownId(byProfessional.profissional),
            },
          ],
        },
      ),
      f.profissional,
    ),
    novos: novos("services of the first visit of each client", (_value, context) => isFirst(f.id, context)),
    retorno_dias: retornoDias,
  },
};
