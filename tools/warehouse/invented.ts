/** What the demo warehouse is made of. Every name, CPF and amount is invented. */

const FIRST =
  "'Ana','Bruna','Carla','Daniela','Elisa','Fernanda','Gabriela','Helena','Íris','Júlia','Karina','Larissa','Márcia','Natália','Olívia','Patrícia','Rafael','Simone','Tânia','Úrsula','Vitória','Wagner','Yasmin','Zélia'";
const LAST =
  "'Almeida','Barbosa','Conceição','Duarte','Esteves','Fagundes','Gonçalves','Henriques','Ibañez','Jardim','Lobão','Moura','Nogueira','Orleães','Pimentel','Queirós','Rosário','Sant’Anna','Taváres','Uchôa','Vidigal'";
const SERVICES =
  "'Corte feminino','Corte masculino','Coloração','Escova','Hidratação','Manicure','Pedicure','Penteado','Sobrancelha','Luzes'";
const PRODUCTS =
  "'Shampoo Suave','Condicionador Brilho','Máscara Nutritiva','Óleo de Argan','Esmalte Açaí','Creme de Pentear','Leave-in Proteção','Tônico Fortalecedor','Gel Fixador','Loção Pós-Barba'";
const FORMS =
  "'Pix','Pix','Dinheiro','Cartão de Débito','Cartão de Crédito','Cartão de Crédito','Crédito Parcelado','Vale Presente'";
const ACCOUNTS =
  "'Aluguel','Água','Energia elétrica','Condomínio','Manutenção predial','Comissões','Fornecedores','Impostos','Marketing','Salários'";

const SALONS = 6;
const STORES = 5;
const PROFESSIONALS = 120;
/** Professionals who work in the salons and are not in the mapping. */
const UNMAPPED = 8;
const PRODUCTS_PER_UNIT = 120;
const JOB_HOURS = 24 * 60;

const person = (i: string, salt: string) =>
  `pg_temp.pick(${i}, 'first ${salt}', array[${FIRST}]) || ' ' || pg_temp.pick(${i}, 'last ${salt}', array[${LAST}])`;

/** Filler of a given length, different in every row. */
const filler = (i: string, length: number) =>
  `(select string_agg(md5((${i} * 64 + n)::text), ' ') from generate_series(1, ${Math.ceil(length / 33)}) n)`;

/** Row i's moment: the last three years in even steps, within opening hours of a Brasília day. */
const moment = (i: string, rows: number) =>
  `(date_trunc('day', pg_temp.now_() - interval '1095 days' * ((${rows} - ${i})::float8 / ${rows}))
    + interval '9 hours' + pg_temp.r(${i}, 'hour') * interval '11 hours')`;

/** Not later than now. */
const upToNow = (instant: string) => `least(${instant}, pg_temp.now_() - interval '1 minute')`;

/** Ids with a gap after every ninth. */
const gappyId = "i + (i - 1) / 9";

/** Units, professionals, card fees, catalogue: the small tables, in one go. */
export const units = `
insert into estabelecimentos (nome, salon_id, erp_id, erp_centro_custo_id, ativo, created_at)
select case when i <= ${SALONS} then 'Salão ' else 'Loja ' end
    || (array['Jardins','Moema','Pinheiros','Tatuapé','Santana','Águas Claras','Centro','Norte Shopping','Lapa','Itaim','Savassi'])[i],
  case when i <= ${SALONS} then 100 + i else 194 + i end::text,
  case when i <= ${SALONS} then 'ERP-' || i end,
  case when i <= ${SALONS} then 7000 + i end,
  i <> 11, pg_temp.now_() - interval '4 years'
from generate_series(1, ${SALONS + STORES}) i;

insert into estabelecimentos (nome, erp_id, erp_centro_custo_id, created_at)
values ('Escritório', 'ERP-0', 7000, pg_temp.now_() - interval '4 years');

insert into profissionais (nome, salon_id, salon_estabelecimento_id, erp_centro_custo_id, erp_unidade_negocio_id, cpf, ativo, created_at, updated_at)
select ${person("i", "pro")},
  case when pg_temp.r(i, 'salon') < 0.96 then (5000 + i)::text end,
  case when pg_temp.r(i, 'unit') < 0.97 then (101 + i % ${SALONS})::text end,
  case when pg_temp.r(i, 'cost') < 0.9 then (80000 + i)::text end,
  case when pg_temp.r(i, 'cost') < 0.9 then 'UN-' || (1 + i % ${SALONS}) end,
  case when pg_temp.r(i, 'cpf') < 0.92 then lpad(floor(pg_temp.r(i, 'digits') * 1e9)::bigint::text, 11, '0') end,
  pg_temp.r(i, 'active') < 0.88, pg_temp.now_() - interval '3 years', pg_temp.now_() - pg_temp.r(i, 'touched') * interval '300 days'
from generate_series(1::bigint, ${PROFESSIONALS}) i;

insert into taxas_cartao (forma_pagamento, taxa_cobrada_profissional)
values ('Cartão de Débito', 0.0149), ('Cartão de Crédito', 0.0299), ('Crédito Parcelado', 0.0399);

insert into produtos (salon_id, estabelecimento_id, nome, raw_data, synced_at)
select 'P' || i, e.salon_id,
  case when pg_temp.r(i * 100 + e.id, 'named') < 0.98 then pg_temp.pick(i, 'product', array[${PRODUCTS}]) || ' ' || (i % 9 + 1) * 50 || ' ml' end,
  jsonb_build_object('id', i, 'unidade', e.salon_id, 'preco', round((20 + pg_temp.r(i, 'price') * 180)::numeric, 2),
    'estoque', floor(pg_temp.r(i * 100 + e.id, 'stock') * 40), 'codigoBarras', lpad((i * 7919)::text, 13, '7'), 'ativo', true),
  date_trunc('week', pg_temp.now_() + interval '19 hours') - interval '1 day' + interval '5 hours' + e.id * interval '40 seconds'
from estabelecimentos e, generate_series(1::bigint, ${PRODUCTS_PER_UNIT}) i
where e.salon_id is not null;
`;

const visit = `
insert into transacoes (id, salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome,
  forma_pagamento_principal, valor_pagamento, parcelas, qtd_servicos, servicos, sent_to_erp, erp_recebimento_id, sent_at,
  raw_data, synced_at)
select ${gappyId}, 'T' || i, unit, total, data_hora, client, client_name, form,
  case when form is not null then total end,
  case when form = 'Crédito Parcelado' then 2 + i % 5 end,
  case when pg_temp.r(i, 'counted') < 0.99 then jsonb_array_length(services) end,
  case when pg_temp.r(i, 'listed') < 0.99 then services end,
  sent, case when sent then 'R' || i end, case when sent then data_hora + interval '90 minutes' end,
  jsonb_build_object('id', i, 'estabelecimento', unit, 'dataHora', data_hora, 'total', total,
    'cliente', jsonb_build_object('id', client, 'nome', client_name, 'fidelidade', i % 7 = 0),
    'servicos', services, 'formaPagamento', form, 'observacao', ${filler("i", 950)}),
  ${upToNow("data_hora + interval '1 hour'")}
from (
  select i, (101 + floor(pg_temp.r(i, 'unit') * ${SALONS}))::text as unit,
    round((30 + pg_temp.r(i, 'total') * pg_temp.r(i, 'more') * 570)::numeric, 2) as total,
    ${upToNow("MOMENT")} as data_hora,
    case when pg_temp.r(i, 'known') < 0.95 then 'C' || (1 + floor(pg_temp.r(i, 'client') * 4000)) end as client,
    case when pg_temp.r(i, 'known') < 0.93 then ${person("floor(pg_temp.r(i, 'client') * 4000)::bigint", "client")} end as client_name,
    case when pg_temp.r(i, 'form known') < 0.97 then
      case when pg_temp.r(i, 'taken') < 0.01 then 'Descontar do Profissional' else pg_temp.pick(i, 'form', array[${FORMS}]) end
    end as form,
    pg_temp.r(i, 'sent') < 0.9 as sent,
    (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object(
        'idProfissionalQueRealizouServico', case when pg_temp.r(i * 8 + n, 'pro known') < 0.97 then 5001 + floor(pg_temp.r(i * 8 + n, 'pro') * ${PROFESSIONALS + UNMAPPED}) end,
        'nome', pg_temp.pick(i * 8 + n, 'service', array[${SERVICES}]),
        'valor', round((30 + pg_temp.r(i * 8 + n, 'value') * 200)::numeric, 2),
        'duracaoMinutos', 30 + n * 15, 'cortesia', pg_temp.r(i * 8 + n, 'gift') < 0.02)))
      from generate_series(1, 1 + floor(pg_temp.r(i, 'services') * 4)::int) n) as services
  from generate_series($1::bigint, $2::bigint) i
) v`;

const entry = `
insert into lancamentos (id, salon_id, estabelecimento_id, raw_data, synced_at, sent_to_salon, sent_at)
select ${gappyId}, 'L' || i, (101 + floor(pg_temp.r(i, 'entry unit') * ${SALONS}))::text,
  jsonb_build_object('Id', i, 'Pessoa', ${person("i % 120 + 1", "pro")}, 'CentroCusto', (80001 + i % 120)::text,
    'ValorBruto', gross, 'ValorDesconto', round(gross * 0.05, 2), 'ValorLiquido', gross - round(gross * 0.05, 2),
    'Tipo', case when i % 11 = 0 then 'debito' else 'comissao' end, 'Situacao', case when sent then 2 else 1 end,
    'DataCompetencia', date_trunc('month', at)::date, 'DataVencimento', (at + interval '10 days')::date,
    'DataPagamento', case when sent then (at + interval '10 days')::date end, 'CriadoEm', at,
    'UnidadeNegocio', jsonb_build_object('Id', 1 + i % ${SALONS}, 'Codigo', 'UN-' || (1 + i % ${SALONS})),
    'PlanoContas', jsonb_build_object('Id', 309, 'Nome', 'Comissões', 'Natureza', 'despesa'),
    'Parcela', jsonb_build_object('Numero', 1, 'Total', 1), 'FormaPagamento', pg_temp.pick(i, 'entry form', array[${FORMS}]),
    'Conciliado', sent, 'Anexos', '[]'::jsonb, 'Observacao', null, 'Itens', (
      select jsonb_agg(jsonb_build_object('Servico', pg_temp.pick(i * 8 + n, 'entry service', array[${SERVICES}]),
        'Cliente', ${person("floor(pg_temp.r(i * 8 + n, 'entry client') * 4000)::bigint", "client")},
        'Quantidade', 1, 'Percentual', 40 + n * 5, 'Valor', round(gross / 4, 2)))
      from generate_series(1, 4) n)),
  at, sent, case when sent then at + interval '20 minutes' end
from (
  select i, ${upToNow("MOMENT + (pg_temp.r(i, 'late') - 0.5) * interval '6 days'")} as at, pg_temp.r(i, 'entry sent') < 0.92 as sent,
    round((20 + pg_temp.r(i, 'gross') * 900)::numeric, 2) as gross
  from generate_series($1::bigint, $2::bigint) i
) e`;

const payment = `
insert into pagamentos_erp (id, erp_id, id_centro_custo, situacao, nome_conta_classificacao, id_plano_conta_classificacao,
  valor, data_vencimento, data_pagamento, descricao, raw_data, synced_at, updated_at)
select ${gappyId}, 900000 + i * 3, case when pg_temp.r(i, 'centre') < 0.9 then (7001 + i % ${SALONS})::text end,
  case when paid then 2 else 1 end, account, case when account is not null then 300 + length(account) end,
  value, due, case when paid and due is not null then due - (i % 3)::int end,
  case when pg_temp.r(i, 'described') < 0.9 then account || ' ref. ' || coalesce(to_char(due, 'MM/YYYY'), 'sem data') end,
  jsonb_build_object('Id', 900000 + i * 3, 'Situacao', case when paid then 2 else 1 end, 'Conta', account, 'Valor', value,
    'DataVencimento', due, 'Observacao', ${filler("i", 400)}),
  ${upToNow("MOMENT + interval '1 hour'")}, ${upToNow("MOMENT + interval '2 hours'")}
from (
  select i, pg_temp.r(i, 'paid') < 0.8 as paid,
    case when pg_temp.r(i, 'classified') < 0.97 then pg_temp.pick(i, 'account', array[${ACCOUNTS}]) end as account,
    case when pg_temp.r(i, 'valued') < 0.95 then round((80 + pg_temp.r(i, 'amount') * 9000)::numeric, 2) end as value,
    case when pg_temp.r(i, 'dated') < 0.98 then (MOMENT + pg_temp.r(i, 'term') * interval '40 days')::date end as due
  from generate_series($1::bigint, $2::bigint) i
) p`;

const sale = `
insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, cliente_id, cliente_nome, produto_id,
  produto_nome, quantidade, valor_unitario, valor_total, profissional_id, forma_pagamento)
select case when store then 'loja' else 'salao' end, case when store then 'V' else 'T' end || i,
  case when store then (201 + floor(pg_temp.r(i, 'sale unit') * ${STORES}))::text else (101 + i % ${SALONS})::text end,
  case when pg_temp.r(i, 'sale dated') < 0.96 then ${upToNow("MOMENT")} end,
  case when pg_temp.r(i, 'buyer') < 0.6 then 'C' || (1 + i % 4000) end,
  case when pg_temp.r(i, 'buyer') < 0.58 then ${person("i % 4000", "client")} end,
  case when pg_temp.r(i, 'catalogued') < 0.98 then 'P' || product end,
  case when pg_temp.r(i, 'catalogued') < 0.97 then pg_temp.pick(product, 'product', array[${PRODUCTS}]) end,
  case when pg_temp.r(i, 'measured') < 0.96 then quantity end,
  case when pg_temp.r(i, 'priced') < 0.95 then price end,
  case when pg_temp.r(i, 'priced') < 0.95 then round(price * quantity, 2) end,
  case when pg_temp.r(i, 'sold by') < 0.3 then (5001 + floor(pg_temp.r(i, 'seller') * ${PROFESSIONALS}))::text end,
  case when pg_temp.r(i, 'sale form') < 0.05 then 'Descontar do Profissional'
    when pg_temp.r(i, 'sale form') < 0.98 then pg_temp.pick(i, 'paid by', array[${FORMS}]) end
from (
  select i, pg_temp.r(i, 'store') < 0.8 as store, 1 + floor(pg_temp.r(i, 'product of sale') * ${PRODUCTS_PER_UNIT})::bigint as product,
    (case when i % 40 = 0 then 0.5 else 1 + floor(pg_temp.r(i, 'quantity') * 3) end)::numeric as quantity,
    round((20 + pg_temp.r(i, 'unit price') * 180)::numeric, 2) as price
  from generate_series($1::bigint, $2::bigint) i
) s`;

const job = `
insert into jobs_log (queue, job_id, job_name, status, error, duration_ms, created_at)
select 'sync', case when pg_temp.r(i, 'job id') < 0.99 then 'J' || i end,
  (array['sync-transacoes','send-receber','send-pagar'])[1 + i % 3], status,
  case when status = 'failed' then pg_temp.pick(i, 'why', array['timeout after 30000 ms','HTTP 502 from the salon system','ERP refused the batch']) end,
  case when status <> 'started' then 500 + floor(pg_temp.r(i, 'ms') * 60000) end,
  pg_temp.now_() - (${JOB_HOURS * 3} - i) * interval '20 minutes' - interval '30 seconds'
from (
  select i, case when pg_temp.r(i, 'status') < 0.9 then 'completed' when pg_temp.r(i, 'status') < 0.96 then 'failed' else 'started' end as status
  from generate_series($1::bigint, $2::bigint) i
) j`;

/** The big tables: how many rows, and the insert that writes rows $1 to $2. */
export const tables = (visits: number) => {
  const table = (name: string, rows: number, insert: string, identity: boolean) => ({
    name,
    rows,
    insert: insert.replaceAll("MOMENT", moment("i", rows)),
    identity,
  });
  return [
    table("transacoes", visits, visit, true),
    table("lancamentos", Math.ceil(visits * 0.4), entry, true),
    table("pagamentos_erp", Math.ceil(visits * 0.1), payment, true),
    table("vendas_produto", Math.ceil(visits * 0.15), sale, false),
    table("jobs_log", JOB_HOURS * 3, job, false),
  ];
};
