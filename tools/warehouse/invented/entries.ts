import { filler, SYNCED, TAKEN, withGaps } from "./words.ts";

/** Which visits have an entry. The last entry belongs to the last visit. */
export interface EntriesShape {
  rows: number;
  visits: number;
  /** Visits per entry, as SQL. */
  step: string;
}

/** The visit of an entry. */
const visitOf = (i: string, { rows, visits, step }: EntriesShape) =>
  `(${visits} - (${rows} - ${i}) * ${step})`;

/**
 * Ledger entries: what one professional earned or took in a visit. Each entry names the ERP payment of its salon and
 * month. It is sent to the salon system once its visit is in the ERP and the professional has a cost centre there.
 */
export const entries = (shape: EntriesShape) => `
insert into lancamentos (id, salon_id, estabelecimento_id, raw_data, synced_at, sent_to_salon, sent_at)
select ${withGaps("i")}, 'L' || i, unit,
  jsonb_build_object('Id', i, 'Transacao', visit, 'IdPagamento', 900001 + (month_number * 12 + (unit::int - 101) * 2 + is_taken::int) * 3,
    'Pessoa', person, 'CentroCusto', centre, 'IdProfissional', professional,
    'ValorBruto', gross, 'ValorDesconto', fee, 'ValorLiquido', gross - fee,
    'Tipo', case when is_taken then 'debito' else 'comissao' end, 'Situacao', case when due <= pg_temp.now_()::date then 2 else 1 end,
    'DataCompetencia', month, 'DataVencimento', due, 'DataPagamento', case when due <= pg_temp.now_()::date then due end, 'CriadoEm', at,
    'UnidadeNegocio', jsonb_build_object('Id', unit::int - 100, 'Codigo', 'UN-' || unit::int - 100),
    'PlanoContas', jsonb_build_object('Id', 320 + is_taken::int, 'Nome', case when is_taken then 'Vales de profissionais' else 'Comissões' end, 'Natureza', 'despesa'),
    'Parcela', jsonb_build_object('Numero', 1, 'Total', 1), 'FormaPagamento', form, 'Conciliado', sent, 'Anexos', '[]'::jsonb,
    'Observacao', ${filler("i", 200)}, 'Itens', items),
  at, sent, case when sent then at + interval '20 minutes' end
from (
  select i, visit.salon_id as visit, visit.estabelecimento_id as unit, professional, forma_pagamento_principal as form, is_taken,
    coalesce(p.nome, 'Profissional ' || professional) as person, p.erp_centro_custo_id as centre,
    visit.sent_to_erp and p.erp_centro_custo_id is not null as sent, gross, items,
    round(gross * coalesce(fee.taxa_cobrada_profissional, 0), 2) as fee,
    date_trunc('month', data_hora)::date as month, (date_trunc('month', data_hora) + interval '1 month 4 days')::date as due,
    (extract(year from data_hora) * 12 + extract(month from data_hora))::int - 24000 as month_number,
    -- Entries arrive up to six days late. Those of visits of the last two days came with the last sync.
    case when data_hora > pg_temp.now_() - interval '2 days' then ${SYNCED}
      else data_hora + interval '2 hours' + pg_temp.r(i, 'late') * least(interval '6 days', ${SYNCED} - data_hora - interval '2 hours') end as at
  from (
    select *, coalesce(servicos -> 0 -> 'idProfissionalQueRealizouServico', raw_data #> '{produtos,0,idProfissional}')::bigint as professional,
      coalesce(servicos, raw_data -> 'produtos') as done, coalesce(forma_pagamento_principal = ${TAKEN}, false) as is_taken
    from transacoes
    where id between ${withGaps(visitOf("$1::bigint", shape))} and ${withGaps(visitOf("$2::bigint", shape))}
    offset 0
  ) visit
  join generate_series($1::bigint, $2::bigint) i on visit.id = ${withGaps(visitOf("i", shape))}
  left join profissionais p on p.salon_id = professional::text
  left join taxas_cartao fee on fee.forma_pagamento = forma_pagamento_principal
  cross join lateral (
    select jsonb_agg(jsonb_build_object('Item', nome, 'Cliente', cliente_nome, 'Quantidade', coalesce(quantidade, 1),
        'ValorItem', valor, 'Percentual', share, 'Valor', round(valor * share / 100, 2))) as items, sum(round(valor * share / 100, 2)) as gross
    from (select *, case when is_taken then 100 when servicos is null then 10 else 40 end as share
      from jsonb_to_recordset(done) as part (nome text, valor numeric, quantidade numeric, "idProfissionalQueRealizouServico" bigint, "idProfissional" bigint)
    ) part
    where coalesce("idProfissionalQueRealizouServico", "idProfissional") = professional
  ) earned
  offset 0
) entry
order by i`;

/** Who is paid for each account that has ledger entries of its own. */
const PAYEES = `(values ('Aluguel', 'Imobiliária Exemplo'), ('Fornecedores', 'Distribuidora Modelo de Beleza')) payee (account, name)`;

/**
 * Ledger entries of what a salon pays for rent and supplies, one for each ERP payment, without a visit.
 * @param others the number of other entries
 */
export const expenses = (others: number) => `
insert into lancamentos (id, salon_id, estabelecimento_id, raw_data, synced_at, sent_to_salon, sent_at)
select ${withGaps("i")}, 'L' || i, unit,
  jsonb_build_object('Id', i, 'IdPagamento', erp_id, 'Pessoa', name, 'CentroCusto', id_centro_custo,
    'ValorBruto', valor, 'ValorDesconto', 0, 'ValorLiquido', valor, 'Tipo', 'despesa', 'Situacao', situacao,
    'DataCompetencia', date_trunc('month', data_vencimento)::date, 'DataVencimento', data_vencimento,
    'DataPagamento', data_pagamento, 'CriadoEm', at,
    'UnidadeNegocio', jsonb_build_object('Id', unit::int - 100, 'Codigo', 'UN-' || unit::int - 100),
    'PlanoContas', jsonb_build_object('Id', id_plano_conta_classificacao, 'Nome', account, 'Natureza', 'despesa'),
    'Parcela', jsonb_build_object('Numero', 1, 'Total', 1), 'FormaPagamento', null, 'Conciliado', sent, 'Anexos', '[]'::jsonb,
    'Observacao', ${filler("i", 400)},
    'Itens', jsonb_build_array(jsonb_build_object('Item', account, 'Quantidade', 1, 'ValorItem', valor, 'Percentual', 100, 'Valor', valor))),
  at, sent, case when sent then at + interval '20 minutes' end
from (
  select *, ${others} + row_number() over (order by erp_id) as i, (id_centro_custo::int - 6900)::text as unit, updated_at as at,
    updated_at + interval '20 minutes' <= pg_temp.now_() as sent
  from pagamentos_erp
  join ${PAYEES} on account = nome_conta_classificacao
  where id_centro_custo > '7000' and valor is not null and data_vencimento is not null
) entry
order by i`;
