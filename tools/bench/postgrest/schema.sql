-- The schema that PostgREST serves: views of the service's own tables, so that rows and indexes are the same. Columns have
-- the names of the service's fields. Computed fields are written as a competent team would write them.
create schema postgrest;

-- Lists are ordered by `id`. `servicos_da_origem` has the services as stored, without looked-up fields.
create view postgrest.transacoes as
select id, salon_id, estabelecimento_id, total::text, data_hora, cliente_salon_id, cliente_nome,
  forma_pagamento_principal, valor_pagamento::text, parcelas, qtd_servicos, servicos as servicos_da_origem,
  case when jsonb_typeof(servicos) = 'array' then (
    select coalesce(jsonb_agg(case when jsonb_typeof(service) = 'object' then service || jsonb_build_object(
      'profissional_nome', person.nome, 'erp_centro_custo_id', person.erp_centro_custo_id) else service end order by n), '[]')
    from jsonb_array_elements(servicos) with ordinality as services(service, n)
    left join lateral (
      select p.nome, p.erp_centro_custo_id from public.profissionais p
      where p.salon_id = service ->> 'idProfissionalQueRealizouServico'
      order by p.salon_estabelecimento_id = t.estabelecimento_id desc nulls last, p.ativo desc, p.id limit 1
    ) as person on true
  ) else servicos end as servicos,
  sent_to_erp, synced_at, erp_recebimento_id, sent_at, raw_data
from public.transacoes t;

create view postgrest.lancamentos as
select id, salon_id, estabelecimento_id, raw_data, synced_at, sent_to_salon, sent_at from public.lancamentos;

-- PostgREST's aggregates support no quotients and no order by a sum, so the report is a function.
create function postgrest.transacoes_por_forma_pagamento(data_inicio timestamptz, data_fim timestamptz)
returns table (forma_pagamento text, total_transacoes bigint, valor_total numeric, ticket_medio numeric,
  taxa_cobrada_profissional numeric)
language sql stable as $$
  select sums.*, fees.taxa_cobrada_profissional from (
    select forma_pagamento_principal as forma_pagamento, count(*), sum(total) as valor_total,
      round(sum(total) / count(*), 2)
    from public.transacoes t where t.data_hora between data_inicio and data_fim group by 1
  ) as sums
  left join public.taxas_cartao fees using (forma_pagamento)
  order by valor_total desc, forma_pagamento
$$;
