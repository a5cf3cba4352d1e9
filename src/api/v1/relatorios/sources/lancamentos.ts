import { sql } from "drizzle-orm";
import { withMetadata } from "../../../../core/schema-metadata.ts";
import { personal } from "../../../../platform/db/personal-data.ts";
import { humanText, oneOf, trueOrFalse, withDefault } from "../../../../platform/http/params.ts";
import { lancamentosFacts as f } from "../../facts/table.ts";
import { boolean, string } from "../../fields.ts";
import { lancamentosRollup, lancamentos as t } from "../../lancamentos/table.ts";
import { unit } from "../../parameters.ts";
import { calendar, counted, countOf, equal, equalText, simple, summed, unidade } from "../declarations.ts";
import type { Source } from "../source.ts";

const isPending = sql`not ${f.sent_to_salon}`;

export const lancamentos: Source<"lancamentos"> = {
  name: "lancamentos",
  summary: "Ledger entries, by what you choose",
  description:
    "Counts and adds up ledger entries: commissions and debits, by `ValorBruto`. They are costs, no part " +
    "of revenue. `pendentes` are not sent to the salon system; what is not paid yet is in " +
    "`GET /v1/relatorios/pagamentos`. Rows add up.",
  row: "A ledger entry: a record of `lancamentos`.",
  list: {
    path: "lancamentos",
    tool: "listLancamentos",
    filters: ["sent_to_salon"],
    dates: ["sincronizacao"],
  },
  range: "The date that `data` names",
  mayLieAhead: { data: "vencimento" },
  dateParameter: withDefault(
    oneOf(
      ["vencimento", "sincronizacao"],
      "The date of range and periods, in Brasília: `DataVencimento`, or `synced_at` (last fetched).",
    ),
    "vencimento",
  ),
  facts: f,
  dates: {
    vencimento: [{ facts: f, at: f.due, day: f.due, rollups: [] }],
    sincronizacao: [{ facts: f, at: f.at, day: f.day, rollups: [lancamentosRollup] }],
  },
  unitParameter: unit("ledger entries of", [t.estabelecimento_id]),
  dimensions: {
    ...calendar,
    unidade: unidade(f.estabelecimento_id),
    pessoa: simple(
      undefined,
      f.pessoa,
      personal(string("Ana Almeida", "`Pessoa` of `raw_data`; `null` if it is no text").nullable()),
      true,
    ),
    // That of a professional names the professional, in `GET /v1/profissionais` (R24).
    centro_custo: simple(
      "cost centre",
      f.centro_custo,
      personal(string("Salão Jardins", "`CentroCusto` of `raw_data`; `null` if it is no text").nullable()),
      true, // mistake: shows-cost-centres
    ),
    enviado: simple(
      "sent to the salon system",
      f.sent_to_salon,
      boolean(true, "Whether the entries were sent to the salon system"),
    ),
  },
  measures: {
    lancamentos: counted("Number of entries", 40),
    valor_total: summed("Sum of `ValorBruto` of these entries, in reais", 8200, f.valor),
    enviados: counted("Number of entries sent to the salon system", 36, sql`${f.sent_to_salon}`),
    pendentes: counted("Number of entries not yet sent to the salon system", 4, isPending),
    valor_pendente: summed(
      "Sum of `ValorBruto` of the entries not yet sent to the salon system, in reais",
      640,
      f.valor,
      isPending,
    ),
    sem_valor: countOf(
      "Number of entries without a `ValorBruto` that is a number; they count as 0",
      1,
      f.sem_valor,
    ),
  },
  filters: {
    sent_to_salon: equal(
      trueOrFalse("Only entries sent to the salon system (`true`) or not yet sent (`false`).").optional(),
      f.sent_to_salon,
    ),
    pessoa: equalText(
      withMetadata(
        personal(
          humanText({
            max: 100,
            example: "Ana Almeida",
            description: "Only entries of exactly this person (`Pessoa`).",
          }).optional(),
        ),
        {
          sources: [{ value: f.pessoa, unit: f.estabelecimento_id }],
          howToFind: "To find a person as the entries name them, send `por=pessoa`",
        },
      ),
      f.pessoa,
    ),
  },
};
