-- Views for the questions to the general reports. PostgREST groups by columns only, so each key is a column. The amounts
-- are written as a competent team would write them.
create view postgrest.visitas as
select data_hora, date_trunc('month', data_hora at time zone 'America/Sao_Paulo')::date as mes, estabelecimento_id,
  forma_pagamento_principal as forma_pagamento, parcelas, total,
  extract(isodow from data_hora at time zone 'America/Sao_Paulo')::int as dia_semana,
  extract(hour from data_hora at time zone 'America/Sao_Paulo')::int as hora
from public.transacoes;

create view postgrest.servicos as
select data_hora, date_trunc('month', data_hora at time zone 'America/Sao_Paulo')::date as mes, estabelecimento_id,
  service ->> 'nome' as servico, nullif(service ->> 'idProfissionalQueRealizouServico', '') as profissional_salon_id,
  case jsonb_typeof(service -> 'valor') when 'number' then (service -> 'valor')::numeric else 0 end as valor
from public.transacoes,
  jsonb_array_elements(case jsonb_typeof(servicos) when 'array' then servicos else '[]' end) as services(service)
where jsonb_typeof(service) = 'object';

-- `at` is the expression of the index.
create view postgrest.vendas as
select coalesce(data_hora, '-infinity') as at, date_trunc('month', data_hora at time zone 'America/Sao_Paulo')::date as mes,
  estabelecimento_id, origem, produto_id, produto_nome, cliente_id,
  case when forma_pagamento is not distinct from 'Descontar do Profissional' then 0 else valor_total end as valor
from public.vendas_produto;

create view postgrest.lancamentos_por_data as
select synced_at, date_trunc('month', synced_at at time zone 'America/Sao_Paulo')::date as mes_sincronizacao,
  date_trunc('month', (left(raw_data ->> 'DataVencimento', 10)::date)::timestamp)::date as mes, estabelecimento_id,
  raw_data ->> 'Pessoa' as pessoa, raw_data ->> 'CentroCusto' as centro_custo,
  case jsonb_typeof(raw_data -> 'ValorBruto') when 'number' then (raw_data -> 'ValorBruto')::numeric else 0 end as valor
from public.lancamentos;

create view postgrest.pagamentos as
select data_vencimento, date_trunc('month', data_vencimento::timestamp)::date as mes, nome_conta_classificacao,
  id_centro_custo, situacao, valor
from public.pagamentos_erp;
