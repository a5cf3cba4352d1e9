import { type SQL, sql } from "drizzle-orm";
import { matchFilters, numberLiteral, whereClause } from "../../db/conditions.ts";
import { jsonObject, optimizationFence } from "../../db/json-sql.ts";
import { jsonReport } from "../../db/reports.ts";
import { inRange, periodOf } from "../../db/rollup.ts";
import type { Scope } from "../../db/scope.ts";
import { transacoes as t } from "../transacoes/table.ts";
import type { Clientes, ClientesFilters } from "./clients-schemas.ts";

/** The report reads every visit of the range. */
const MAX_DAYS = 400;
const TOO_MANY_DAYS =
  "The range has more than 400 days. Send a shorter range in `data_inicio` and `data_fim`.";

/**
 * One row per client with visits in the range, and one for the visits without a client. Both scans are index-only. In the
 * order of the index, clients share its pages.
 */
const clientsIn = (range: { data_inicio: SQL; data_fim: SQL }, { units }: Scope): SQL => {
  const ofUnits = matchFilters({ estabelecimento_id: units });
  const earlier = whereClause(
    sql`earlier.cliente_salon_id = client.cliente_salon_id`,
    sql`earlier.data_hora < ${range.data_inicio}`,
    ofUnits,
  );
  return optimizationFence(sql`
    select cliente_salon_id, visits, (select true from ${t} as earlier${earlier} limit 1) as returns
    from (
      select cliente_salon_id, count(*) as visits from ${t}${whereClause(...inRange({ range }, sql`data_hora`), ofUnits)}
      group by cliente_salon_id order by cliente_salon_id
    ) as client`);
};

/** Clients with visits in the range, and how many of them are new (R14). */
export const clientes = jsonReport<ClientesFilters, Clientes>(
  // The schema requires both ends.
  ({ data_inicio = sql`null`, data_fim = sql`null` }, scope) => {
    const days = sql`${periodOf("day", data_fim)} - ${periodOf("day", data_inicio)} + 1`;
    const sums = jsonObject({
      clientes: sql`count(cliente_salon_id)`,
      novos: sql`count(cliente_salon_id) filter (where returns is null)`,
      recorrentes: sql`count(returns)`,
      visitas: sql`coalesce(sum(visits), 0)`,
      visitas_sem_cliente: sql`coalesce(sum(visits) filter (where cliente_salon_id is null), 0)`,
    });
    return sql`select case when ${days} <= ${numberLiteral(MAX_DAYS)}
      then (select ${sums} from ${clientsIn({ data_inicio, data_fim }, scope)} as clients) end as body`;
  },
  { refusal: TOO_MANY_DAYS },
);
