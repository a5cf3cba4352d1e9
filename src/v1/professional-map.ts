import { type SQL, sql } from "drizzle-orm";
import { profissionais as p } from "./profissionais/table.ts";

/** The key in a service whose value is the professional's `salon_id`. */
export const PROFESSIONAL_KEY = sql.raw("'idProfissionalQueRealizouServico'");

/** The fields added to each service (V5). */
const professional = sql`jsonb_build_object('profissional_nome', ${p.nome}, 'erp_centro_custo_id', ${p.erp_centro_custo_id})`;

/** Professionals by `salon_id`. The last duplicate wins: an active one, and of these the lowest `id` (V5). */
const bySalonId = sql`jsonb_object_agg(${p.salon_id}, ${professional} order by ${p.ativo}, ${p.id} desc)`;

/**
 * A CTE of one row, computed once per statement. `anywhere` maps each `salon_id` to a professional. `by_unit`
 * maps unit and `salon_id`, but only a `salon_id` that several professionals have.
 */
export const professionals = sql`professionals as materialized (
  select (
    select jsonb_object_agg(unit, people) from (
      select ${p.salon_estabelecimento_id} as unit, ${bySalonId} as people from ${p}
      where ${p.salon_estabelecimento_id} is not null
        and ${p.salon_id} in (select ${p.salon_id} from ${p} group by ${p.salon_id} having count(*) > 1)
      group by ${p.salon_estabelecimento_id}
    ) as units
  ) as by_unit, (
    select ${bySalonId} from ${p} where ${p.salon_id} is not null
  ) as anywhere)`;

const NO_PROFESSIONAL = sql.raw(`'{"profissional_nome": null, "erp_centro_custo_id": null}'`);

/** The professional as jsonb; its fields are null if there is none (V5). Requires the CTE `professionals`. */
export const lookUpProfessional = (unit: SQL, salonId: SQL): SQL => sql`coalesce(
  (select by_unit from professionals) -> ${unit} -> ${salonId}, (select anywhere from professionals) -> ${salonId}, ${NO_PROFESSIONAL})`;

/** Like `lookUpProfessional`, by index: for one visit this is cheaper than the CTE. @param unit never null */
export const findProfessional = (unit: SQL, salonId: SQL): SQL => sql`coalesce((
  select ${professional} from ${p} where ${p.salon_id} = ${salonId}
  order by ${p.salon_estabelecimento_id} is not distinct from ${unit} desc, ${p.ativo} desc, ${p.id} limit 1), ${NO_PROFESSIONAL})`;
