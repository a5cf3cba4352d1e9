import { type SQL, sql } from "drizzle-orm";
import { rowsReport } from "../../db/reports.ts";
import { partialSums } from "../../db/rollup.ts";
import type { Scope } from "../../db/scope.ts";
import type { Given } from "../../db/statement.ts";
import { lookUpProfessional, professionals } from "../professional-map.ts";
import { transacoesServicosRollup } from "../transacoes/table.ts";
import { limitClause, maskProfessionalIds } from "./professional-ids.ts";
import type { ReportFilters } from "./schemas.ts";
import {
  ProducaoDoProfissional,
  type ProducaoFilters,
  type ProducaoPorProfissional,
  type TotaisPorServico,
  type TotaisPorServicoFilters,
  TotalPorServico,
} from "./services-schemas.ts";

const MEASURES = ["records", "cortesias", "valor"];
const sumsOfServices = sql`sum(cortesias) as cortesias, round(sum(valor), 2) as valor_total`;

const servicesBy = (
  dimension: "service" | "professional",
  range: Given<ReportFilters>,
  { units }: Scope,
  keys: string[],
): SQL =>
  partialSums(
    {
      rollup: transacoesServicosRollup,
      filters: { dimension: sql.raw(`'${dimension}'`), estabelecimento_id: units },
      range,
    },
    keys,
    MEASURES,
  );

/** One row per name of a service, highest sum first (R11). */
export const totaisPorServico = rowsReport<TotaisPorServicoFilters, TotaisPorServico>(
  TotalPorServico,
  ({ limite, ...range }, scope) => sql`
    select value as nome, sum(records) as quantidade, ${sumsOfServices}
    from (${servicesBy("service", range, scope, ["value"])}) as services
    group by value having sum(records) > 0 order by valor_total desc, value${limitClause(limite)}`,
);

/** One row per professional and unit: the services that the professional did, highest sum first (R16). */
export const producaoPorProfissional = rowsReport<ProducaoFilters, ProducaoPorProfissional>(
  ProducaoDoProfissional,
  ({ limite, ...range }, scope) => {
    const sums = servicesBy("professional", range, scope, ["estabelecimento_id", "value"]);
    return sql`with ${professionals}
    select ${lookUpProfessional(sql`estabelecimento_id`, sql`value`)} ->> 'profissional_nome' as profissional,
      value as profissional_salon_id, estabelecimento_id, servicos, cortesias, valor_total
    from (
      select estabelecimento_id, value, sum(records) as servicos, ${sumsOfServices}
      from (${maskProfessionalIds(sums, MEASURES, scope)}) as services
      group by estabelecimento_id, value having sum(records) > 0
      order by valor_total desc, estabelecimento_id, value${limitClause(limite)}
    ) as people order by valor_total desc, estabelecimento_id, value`;
  },
);
