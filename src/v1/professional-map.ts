import { type SQL, sql } from "drizzle-orm";
import { profissionais as p } from "./profissionais/table.ts";

/** Where a service of a visit names who did it. */
export const PROFESSIONAL_KEY = sql.raw("'idProfissionalQueRealizouServico'");

/** What a service gains. */
const professional = sql`jsonb_build_object('profissional_nome', ${p.nome}, 'erp_centro_custo_id', ${p.erp_centro_custo_id})`;

/**
 * Professionals by `salon_id`, as one jsonb object. Of several with the same id the last stays: active after inactive,
 * and the lowest id at the very end (V5).
 */
const bySalonId = sql`jsonb_object_agg(${p.salon_id}, ${professional} order by ${p.ativo}, ${p.id} desc)`;

/**
 * A common table expression of one row, computed once per statement: professionals in two jsonb objects, by `salon_id`,
 * and by unit and `salon_id` those who share theirs with another, for whom alone the unit decides.
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

const NOBODY = sql.raw(`'{"profissional_nome": null, "erp_centro_custo_id": null}'`);

/** The mapped professional as jsonb, both values null when the id is not mapped (V5); reads from `professionals`. */
export const lookUpProfessional = (unit: SQL, salonId: SQL): SQL => sql`coalesce(
  (select by_unit from professionals) -> ${unit} -> ${salonId}, (select anywhere from professionals) -> ${salonId}, ${NOBODY})`;

/**
 * The same by an index: for the services of one visit, as all professionals in two objects cost more than to find a few.
 * @param unit never null
 */
export const findProfessional = (unit: SQL, salonId: SQL): SQL => sql`coalesce((
  select ${professional} from ${p} where ${p.salon_id} = ${salonId}
  order by ${p.salon_estabelecimento_id} is not distinct from ${unit} desc, ${p.ativo} desc, ${p.id} limit 1), ${NOBODY})`;
