import { type SQL, sql } from "drizzle-orm";
import { profissionais as p } from "./profissionais/table.ts";

/** Where a service of a visit names who did it. */
export const PROFESSIONAL_KEY = sql.raw("'idProfissionalQueRealizouServico'");

const mapped = sql`jsonb_build_object('profissional_nome', ${p.nome}, 'erp_centro_custo_id', ${p.erp_centro_custo_id})`;
const best = sql`${p.ativo} desc, ${p.id}`;

/**
 * A common table expression of one row, computed once per statement: all professionals in two jsonb objects, the best
 * match by unit and `salon_id`, and the best anywhere by `salon_id`. Best is active before inactive, then the lowest
 * id (V5).
 */
export const professionals = sql`professionals as materialized (
  select (
    select jsonb_object_agg(unit, people) from (
      select unit, jsonb_object_agg(salon_id, professional) as people from (
        select distinct on (1, 2) ${p.salon_estabelecimento_id} as unit, ${p.salon_id}, ${mapped} as professional
        from ${p} where ${p.salon_estabelecimento_id} is not null and ${p.salon_id} is not null order by 1, 2, ${best}
      ) as matches group by unit
    ) as units
  ) as by_unit, (
    select jsonb_object_agg(salon_id, professional) from (
      select distinct on (1) ${p.salon_id}, ${mapped} as professional
      from ${p} where ${p.salon_id} is not null order by 1, ${best}
    ) as matches
  ) as anywhere)`;

/** Those of one unit, to be looked up in. */
export const professionalsOf = (unit: SQL): SQL => sql`(select by_unit from professionals) -> ${unit}`;

/** The mapped professional as jsonb, both values null when the id is not mapped (V5). */
export const lookUpProfessional = (ofUnit: SQL, salonId: SQL): SQL => sql`coalesce(
  ${ofUnit} -> ${salonId}, (select anywhere from professionals) -> ${salonId},
  '{"profissional_nome": null, "erp_centro_custo_id": null}')`;
