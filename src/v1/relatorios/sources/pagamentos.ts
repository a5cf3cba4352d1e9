import { type Column, sql } from "drizzle-orm";
import { withMetadata } from "../../../core/schema-metadata.ts";
import { TODAY } from "../../../db/statement.ts";
import { decimal, humanText, oneOf, withDefault } from "../../../http/params.ts";
import { pagamentosFacts as f } from "../../facts/table.ts";
import { day, int, string } from "../../fields.ts";
import {
  pagamentosPagamentoRollup,
  pagamentosVencimentoRollup,
  pagamentosErp as t,
} from "../../pagamentos-erp/table.ts";
import { paymentFilters } from "../../parameters.ts";
import {
  calendar,
  counted,
  countOf,
  equal,
  equalText,
  readingOf,
  simple,
  summed,
  unitOfCostCentre,
} from "../declarations.ts";
import type { RollupReading, Source } from "../source.ts";

const isPending = sql`situacao = 1`;
/** An infinite date is no date. */
const isOverdue = sql`situacao = 1 and due > '-infinity' and due < ${TODAY}`;

const faixa = sql`case
          when situacao = 2 then 'paga'
          when due is null or not isfinite(due) then 'sem-data'
          when due < ${TODAY} then 'vencida'
          when due = ${TODAY} then 'hoje'
          when due <= ${TODAY} + 6 then '7-dias'
          when due <= ${TODAY} + 29 then '30-dias'
          else 'depois'
        end`;

const sums = {
  situacao: true,
  id_centro_custo: true,
  nome_conta_classificacao: true,
  valor: true,
  sem_valor: true,
} as const;

/** Pending payments are few: they are read by day. Paid ones are never overdue: they need no due date. */
const pending: RollupReading = {
  rollup: pagamentosVencimentoRollup,
  only: { situacao: sql`1` },
  facts: { ...sums, due: { sql: sql`starts_on`, columns: [] } },
  byDay: true,
};
const paid: RollupReading = {
  rollup: pagamentosVencimentoRollup,
  only: { situacao: sql`2` },
  facts: { ...sums, due: { sql: sql`null::date`, columns: [] } },
};

const rows = (date: Column) => readingOf(f, { at: date, day: date });

export const pagamentos: Source<"pagamentos"> = {
  name: "pagamentos",
  summary: "ERP payments, by what you choose",
  description:
    "Counts and adds up payments in the ERP, paid or pending: what the chain pays, not what customers " +
    "pay. Rows add up. Overdue is pending and due before today. There is no unit: see the cost centre.",
  range: "The date that `data` names",
  mayLieAhead: true,
  dataParameter: withDefault(
    oneOf(
      ["vencimento", "pagamento"],
      "The date of range and periods, in Brasília: `data_vencimento` (due) or `data_pagamento` (paid).",
    ),
    "vencimento",
  ),
  dates: {
    vencimento: {
      isDateColumn: true,
      plans: [[{ rollup: pagamentosVencimentoRollup, facts: sums }], [pending, paid], [rows(f.due)]],
    },
    pagamento: {
      isDateColumn: true,
      plans: [[{ rollup: pagamentosPagamentoRollup, facts: sums }], [rows(f.paid)]],
    },
  },
  unitParameter: undefined,
  dimensions: {
    ...calendar,
    conta: simple(
      "account",
      "nome_conta_classificacao",
      string("Aluguel", "Account classification; `null` for payments without one").nullable(),
    ),
    centro_custo: {
      ...simple(
        "cost centre",
        "id_centro_custo",
        string("7001", "Cost centre; `null` without one").nullable(),
      ),
      labels: {
        unidade_nome: {
          field: string("Salão Jardins", "Name of the business unit with this cost centre").nullable(),
          sql: () => unitOfCostCentre(sql`answer.id_centro_custo`),
        },
      },
    },
    situacao: simple("1 pending, 2 paid", "situacao", int(1, "1 = pending, 2 = paid")),
    faixa: {
      description: "paga, or due: vencida, hoje, 7-dias, 30-dias, depois, sem-data",
      facts: ["situacao", "due"],
      keys: {
        faixa: {
          field: string(
            "vencida",
            "`paga`, or for pending payments: `vencida` (overdue), `hoje`, `7-dias` (the six days after " +
              "today), `30-dias` (the rest of thirty days), `depois`, `sem-data`",
          ),
          sql: faixa,
        },
      },
    },
  },
  measures: {
    pagamentos: counted("Number of payments, paid and pending", 40),
    valor_total: summed({
      description: "Sum of `valor` of these payments, in reais",
      example: 98000,
      sql: sql`valor`,
      facts: ["valor"],
    }),
    pendentes: counted("Number of pending payments", 9, isPending, "situacao"),
    valor_pendente: summed({
      description: "Sum of `valor` of the pending payments, in reais",
      example: 21000.5,
      sql: sql`valor`,
      facts: ["valor", "situacao"],
      where: isPending,
    }),
    vencidos: counted("Number of overdue payments", 2, isOverdue, "situacao", "due"),
    valor_vencido: summed({
      description: "Sum of `valor` of the overdue payments, in reais",
      example: 4300,
      sql: sql`valor`,
      facts: ["valor", "situacao", "due"],
      where: isOverdue,
    }),
    sem_valor: countOf("Number of payments without `valor`; they count as 0", 1, "sem_valor"),
    vencimento_mais_antigo: {
      field: day().nullable().openapi({ description: "Earliest due date of the pending payments" }),
      sql: sql`min(due) filter (where situacao = 1 and isfinite(due) and records > 0)`,
      facts: ["situacao", "due"],
      empty: "null",
      isDefault: false,
    },
  },
  filters: {
    situacao: equal(paymentFilters.situacao, "situacao"),
    id_centro_custo: equal(paymentFilters.id_centro_custo, "id_centro_custo"),
    nome_conta_classificacao: equalText(
      withMetadata(
        humanText({
          max: 100,
          example: "Aluguel",
          description: "Only payments with exactly this account classification.",
        }).optional(),
        { sources: [{ value: t.nome_conta_classificacao }] },
      ),
      "nome_conta_classificacao",
    ),
    valor_min: {
      parameter: decimal({
        example: 5000,
        description: "Only payments of at least this `valor`.",
      }).optional(),
      facts: ["valor_exato"],
      condition: (value, column) =>
        sql`${column("valor_exato")} >= ${value}::numeric and ${column("valor_exato")} <> 'NaN'`,
    },
  },
  needs: "payments",
};
