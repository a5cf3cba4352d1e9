import { timeOf } from "./even.ts";
import { ACCOUNTS, filler, SALONS, SYNCED, TODAY, withGaps } from "./words.ts";

/** Lower ids are monthly payments to professionals. */
const FIRST_ID = 1000;

/**
 * A complete payment from the columns `i`, `id`, `centre`, `account`, `plan`, `value`, `due`, `paid_on` and `entered`
 * of `payments`.
 */
export const completePayment = (payments: string, described: string) => `
insert into pagamentos_erp (id, erp_id, id_centro_custo, situacao, nome_conta_classificacao, id_plano_conta_classificacao,
  valor, data_vencimento, data_pagamento, descricao, raw_data, synced_at, updated_at)
select id, erp_id, centre, state, account, plan, value, due, paid_on,
  case when ${described} then account || ' ref. ' || coalesce(to_char(due, 'MM/YYYY'), 'sem data') end,
  jsonb_build_object('Id', erp_id, 'Situacao', state, 'CentroCusto', centre, 'Conta', account, 'Valor', value,
    'DataVencimento', due, 'DataPagamento', paid_on, 'Observacao', ${filler("erp_id", 400)}),
  -- Each sync reads pending payments again.
  coalesce(settled, ${SYNCED}), coalesce(settled, entered)
from (
  select *, case when paid_on is null then 1 else 2 end as state,
    least(paid_on + interval '20 hours', ${SYNCED}) as settled
  from (${payments} offset 0) payment offset 0
) payment`;

/** Payments to or from professionals, by salon and month: the sum of the ledger entries that name the payment. */
export const commissions = completePayment(
  `select row_number() over (order by due, erp_id) as id, *,
     case when due <= ${TODAY} then due end as paid_on
   from (
     select (raw_data -> 'IdPagamento')::bigint as erp_id, 7000 + estabelecimento_id::int - 100 || '' as centre,
       raw_data #>> '{PlanoContas,Nome}' as account, (raw_data #> '{PlanoContas,Id}')::int as plan,
       (raw_data ->> 'DataVencimento')::date as due, sum((raw_data -> 'ValorLiquido')::numeric) as value, max(synced_at) as entered
     from lancamentos group by 1, 2, 3, 4, 5
   ) month`,
  "true",
);

/**
 * All other payments. Deliberate faults: some lack the centre, account, value, due date or description. One in ten
 * due payments is unpaid.
 */
export const payments = (rows: number) =>
  completePayment(
    `select *, ${FIRST_ID} + ${withGaps("i")} as id, 900000 + i * 3 as erp_id,
       case when pg_temp.r(i, 'classified') < 0.97 then (${ACCOUNTS})[place] end as account,
       case when pg_temp.r(i, 'classified') < 0.97 then 300 + place end as plan,
       case when settled_on <= ${TODAY} and pg_temp.r(i, 'paid') < 0.9 then settled_on end as paid_on
     from (
       select *, greatest(due - (i % 3)::int, entered::date) as settled_on
       from (
         select i, entered, case when pg_temp.r(i, 'centre') < 0.9 then 7000 + i % ${SALONS + 1} || '' end as centre,
           1 + floor(pg_temp.r(i, 'account') * cardinality(${ACCOUNTS}))::int as place,
           case when pg_temp.r(i, 'valued') < 0.95 then round((80 + pg_temp.r(i, 'amount') * 9000)::numeric, 2) end as value,
           case when pg_temp.r(i, 'dated') < 0.98 then (entered + pg_temp.r(i, 'term') * interval '40 days')::date end as due
         from (select i, ${timeOf("i", rows)} as entered from generate_series($1::bigint, $2::bigint) i offset 0) payment
         offset 0
       ) payment offset 0
     ) payment`,
    "pg_temp.r(i, 'described') < 0.9",
  );
