import { type SQL, sql } from "drizzle-orm";
import { matchFilters, whereClause } from "../../db/conditions.ts";
import { jsonObject } from "../../db/json-sql.ts";
import { partialSums } from "../../db/rollup.ts";
import type { Scope } from "../../db/scope.ts";
import { transacoes as t, transacoesRollup } from "../transacoes/table.ts";
import { recordCount, TOTALS, totalInReais } from "./measures.ts";

/** The first of them: one index entry for each unit that has some. */
const firstVisit = ({ units }: Scope, until: SQL | undefined): SQL => {
  const isUnsent = matchFilters({ grain: sql`'all'`, sent_to_erp: sql`false`, estabelecimento_id: units });
  return sql`(
    select min(data_hora)
    from (select distinct estabelecimento_id from ${transacoesRollup}${whereClause(isUnsent)}) as units
      cross join lateral (
        select data_hora
        from ${t}
        where ${t.estabelecimento_id} = units.estabelecimento_id and not sent_to_erp
          and data_hora > '-infinity' and ${until ? sql`data_hora <= ${until}` : sql`data_hora < 'infinity'`}
        order by data_hora
        limit 1
      ) as first
  )`;
};

/** The answer of `visitas` with its first visit, for those not sent to the ERP, at most until an instant (R7). */
export const selectUnsentVisits = (scope: Scope, until?: SQL): SQL => {
  const filters = { sent_to_erp: sql`false`, estabelecimento_id: scope.units };
  const row = jsonObject({
    visitas: recordCount,
    valor_total: totalInReais,
    primeira_visita: sql`coalesce(to_json(${firstVisit(scope, until)})::text, 'null')`,
  });
  return sql`
    select '{"data":[' || measures || '],"linhas":1,"totais":' || measures || '}'
    from (
      select ${row} as measures
      from (${partialSums({ rollup: transacoesRollup, filters, range: { data_fim: until } }, [], TOTALS)}) as sums
      offset 0
    ) as unsent`;
};
