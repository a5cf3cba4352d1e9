import { type SQL, sql } from "drizzle-orm";
import { profissionais as p } from "./profissionais/table.ts";

/** Where a service of a visit names who did it. */
export const PROFESSIONAL_KEY = sql.raw("'idProfissionalQueRealizouServico'");

// The length in front keeps the two parts of a key apart, whatever characters they hold.
const key = (unit: SQL, salonId: SQL) => sql`length(${unit}) || ':' || ${unit} || ${salonId}`;

/**
 * A common table expression of one row: all professionals in one jsonb object, `map`. Under unit and `salon_id` the best match
 * within that unit, under `salon_id` alone the best match anywhere. Best is active before inactive, then the
 * lowest id (V5).
 */
export const professionals = sql`professionals as materialized (
  select coalesce(jsonb_object_agg(match_key, match_value), '{}') as map
  from (
    select distinct on (match_key) match_key,
      jsonb_build_object('profissional_nome', ${p.nome}, 'erp_centro_custo_id', ${p.erp_centro_custo_id}) as match_value
    from ${p}, lateral (values
      (${key(sql`${p.salon_estabelecimento_id}`, sql`${p.salon_id}`)}), (':' || ${p.salon_id})
    ) as keys(match_key)
    where match_key is not null
    order by match_key, ${p.ativo} desc, ${p.id}
  ) as matches
)`;

/** The mapped one of the `professionals` as jsonb, both values null when the id is not mapped (V5). */
export const lookUpProfessional = (unit: SQL, salonId: SQL): SQL => sql`coalesce(
  (select map from professionals) -> (${key(unit, salonId)}), (select map from professionals) -> (':' || ${salonId}),
  '{"profissional_nome": null, "erp_centro_custo_id": null}')`;
