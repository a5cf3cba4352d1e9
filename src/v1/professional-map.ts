import { type SQL, sql } from "drizzle-orm";
import { profissionais as p } from "./profissionais/table.ts";

/** Where a service of a visit names who did it. */
export const PROFESSIONAL_KEY = sql.raw("'idProfissionalQueRealizouServico'");

/**
 * Professionals by `salon_id`, as one jsonb object. Of several with the same id the last stays: active after inactive,
 * and the lowest id at the very end (V5).
 */
const bySalonId = sql`jsonb_object_agg(${p.salon_id},
  jsonb_build_object('profissional_nome', ${p.nome}, 'erp_centro_custo_id', ${p.erp_centro_custo_id})
  order by ${p.ativo}, ${p.id} desc)`;

/**
 * A common table expression of one row, computed once per statement: all professionals in two jsonb objects, by unit
 * and `salon_id`, and by `salon_id` alone.
 */
export const professionals = sql`professionals as materialized (
  select (
    select jsonb_object_agg(unit, people) from (
      select ${p.salon_estabelecimento_id} as unit, ${bySalonId} as people from ${p}
      where ${p.salon_estabelecimento_id} is not null and ${p.salon_id} is not null group by ${p.salon_estabelecimento_id}
    ) as units
  ) as by_unit, (
    select ${bySalonId} from ${p} where ${p.salon_id} is not null
  ) as anywhere)`;

/** Those of one unit, to be looked up in. */
export const professionalsOf = (unit: SQL): SQL => sql`(select by_unit from professionals) -> ${unit}`;

/** The mapped professional as jsonb, both values null when the id is not mapped (V5). */
export const lookUpProfessional = (ofUnit: SQL, salonId: SQL): SQL => sql`coalesce(
  ${ofUnit} -> ${salonId}, (select anywhere from professionals) -> ${salonId},
  '{"profissional_nome": null, "erp_centro_custo_id": null}')`;
