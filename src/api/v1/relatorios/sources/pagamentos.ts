import { sql } from "drizzle-orm";
import { withMetadata } from "../../../../core/schema-metadata.ts";
import { TODAY } from "../../../../platform/db/statement.ts";
import { decimal, humanText, oneOf, withDefault } from "../../../../platform/http/params.ts";
import { pagamentosFacts as f } from "../../facts/table.ts";
import { day, int, string } from "../../fields.ts";
import { pagamentosErp as t } from "../../pagamentos-erp/table.ts";
import { paymentFilters } from "../../parameters.ts";
import {
  calendar,
  counted,
  countOf,
  equal,
  equalText,
  simple,
  summed,
  unitOfCostCentre,
} from "../declarations.ts";
import type { Source } from "../source.ts";

const isPending = sql`${f.situacao} = 1`; // mistake: paid-is-pending
/** An infinite date is no date. */
// mistake: due-today-is-overdue
const isOverdue = sql`${isPending} and ${f.due} > '-infinity' and ${f.due} < ${TODAY}`;

const faixa = sql`case
          when ${f.situacao} = 2 then 'paga'
          when ${f.due} is null or not isfinite(${f.due}) then 'sem-data'
          when ${f.due} < ${TODAY} then 'vencida'
          when ${f.due} = ${TODAY} then 'hoje'
          when ${f.due} <= ${TODAY} + 6 then '7-dias'
          when ${f.due} <= ${TODAY} + 29 then '30-dias'
          else 'depois'
        end`;

export const pagamentos: Source<"pagamentos"> = {
  name: "pagamentos",
  summary: "ERP payments, by what you choose",
  description:
    "Counts and adds up payments in the ERP, paid or pending: what the chain pays, not what customers " +
    "pay. Rows add up. Overdue is pending and due before today. There is no unit: see the cost centre.",
  row: "A payment: a record of `pagamentos-erp`.",
  list: {
    path: "pagamentos-erp",
    tool: "listPagamentosErp",
    filters: ["situacao", "id_centro_custo", "nome_conta_classificacao", "valor_min"],
    dates: ["vencimento", "pagamento"],
    hasDates: true,
  },
  range: "The date that `data` names",
  mayLieAhead: true,
  dateParameter: withDefault(
    oneOf(
      ["vencimento", "pagamento"],
      "The date of range and periods, in Brasília: `data_vencimento` (due) or `data_pagamento` (paid).",
    ),
    "vencimento",
  ),
  facts: f,
  dates: {
    vencimento: [{ facts: f, at: f.due, day: f.due, rollups: [] }],
    pagamento: [{ facts: f, at: f.paid, day: f.paid, rollups: [] }],
  },
  unitParameter: undefined,
  dimensions: {
    ...calendar,
    conta: simple(
      "account",
      f.nome_conta_classificacao,
      string("Aluguel", "Account classification; `null` for payments without one").nullable(),
    ),
    centro_custo: {
      ...simple(
        "cost centre",
        f.id_centro_custo,
        string("7001", "Cost centre; `null` without one").nullable(),
      ),
      labels: {
        unidade_nome: {
          field: string("Salão Jardins", "Name of the business unit with this cost centre").nullable(),
          sql: () => unitOfCostCentre(sql`answer.id_centro_custo`),
        },
      },
    },
    situacao: simple("1 pending, 2 paid", f.situacao, int(1, "1 = pending, 2 = paid")),
    faixa: {
      description: "paga, or due: vencida, hoje, 7-dias, 30-dias, depois, sem-data",
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
    valor_total: summed("Sum of `valor` of these payments, in reais", 98000, f.valor),
    pendentes: counted("Number of pending payments", 9, isPending),
    valor_pendente: summed("Sum of `valor` of the pending payments, in reais", 21000.5, f.valor, isPending),
    vencidos: counted("Number of overdue payments", 2, isOverdue),
    valor_vencido: summed("Sum of `valor` of the overdue payments, in reais", 4300, f.valor, isOverdue),
    sem_valor: countOf("Number of payments without `valor`; they count as 0", 1, f.sem_valor),
    vencimento_mais_antigo: {
      description: "Earliest due date of the pending payments",
      field: day().nullable(),
      sql: sql`min(${f.due}) filter (where ${isPending} and isfinite(${f.due}))`,
      empty: "null",
      isDefault: false,
    },
  },
  filters: {
    situacao: equal(paymentFilters.situacao, f.situacao),
    id_centro_custo: equal(paymentFilters.id_centro_custo, f.id_centro_custo),
    nome_conta_classificacao: equalText(
      withMetadata(
        humanText({
          max: 100,
          example: "Aluguel",
          description: "Only payments with exactly this account classification.",
        }).optional(),
        { sources: [{ value: t.nome_conta_classificacao }] },
      ),
      f.nome_conta_classificacao,
    ),
    valor_min: {
      parameter: decimal({
        example: 5000,
        description: "Only payments of at least this `valor`.",
      }).optional(),
      condition: (value) => sql`${f.valor_exato} >= ${value}::numeric and ${f.valor_exato} <> 'NaN'`,
    },
  },
  needs: "payments",
};
