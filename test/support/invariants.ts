import type pg from "pg";
import { expect } from "vitest";

const SERVED = `(select transacao, id, sum(valor) as valor from (
    select t.salon_id as transacao, s -> 'idProfissionalQueRealizouServico' as id, (s -> 'valor')::numeric as valor
    from transacoes t, jsonb_array_elements(servicos) s) s group by 1, 2)`;
const SOLD =
  "(select transacao_id, sum(valor_total) as valor from vendas_produto where origem = 'salao' group by 1)";
export const ENTRIES = `(select l.*, e.* from lancamentos l, jsonb_to_record(raw_data) as e ("Transacao" text, "IdPagamento" bigint, "IdProfissional" text,
    "Pessoa" text, "CentroCusto" text, "Tipo" text, "Situacao" int, "DataVencimento" date, "DataPagamento" date, "FormaPagamento" text,
    "ValorBruto" numeric, "ValorDesconto" numeric, "ValorLiquido" numeric, "UnidadeNegocio" jsonb, "PlanoContas" jsonb, "Itens" jsonb)) l`;
/** The runs of jobs, from their rows. Rows without an id cannot be assigned to a run. */
const RUNS = `(select job_id, job_name, count(*) filter (where status = 'started') as starts, count(*) filter (where status <> 'started') as ends,
    min(created_at) as started, max(created_at) as ended, max(duration_ms) as ms from jobs_log where job_id is not null group by 1, 2) run`;

/** What every row of a relation meets, as SQL. */
export type Invariant = [invariant: string, relation: string, condition: string];

/** Conditions of every invented warehouse. Each relation has rows. */
export const INVARIANTS: Invariant[] = [
  [
    "a visit's total is the sum of its services and its product lines",
    `transacoes left join (select transacao, sum(valor) as valor from ${SERVED} s group by 1) served on served.transacao = salon_id
       left join ${SOLD} sold on sold.transacao_id = salon_id`,
    "total = coalesce(served.valor, 0) + coalesce(sold.valor, 0) and total > 0",
  ],
  [
    "some visits have product lines",
    `(select count(*) as n, sum(valor) as valor from ${SOLD} s) s`,
    "n > 20 and valor > 0",
  ],
  [
    "the raw_data of a visit matches its columns",
    "transacoes",
    `(raw_data ->> 'total')::numeric = total and raw_data -> 'servicos' is not distinct from coalesce(servicos, 'null') and raw_data ->> 'formaPagamento' is not distinct from forma_pagamento_principal
     and raw_data #>> '{cliente,id}' is not distinct from cliente_salon_id and qtd_servicos is not distinct from jsonb_array_length(servicos)`,
  ],
  [
    "a visit with a payment form is paid in full, and no other visit is paid",
    "transacoes",
    "(valor_pagamento is null) = (forma_pagamento_principal is null) and coalesce(valor_pagamento = total, true)",
  ],
  [
    "a visit has a receipt and sent_at if and only if it was sent",
    "transacoes",
    "num_nulls(sent_at, erp_recebimento_id) = case when sent_to_erp then 0 else 2 end",
  ],
  [
    "a salon's sales line has the unit, time, client and payment form of its visit",
    "vendas_produto v left join transacoes t on t.salon_id = transacao_id where origem = 'salao'",
    `t.estabelecimento_id = v.estabelecimento_id and t.data_hora = v.data_hora and t.cliente_salon_id is not distinct from v.cliente_id
     and t.cliente_nome is not distinct from v.cliente_nome and t.forma_pagamento_principal is not distinct from v.forma_pagamento`,
  ],
  [
    "a store's sales line belongs to a store and to no visit",
    "vendas_produto where origem = 'loja'",
    "estabelecimento_id between '201' and '205' and transacao_id not in (select salon_id from transacoes)",
  ],
  [
    "a sales line has the name and price of its unit's catalogue",
    "vendas_produto v left join produtos p on p.salon_id = produto_id and p.estabelecimento_id = v.estabelecimento_id where produto_id is not null",
    "p.nome is not distinct from produto_nome and coalesce(valor_unitario = (p.raw_data -> 'preco')::numeric, true)",
  ],
  [
    "the total of a sales line is its price times its quantity",
    "vendas_produto where quantidade * valor_unitario is not null",
    "valor_total = round(quantidade * valor_unitario, 2)",
  ],
  [
    "a salon's sales line has no missing value",
    "vendas_produto where origem = 'salao'",
    "num_nulls(data_hora, produto_id, quantidade, valor_unitario, valor_total) = 0",
  ],
  [
    "a product name has one id per unit",
    `(select count(distinct id) as ids from (select estabelecimento_id, nome, salon_id as id from produtos
       union all select estabelecimento_id, produto_nome, produto_id from vendas_produto) p where nome <> 'Kit presente' group by estabelecimento_id, nome) p`,
    "ids = 1",
  ],
  [
    "a product that a professional took names the professional",
    "vendas_produto where forma_pagamento = 'Descontar do Profissional'",
    "profissional_id between '5001' and '5128' and cliente_id is null",
  ],
  [
    "a visit that records what a professional took has no services",
    "transacoes where forma_pagamento_principal = 'Descontar do Profissional'",
    "servicos is null and cliente_salon_id is null",
  ],
  [
    "professionals mostly work where they are registered",
    `(select avg((p.salon_estabelecimento_id = t.estabelecimento_id)::int) as share
      from transacoes t, jsonb_array_elements(servicos) s join profissionais p on p.salon_id = s ->> 'idProfissionalQueRealizouServico') s`,
    "share between 0.8 and 0.95",
  ],
  [
    "the unit of a professional is registered and is the ERP's business unit",
    "profissionais p left join estabelecimentos e on e.salon_id = salon_estabelecimento_id where salon_estabelecimento_id is not null",
    "e.erp_centro_custo_id is not null and coalesce(erp_unidade_negocio_id = 'UN-' || e.id, true)",
  ],
  [
    "a ledger entry has the unit and payment form of its visit, and is sent after the visit",
    `${ENTRIES} left join transacoes t on t.salon_id = "Transacao" where "Tipo" <> 'despesa'`,
    `t.estabelecimento_id = l.estabelecimento_id and t.forma_pagamento_principal is not distinct from "FormaPagamento"
     and (t.sent_to_erp or not sent_to_salon) and l.synced_at >= t.data_hora and coalesce(l.sent_at > t.sent_at, true) and (l.sent_at is not null) = sent_to_salon`,
  ],
  [
    "a ledger entry names its professional as the mapping does",
    `${ENTRIES} left join profissionais p on p.salon_id = "IdProfissional" left join estabelecimentos e on e.salon_id = estabelecimento_id
     where "Tipo" <> 'despesa'`,
    `coalesce(p.nome = "Pessoa", p.id is null) and p.erp_centro_custo_id is not distinct from "CentroCusto" and (p.erp_centro_custo_id is not null or not sent_to_salon)
     and ("UnidadeNegocio" -> 'Id')::int = e.id`,
  ],
  [
    "a commission covers every service of its professional in the visit",
    `${ENTRIES} left join ${SERVED} served on served.transacao = "Transacao" and served.id::text = "IdProfissional" where "Tipo" = 'comissao' and "Itens" @> '[{"Percentual": 40}]'`,
    `served.valor = (select sum((i -> 'ValorItem')::numeric) from jsonb_array_elements("Itens") i)`,
  ],
  [
    "a debit covers everything that the professional took",
    `${ENTRIES} left join transacoes t on t.salon_id = "Transacao" where "Tipo" = 'debito'`,
    `"ValorBruto" = t.total and t.forma_pagamento_principal = 'Descontar do Profissional'`,
  ],
  [
    "the net amount of a ledger entry is the sum of its items less the card fee",
    `${ENTRIES} left join taxas_cartao f on f.forma_pagamento = "FormaPagamento"`,
    `"ValorBruto" = (select sum((i -> 'Valor')::numeric) from jsonb_array_elements("Itens") i) and "ValorLiquido" = "ValorBruto" - "ValorDesconto"
     and "ValorDesconto" = round("ValorBruto" * coalesce(f.taxa_cobrada_profissional, 0), 2) and "ValorBruto" > 0`,
  ],
  [
    "a ledger entry comes from a payment of its unit's cost centre, with the same due and payment dates",
    `${ENTRIES} left join pagamentos_erp p on p.erp_id = "IdPagamento" left join estabelecimentos e on e.salon_id = estabelecimento_id`,
    `p.id_centro_custo = e.erp_centro_custo_id::text and data_vencimento = "DataVencimento" and data_pagamento is not distinct from "DataPagamento"
     and situacao = "Situacao" and nome_conta_classificacao = "PlanoContas" ->> 'Nome' and id_plano_conta_classificacao = ("PlanoContas" -> 'Id')::int`,
  ],
  [
    "a payment to professionals is the sum of its ledger entries",
    `pagamentos_erp p left join (select "IdPagamento", sum("ValorLiquido") as valor from ${ENTRIES} group by 1) e on e."IdPagamento" = erp_id where nome_conta_classificacao in ('Comissões', 'Vales de profissionais')`,
    "e.valor = p.valor",
  ],
  [
    "no payment is dated in the future, and a pending payment has no payment date",
    "pagamentos_erp",
    "case situacao when 2 then data_pagamento <= now()::date else data_pagamento is null end and coalesce(data_vencimento <= now()::date or situacao = 1 or data_pagamento < data_vencimento, true)",
  ],
  [
    "the cost centre of a payment is that of a unit or of a professional",
    "pagamentos_erp where id_centro_custo is not null",
    `exists (select from estabelecimentos where erp_centro_custo_id::text = id_centro_custo)
     or exists (select from profissionais where erp_centro_custo_id = id_centro_custo)`,
  ],
  [
    "each account has one number",
    "(select count(distinct id_plano_conta_classificacao) as numbers, count(distinct nome_conta_classificacao) as names from pagamentos_erp) p",
    "numbers = names and numbers = 11",
  ],
  [
    "some payments fall due in the next 40 days",
    "(select count(*) as n from pagamentos_erp where situacao = 1 and data_vencimento between now()::date and now()::date + 40) p",
    "n > 0",
  ],
  [
    "visits and sales are within opening hours",
    "(select data_hora from transacoes union all select data_hora from vendas_produto where data_hora is not null) t",
    "extract(hour from data_hora) between 9 and 19",
  ],
  [
    "a visit has instalments if and only if it was paid by credit card",
    "transacoes",
    `case forma_pagamento_principal when 'Cartão de Crédito' then coalesce(parcelas between 1 and 3, false)
       when 'Crédito Parcelado' then coalesce(parcelas between 2 and 6, false) else parcelas is null end`,
  ],
  [
    "visits paid by credit card have one instalment in most cases, and sometimes more",
    "(select avg((parcelas = 1)::int) as share from transacoes where forma_pagamento_principal = 'Cartão de Crédito') t",
    "share between 0.7 and 0.9",
  ],
  [
    "every visit was synced and sent between its time and now",
    "transacoes",
    "synced_at between data_hora and now() and coalesce(sent_at between data_hora and now(), true)",
  ],
  [
    "visits, ledger entries and payments were last synced within an hour",
    "(values ((select max(synced_at) from transacoes)), ((select max(synced_at) from lancamentos)), ((select max(synced_at) from pagamentos_erp))) as newest (synced_at)",
    "synced_at between now() - interval '1 hour' and now()",
  ],
  [
    "no ledger entry, payment or log entry has a time in the future",
    "(select synced_at as at from lancamentos union all select updated_at from pagamentos_erp union all select created_at from jobs_log) all_rows",
    "at <= now()",
  ],
  [
    "a job run starts once and ends once, after its duration",
    `${RUNS} where job_id <> (select job_id from jobs_log order by created_at desc limit 1)`,
    "starts = 1 and ends = 1 and ended - started = ms * interval '1 millisecond'",
  ],
  [
    "one job is running",
    `(select count(*) as n, max(started) as started from ${RUNS} where ends = 0) r`,
    "n = 1 and started > now() - interval '20 minutes'",
  ],
  [
    "each job runs once an hour, with one long gap and some skipped runs",
    `(select max(gap) as longest, min(gap) as shortest, percentile_disc(0.9) within group (order by gap) as usual
      from (select job_name, created_at - lag(created_at) over (partition by job_name order by created_at) as gap from jobs_log where status = 'started') g group by job_name) g`,
    "usual = interval '1 hour' and shortest = usual and longest > interval '10 hours'",
  ],
  [
    "each job sometimes fails, and only a failed run has an error",
    `(select job_name, count(*) filter (where status = 'failed') as failed, count(*) filter (where status = 'completed') as completed,
        bool_and((error is not null) = (status = 'failed')) as consistent from jobs_log group by 1) j`,
    "consistent and failed between 5 and completed / 5",
  ],
];

export const expectInvariant = async (db: pg.Client, relation: string, holds: string): Promise<void> => {
  const { rows } = await db.query(
    `select count(*)::int as looked_at, count(*) filter (where not coalesce(holds, false))::int as wrong from (select (${holds}) as holds from ${relation}) r`,
  );
  expect(rows[0].looked_at).toBeGreaterThan(0);
  expect(rows[0].wrong).toBe(0);
};
