import { type SQL, sql } from "drizzle-orm";
import { profissionais as p } from "./profissionais/table.ts";

/** The key in a service whose value is the professional's `salon_id`. */
export const PROFESSIONAL_KEY = sql.raw("'idProfissionalQueRealizouServico'");

/** The fields added to each service (V5). */
const professional = sql`jsonb_build_object(
  'profissional_nome', ${p.nome},
  'erp_centro_custo_id', ${p.erp_centro_custo_id}
)`;

/** Professionals by `salon_id`. The last duplicate wins: an active one, and of these the lowest `id` (V5). */
const bySalonId = sql`jsonb_object_agg(${p.salon_id}, ${professional} order by ${p.ativo}, ${p.id} desc)`;

const hasNamesakes = sql`${p.salon_id} in (
  select ${p.salon_id}
  from ${p}
  group by ${p.salon_id}
  having count(*) > 1
)`;

/** The professionals of each unit. */
const byUnit = sql`
  select jsonb_object_agg(unit, people)
  from (
    select ${p.salon_estabelecimento_id} as unit, ${bySalonId} as people
    from ${p}
    where ${p.salon_estabelecimento_id} is not null and ${hasNamesakes}
    group by ${p.salon_estabelecimento_id}
  ) as units`;

const anywhere = sql`
  select ${bySalonId}
  from ${p}
  where ${p.salon_id} is not null`;

/**
 * A CTE of one row, computed once per statement. `anywhere` maps each `salon_id` to a professional. `by_unit`
 * maps unit and `salon_id`, but only a `salon_id` that several professionals have.
 */
export const professionals = sql`professionals as materialized (
  select (${byUnit}) as by_unit, (${anywhere}) as anywhere
)`;

const NO_PROFESSIONAL = sql.raw(`'{"profissional_nome": null, "erp_centro_custo_id": null}'`);

/** The professional as jsonb; its fields are null if there is none (V5). Requires the CTE `professionals`. */
export const lookUpProfessional = (unit: SQL, salonId: SQL): SQL => sql`coalesce(
  (select by_unit from professionals) -> ${unit} -> ${salonId},
  (select anywhere from professionals) -> ${salonId},
  ${NO_PROFESSIONAL}
)`;

/** Like `lookUpProfessional`, by index: for one visit this is cheaper than the CTE. @param unit never null */
export const findProfessional = (unit: SQL, salonId: SQL): SQL => {
  const found = sql`
    select ${professional}
    from ${p}
    where ${p.salon_id} = ${salonId}
    order by ${p.salon_estabelecimento_id} is not distinct from ${unit} desc, ${p.ativo} desc, ${p.id}
    limit 1`;
  return sql`coalesce((${found}), ${NO_PROFESSIONAL})`;
};
