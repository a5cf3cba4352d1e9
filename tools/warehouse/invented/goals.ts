import { TAKEN } from "./words.ts";

/** The months that have goals, as SQL. */
export interface GoalsShape {
  /** The first month. */
  first: string;
  /** The number of months after it. */
  others: string;
  /** The turnover of a `month`, as a share of an average month's. */
  season: string;
}

/**
 * Goals of each active unit with sales: within 15 % of what its customers paid in an average month of the last twelve, in
 * full hundreds.
 */
export const goals = ({ first, others, season }: GoalsShape) => `
insert into metas (estabelecimento_id, mes, valor)
select unit, month, greatest(100, round((paid / 12 * ${season} * (0.9 + 0.25 * pg_temp.r(unit::bigint * 12 + n, 'goal'))::numeric), -2))
from (
  select estabelecimento_id as unit, sum(value) as paid
  from (
    select estabelecimento_id, data_hora, forma_pagamento_principal as form, total as value from transacoes
    union all
    select estabelecimento_id, data_hora, forma_pagamento, valor_total from vendas_produto where origem = 'loja'
  ) sale
  where data_hora >= pg_temp.now_() - interval '12 months' and form is distinct from ${TAKEN}
  group by estabelecimento_id
) turnover
join estabelecimentos on salon_id = unit and ativo
cross join generate_series(0, ${others}) n
cross join lateral (select (${first} + n * interval '1 month')::date as month) goal
where paid > 0
order by unit, month`;
