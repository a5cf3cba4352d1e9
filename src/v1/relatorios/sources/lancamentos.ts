import { sql } from "drizzle-orm";
import { personal } from "../../../db/personal-data.ts";
import { humanText, oneOf, trueOrFalse, withDefault } from "../../../http/params.ts";
import { lancamentosFacts as facts } from "../../facts/table.ts";
import { boolean, string } from "../../fields.ts";
import { lancamentosRollup, lancamentosVencimentoRollup, lancamentos as t } from "../../lancamentos/table.ts";
import { unit } from "../../parameters.ts";
import {
  calendar,
  counted,
  countOf,
  equal,
  equalText,
  readingOf,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Source } from "../source.ts";

export const lancamentos: Source<"lancamentos"> = {
  name: "lancamentos",
  summary: "Ledger entries, by what you choose",
  description:
    "Counts and adds up ledger entries: commissions and debits, by `ValorBruto`. They are costs, no part " +
    "of revenue. `pendentes` are not sent to the salon system; what is not paid yet is in " +
    "`GET /v1/relatorios/pagamentos`. Rows add up.",
  range: "The date that `data` names",
  mayLieAhead: { data: "vencimento" },
  dataParameter: withDefault(
    oneOf(
      ["vencimento", "sincronizacao"],
      "The date of range and periods, in Brasília: `DataVencimento`, or `synced_at` (last fetched).",
    ),
    "vencimento",
  ),
  dates: {
    vencimento: {
      isDateColumn: true,
      plans: [
        [
          {
            rollup: lancamentosVencimentoRollup,
            facts: {
              estabelecimento_id: true,
              pessoa: true,
              centro_custo: true,
              sent_to_salon: true,
              valor: true,
              sem_valor: true,
            },
          },
        ],
      ],
    },
    sincronizacao: {
      isDateColumn: false,
      plans: [
        [{ rollup: lancamentosRollup, facts: { estabelecimento_id: true, sent_to_salon: true } }],
        [readingOf(facts, { at: facts.at, day: facts.day })],
      ],
    },
  },
  unitParameter: unit("ledger entries of", [t.estabelecimento_id]),
  dimensions: {
    ...calendar,
    unidade,
    pessoa: simple(
      undefined,
      "pessoa",
      personal(string("Ana Almeida", "`Pessoa` of `raw_data`; `null` if it is no text").nullable()),
      true,
    ),
    // That of a professional names the professional, in `GET /v1/profissionais` (R24).
    centro_custo: simple(
      "cost centre",
      "centro_custo",
      personal(string("Salão Jardins", "`CentroCusto` of `raw_data`; `null` if it is no text").nullable()),
      true,
    ),
    enviado: simple(
      "sent to the salon system",
      "sent_to_salon",
      boolean(true, "Whether the entries were sent to the salon system"),
    ),
  },
  measures: {
    lancamentos: counted("Number of entries", 40),
    valor_total: summed({
      description: "Sum of `ValorBruto` of these entries, in reais",
      example: 8200,
      sql: sql`valor`,
      facts: ["valor"],
    }),
    enviados: counted("Number of entries sent to the salon system", 36, sql`sent_to_salon`, "sent_to_salon"),
    pendentes: counted(
      "Number of entries not yet sent to the salon system",
      4,
      sql`not sent_to_salon`,
      "sent_to_salon",
    ),
    valor_pendente: summed({
      description: "Sum of `ValorBruto` of the entries not yet sent to the salon system, in reais",
      example: 640,
      sql: sql`valor`,
      facts: ["valor", "sent_to_salon"],
      where: sql`not sent_to_salon`,
    }),
    sem_valor: countOf(
      "Number of entries without a `ValorBruto` that is a number; they count as 0",
      1,
      "sem_valor",
    ),
  },
  filters: {
    sent_to_salon: equal(
      trueOrFalse("Only entries sent to the salon system (`true`) or not yet sent (`false`).").optional(),
      "sent_to_salon",
    ),
    pessoa: equalText(
      personal(
        humanText({
          max: 100,
          example: "Ana Almeida",
          description: "Only entries of exactly this person (`Pessoa`).",
        }).optional(),
      ),
      "pessoa",
    ),
  },
};
