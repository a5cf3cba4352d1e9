/** The same queries as plain SQL on the rows, without rollups. */

const taken = `from transacoes t left join lateral (
    select distinct s ->> 'idProfissionalQueRealizouServico' as salon_id
    from jsonb_array_elements(case when jsonb_typeof(t.servicos) = 'array' then t.servicos else '[]' end) s
    where s ->> 'idProfissionalQueRealizouServico' <> '') p on true`;

export const raw = {
  resumo: (where = "") => `select json_build_object(
    'transacoes', (select json_build_object('total', count(*), 'valor_total', round(coalesce(sum(total), 0), 2),
      'enviadas_erp', count(*) filter (where sent_to_erp), 'pendentes_erp', count(*) filter (where not sent_to_erp))
      from transacoes ${where}),
    'lancamentos', (select json_build_object('total', count(*)) from lancamentos ${where.replaceAll("data_hora", "synced_at")}),
    'jobs_ultimas_24h', (select json_build_object('concluidos', count(*) filter (where status = 'completed'),
      'falhados', count(*) filter (where status = 'failed')) from jobs_log where created_at between now() - interval '24 hours' and now())) as answer`,
  transacoesPorFormaPagamento:
    () => `select json_build_object('data', coalesce(json_agg(r), '[]')) as answer from (
    select t.*, x.taxa_cobrada_profissional from (
      select forma_pagamento_principal as forma_pagamento, count(*) as total_transacoes, sum(total) as valor_total,
        round(sum(total) / count(*), 2) as ticket_medio from transacoes group by 1) t
    left join taxas_cartao x using (forma_pagamento) order by valor_total desc, forma_pagamento) r`,
  transacoesPorProfissional:
    () => `select json_build_object('data', coalesce(json_agg(r), '[]')) as answer from (
    select m.nome as profissional, g.* from (
      select p.salon_id as profissional_salon_id, t.estabelecimento_id, count(*) as total_transacoes, sum(t.total) as valor_total
      ${taken} group by 1, 2) g
    left join lateral (select nome from profissionais f where f.salon_id = g.profissional_salon_id
      order by f.salon_estabelecimento_id = g.estabelecimento_id desc nulls last, ativo desc, id limit 1) m on true
    order by valor_total desc, estabelecimento_id, profissional_salon_id) r`,
  vendasByProduct: () => {
    const taken = "forma_pagamento = 'Descontar do Profissional'";
    const sum = (column: string, which: string) => `coalesce(sum(${column}) filter (where ${which}), 0)`;
    return `select json_build_object('data', coalesce(json_agg(r), '[]')) as answer from (
    select produto_id, (array_agg(produto_nome order by data_hora desc nulls last, id desc))[1] as produto_nome,
      ${sum("quantidade", `${taken} is not true`)} as quantidade,
      ${sum("valor_total", `${taken} is not true`)} as valor_total, ${sum("quantidade", taken)} as quantidade_profissional,
      ${sum("valor_total", taken)} as valor_profissional
    from vendas_produto group by produto_id, case when produto_id is null then produto_nome end
    order by valor_total desc, produto_id, 2 limit 50) r`;
  },
  pagamentosByAccount: () => `select json_build_object('data', coalesce(json_agg(r), '[]')) as answer from (
    select date_trunc('month', data_vencimento::timestamp)::date as mes, nome_conta_classificacao,
      count(*) as pagamentos, round(coalesce(sum(valor), 0), 2) as valor_total,
      count(*) filter (where situacao = 1) as pendentes,
      round(coalesce(sum(valor) filter (where situacao = 1), 0), 2) as valor_pendente
    from pagamentos_erp where data_vencimento is not null group by 1, 2 order by 1, 2 limit 100) r`,
};
