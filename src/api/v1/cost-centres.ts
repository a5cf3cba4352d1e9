import { sql } from "drizzle-orm";
import { estabelecimentos as e } from "./estabelecimentos/table.ts";
import { profissionais as p } from "./profissionais/table.ts";

/** The cost centres of establishments. The lowest id wins; an office has no unit. */
const ofEstablishments = sql`
    select distinct on (${e.erp_centro_custo_id}) ${e.erp_centro_custo_id}::text as centre, ${e.salon_id} as unit
    from ${e}
    where ${e.erp_centro_custo_id} is not null
    order by ${e.erp_centro_custo_id}, ${e.id}`;

/** The cost centres of professionals who are all of one unit. */
const ofProfessionals = sql`
    select ${p.erp_centro_custo_id} as centre, min(${p.salon_estabelecimento_id}) as unit
    from ${p}
    where ${p.erp_centro_custo_id} <> '' and ${p.salon_estabelecimento_id} is not null
    group by 1
    having count(distinct ${p.salon_estabelecimento_id}) = 1`; // mistake: any-unit-of-professionals

/** The unit of each cost centre that leads to one, chain-wide (R27). Units come before professionals. */
export const unitsOfCentres = sql`
  select centre, unit
  from (
    select distinct on (centre) centre, unit
    from (
      select centre, unit, 1 as choice from (${ofEstablishments}) as establishments
      union all
      select centre, unit, 2 as choice from (${ofProfessionals}) as professionals
    ) as centres
    order by centre, choice
  ) as chosen
  where unit is not null`;

export const unitsWithCentre = sql`select unit from (${unitsOfCentres}) as centres`;
