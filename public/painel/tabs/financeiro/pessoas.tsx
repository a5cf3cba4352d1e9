import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/states.tsx";
import { amountColumn, changeColumns, countColumn, hadEnough } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { fileName } from "../../file-name.ts";
import { counted, days } from "../../format.ts";
import { periodName } from "../../period-names.ts";
import { duePath } from "../../ranges.ts";
import type { Report } from "../../reports.ts";
import { nameOr } from "../../units.ts";
import { type View, wholeDays } from "../../view.ts";
import { CutNote, cutOf } from "../mais/cut-note.tsx";

type Entries = {
  lancamentos: number;
  valor_total: number;
  pendentes: number;
  valor_pendente: number;
  sem_valor: number;
};
type EntryReport = Report<{ pessoa: string | null }, Entries>;
type Row = EntryReport["data"][number];

const entriesPath = (view: View) =>
  duePath("lancamentos", view, {
    por: "pessoa",
    ordem: "-valor_total",
    medidas: "valor_total,lancamentos,pendentes,valor_pendente,sem_valor",
  });

const columnsOf = ({ totais }: EntryReport): Column<Row>[] => [
  { title: "Pessoa", value: ({ pessoa }) => nameOr(pessoa, "Pessoa não informada") },
  { ...amountColumn("Valor", (row) => row.valor_total, totais.valor_total), isMain: true },
  ...changeColumns<"valor_total", Row>("valor_total", totais, {
    isInverse: true,
    mayLead: hadEnough,
  }),
  countColumn("Lançamentos", (row) => row.lancamentos, totais.lancamentos),
  countColumn("Não enviados", (row) => row.pendentes, totais.pendentes),
  amountColumn("Valor não enviado", (row) => row.valor_pendente, totais.valor_pendente),
];

const Entries = ({ view }: { view: View }) => {
  const answer = useAnswer<EntryReport>(entriesPath(view));
  return (
    <Card
      title={`Lançamentos por pessoa · ${periodName(view)}`}
      actions={<CompareSelect view={view} earlier={answer.body?.anterior} />}
    >
      <p class="more">
        Soma do valor bruto de comissões, descontos e pagamentos a fornecedores, com vencimento de{" "}
        {days(wholeDays(view))}. Os dados não separam os tipos: a soma não é o que a pessoa recebe. Pessoas
        com o mesmo nome aparecem em uma só linha. “Não enviados” ainda não estão no sistema do salão.
      </p>
      <Answered answer={answer}>
        {(body) => (
          <div>
            {body.totais.sem_valor > 0 && (
              <p class="more">{counted(body.totais.sem_valor, "lançamento", "lançamentos")} sem valor.</p>
            )}
            <CutNote shown={body.data.length} all={body.linhas} of="nomes" />
            <DataTable
              caption="Lançamentos por pessoa"
              file={fileName("lancamentos-por-pessoa", wholeDays(view))}
              columns={columnsOf(body)}
              rows={body.data}
              cut={cutOf(entriesPath(view), body)}
              keyOf={({ pessoa }) => String(pessoa)}
              shown={20}
              order="maior valor"
              empty="Nenhum lançamento com vencimento neste período."
            />
          </div>
        )}
      </Answered>
    </Card>
  );
};

/** The ledger by person. What an entry is for is not known: the sum of a person has commissions and deductions. */
export const Pessoas = () => {
  const { place, rights } = usePanel();
  return rights.personalData ? (
    <Entries view={place.view} />
  ) : (
    <EmptyState title="Você não tem acesso aos nomes das pessoas.">
      <p class="more">Quem administra os usuários do painel pode dar acesso a dados pessoais.</p>
    </EmptyState>
  );
};
