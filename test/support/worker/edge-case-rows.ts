import { EDGE_CASE_UNIT } from "../requests.ts";
import { sql } from "./api.ts";

export const TEXTS = [
  "",
  " ",
  "'; drop table users; --",
  '"quoted" \\ back',
  "line\nbreak\ttab",
  "💇‍♀️ ünï",
  "<b>&amp;</b>",
  "null",
  "%_%",
  "00123456789",
  "12345678901234567",
  "Verdadeiro",
  "\n=1+1",
  `-${"1".repeat(255)}`,
];
const JSONS = [
  "{}",
  '{"big": 123456789012345678901234567890, "price": 1.10, "deep": {"a": [null, true, {"b": []}]}}',
  '{"": "", "é": "\\u0001 \\u2028 \\"", "id": null}',
];
const AMOUNTS = ["999999999999.99", "-999999999999.99", "0", "0.01", "-0.01"];
const MOMENTS = [
  "1900-01-01T00:00:00Z",
  "2026-02-28T23:59:59.999999-03:00",
  "2038-01-19T03:14:08Z",
  "2199-12-31T23:59:59Z",
  "2028-02-29T12:00:00Z",
];
const SERVICES = [
  null,
  "[]",
  '[{"idProfissionalQueRealizouServico": 9007199254740991, "x": 1.10}]',
  '[{"idProfissionalQueRealizouServico": null}, {}, {"profissional_nome": "stale", "nested": [1]}]',
];

/** The `erp_id` of the first payment. The others follow. */
const FIRST_PAYMENT = 9007199254740000;
const ROWS = 45;

/** Inserts rows with extreme values into every table, under a separate unit. Safe to call again. */
export const insertEdgeCaseRows = async (): Promise<void> => {
  const [{ n } = { n: 0 }] =
    await sql`select count(*)::int as n from transacoes where estabelecimento_id = ${EDGE_CASE_UNIT}`;
  if (n > 0) return;
  await sql`insert into estabelecimentos (nome, salon_id) values ('', ${EDGE_CASE_UNIT})`;
  for (let i = 0; i < ROWS; i += 1) {
    const text = TEXTS[i % TEXTS.length] ?? null;
    const maybe = i % 4 === 0 ? null : text;
    const json = JSONS[i % JSONS.length] ?? "{}";
    const amount = AMOUNTS[i % AMOUNTS.length] ?? "0";
    const maybeAmount = i % 3 === 0 ? null : amount;
    const moment = MOMENTS[i % MOMENTS.length] ?? "";
    const maybeMoment = i % 5 === 0 ? null : moment;
    const services = SERVICES[i % SERVICES.length] ?? null;
    const key = `${EDGE_CASE_UNIT} ${i} ${text}`;
    await sql.transaction([
      sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome,
          forma_pagamento_principal, valor_pagamento, parcelas, qtd_servicos, servicos, sent_to_erp, erp_recebimento_id, sent_at, raw_data, synced_at)
        values (${key}, ${EDGE_CASE_UNIT}, ${amount}, ${moment}, ${maybe}, ${maybe}, ${maybe}, ${maybeAmount}, ${i - 5}, ${2147483647 - i},
          ${services}::jsonb, ${i % 2 === 0}, ${maybe}, ${maybeMoment}, ${json}::jsonb, ${moment})`,
      sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at, sent_to_salon, sent_at)
        values (${key}, ${EDGE_CASE_UNIT}, ${json}::jsonb, ${moment}, ${i % 2 === 0}, ${maybeMoment})`,
      sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, nome_conta_classificacao, id_plano_conta_classificacao,
          valor, data_vencimento, data_pagamento, descricao, raw_data, synced_at, updated_at)
        values (${FIRST_PAYMENT + i}, ${maybe}, ${1 + (i % 2)}, ${maybe}, ${i % 3 === 0 ? null : 9007199254740991}, ${maybeAmount},
          ${maybeMoment}::timestamptz::date, ${moment}::timestamptz::date, ${maybe}, ${json}::jsonb, ${moment}, ${moment})`,
      sql`insert into produtos (salon_id, estabelecimento_id, nome, raw_data, synced_at) values (${key}, ${EDGE_CASE_UNIT}, ${maybe}, ${json}::jsonb, ${moment})`,
      sql`insert into profissionais (nome, salon_id, salon_estabelecimento_id, erp_centro_custo_id, erp_unidade_negocio_id, cpf, ativo, created_at, updated_at)
        values (${text}, ${maybe}, ${i % 6 === 0 ? null : EDGE_CASE_UNIT}, ${maybe}, ${maybe}, ${maybe}, ${i % 2 === 0}, ${moment}, ${moment})`,
      sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, cliente_id, cliente_nome, produto_id, produto_nome,
          quantidade, valor_unitario, valor_total, profissional_id, forma_pagamento)
        values (${i % 2 === 0 ? "loja" : "salao"}, ${text}, ${i % 3 === 0 ? "unregistered" : EDGE_CASE_UNIT}, ${maybeMoment}, ${maybe}, ${maybe}, ${maybe}, ${maybe},
          ${i % 7 === 0 ? null : `${i}.000`}, ${maybeAmount}, ${maybeAmount}, ${maybe}, ${maybe})`,
      sql`insert into jobs_log (queue, job_id, job_name, status, error, duration_ms, created_at)
        values (${text}, ${maybe}, 'send-pagar', ${i % 2 === 0 ? "failed" : "started"}, ${maybe}, ${i % 4 === 0 ? null : 2147483647}, ${moment})`,
    ]);
  }
};

/** Removes what `insertEdgeCaseRows` inserted, so that it can be called again. */
export const removeEdgeCaseRows = async (): Promise<void> => {
  await sql.transaction([
    sql`delete from transacoes where estabelecimento_id = ${EDGE_CASE_UNIT}`,
    sql`delete from lancamentos where estabelecimento_id = ${EDGE_CASE_UNIT}`,
    sql`delete from pagamentos_erp where erp_id between ${FIRST_PAYMENT} and ${FIRST_PAYMENT + ROWS - 1}`,
    sql`delete from produtos where estabelecimento_id = ${EDGE_CASE_UNIT}`,
    sql`delete from profissionais where nome = any(${TEXTS}::text[])`,
    sql`delete from vendas_produto where estabelecimento_id in (${EDGE_CASE_UNIT}, 'unregistered')`,
    sql`delete from jobs_log where queue = any(${TEXTS}::text[])`,
    sql`delete from estabelecimentos where salon_id = ${EDGE_CASE_UNIT}`,
  ]);
};
