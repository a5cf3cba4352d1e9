import { type Column, sql } from "drizzle-orm";
import { bigint, boolean, date, index, integer, numeric, pgTable, smallint, text } from "drizzle-orm/pg-core";
import { instantColumn } from "../../../platform/db/columns.ts";

/**
 * The facts of the general reports (R20): for each row of a table of loaders, what a report counts, adds up and
 * filters. Triggers write them. The migration that calls `create_facts` defines each column.
 */

const recordId = () => bigint({ mode: "number" }).notNull();

/** A time, and its day, weekday (1 is Monday) and hour in Brasília. */
const timeColumns = {
  at: instantColumn().notNull(),
  day: date({ mode: "string" }),
  dia_semana: smallint(),
  hora: smallint(),
};

export const visitaColumns = {
  id: recordId().primaryKey(),
  ...timeColumns,
  estabelecimento_id: text().notNull(),
  sent_to_erp: boolean().notNull(),
  forma_pagamento: text(),
  parcelas: integer(),
  cliente_salon_id: text(),
  total: numeric().notNull(),
};

/** One row for each visit. */
export const visitasFacts = pgTable("visitas_facts", visitaColumns, (t) => [
  index("visitas_facts_latest").on(t.at, t.id),
  index("visitas_facts_unit_latest").on(t.estabelecimento_id, t.at, t.id),
  // Reports on clients read all of it in its order, without the table (R25, R26).
  index("visitas_facts_client_latest").on(
    sql`${t.cliente_salon_id} collate "C"`,
    t.at.desc().nullsFirst(),
    t.id.desc().nullsFirst(),
    t.estabelecimento_id,
    t.day,
    t.total,
  ),
  index("visitas_facts_unsent").on(t.at, t.estabelecimento_id, t.total).where(sql`not ${t.sent_to_erp}`),
]);

/** Whether an id of the salon system is an object or an array. */
export const isOddId = (id: Column) => sql`${id} ~ '^[[{]'`;

export const servicoColumns = {
  id: recordId(),
  ...timeColumns,
  estabelecimento_id: text().notNull(),
  servico: text(),
  profissional: text(),
  cortesias: smallint().notNull(),
  valor: numeric().notNull(),
  cliente_salon_id: text(),
  /** 0 for the first service of a visit, 1 for the first one of each other professional, 2 for others. */
  repeticao: smallint(),
};

/** One row for each object in `servicos` of a visit. `id` and client are those of the visit. */
export const servicosFacts = pgTable("servicos_facts", servicoColumns, (t) => [
  index("servicos_facts_id").on(t.id),
  index("servicos_facts_latest").on(t.at),
  index("servicos_facts_unit_latest").on(t.estabelecimento_id, t.at),
  // Ids that are objects or arrays, which not every reader gets (R2). Very few are.
  index("servicos_facts_odd_professional")
    .on(t.at, t.estabelecimento_id, t.id)
    .where(isOddId(t.profissional)),
]);

/** One row for each line of a sale. `at` is -infinity for a line without a date. */
export const vendasFacts = pgTable(
  "vendas_facts",
  {
    id: recordId().primaryKey(),
    ...timeColumns,
    estabelecimento_id: text().notNull(),
    origem: text().notNull(),
    transacao: text().notNull(),
    produto_id: text(),
    produto_nome: text(),
    profissional: text(),
    forma_pagamento: text(),
    cliente_id: text(),
    quantidade: numeric().notNull(),
    valor_total: numeric().notNull(),
    quantidade_profissional: numeric().notNull(),
    valor_profissional: numeric().notNull(),
    sem_quantidade: smallint().notNull(),
  },
  (t) => [
    index("vendas_facts_latest").on(t.at, t.id),
    index("vendas_facts_unit_latest").on(t.estabelecimento_id, t.at, t.id),
    index("vendas_facts_origin_latest").on(t.origem, t.at, t.id),
    index("vendas_facts_client_latest").on(t.cliente_id, t.at, t.id),
    index("vendas_facts_product_latest").on(t.produto_id, t.at, t.id),
    // For what was bought in a visit (R25).
    index("vendas_facts_transaction").on(t.transacao).where(sql`${t.origem} = 'salao'`),
  ],
);

/** One row for each ledger entry. */
export const lancamentosFacts = pgTable(
  "lancamentos_facts",
  {
    id: recordId().primaryKey(),
    /** When it was last fetched. */
    at: instantColumn().notNull(),
    day: date({ mode: "string" }),
    due: date({ mode: "string" }),
    estabelecimento_id: text().notNull(),
    pessoa: text(),
    centro_custo: text(),
    sent_to_salon: boolean().notNull(),
    valor: numeric().notNull(),
    sem_valor: smallint().notNull(),
  },
  (t) => [
    index("lancamentos_facts_synced").on(t.at),
    index("lancamentos_facts_unit_synced").on(t.estabelecimento_id, t.at),
    index("lancamentos_facts_person").on(t.pessoa, t.estabelecimento_id),
    index("lancamentos_facts_due").on(t.due, t.estabelecimento_id),
    // For the entries that are not yet sent, of all time.
    index("lancamentos_facts_unsent")
      .on(t.due, t.estabelecimento_id, t.sent_to_salon, t.valor)
      .where(sql`not ${t.sent_to_salon}`),
    // For those that wait for long.
    index("lancamentos_facts_waiting")
      .on(t.at, t.estabelecimento_id, t.sent_to_salon, t.valor)
      .where(sql`not ${t.sent_to_salon}`),
  ],
);

export const pagamentoColumns = {
  id: recordId().primaryKey(),
  due: date({ mode: "string" }),
  paid: date({ mode: "string" }),
  situacao: smallint().notNull(),
  id_centro_custo: text(),
  nome_conta_classificacao: text(),
  valor_exato: numeric(),
  valor: numeric().notNull(),
  sem_valor: smallint().notNull(),
};

/** One row for each payment. `valor` is 0 for what is no finite number; `valor_exato` is what was loaded. */
export const pagamentosFacts = pgTable("pagamentos_facts", pagamentoColumns, (t) => [
  index("pagamentos_facts_due").on(t.due, t.id_centro_custo),
  index("pagamentos_facts_paid").on(t.paid, t.id_centro_custo),
  index("pagamentos_facts_pending").on(t.due, t.id_centro_custo).where(sql`${t.situacao} = 1`),
]);
