import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { EmptyState } from "../../components/states.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { centavos, change, counted, days, money, number, oneDecimal } from "../../format.ts";
import { comparedRangeOf } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import { nameOr } from "../../units.ts";
import { elapsedDays, type View } from "../../view.ts";
import { periodName } from "../../wording.ts";

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
  rowsPath("lancamentos", {
    ...comparedRangeOf(view),
    por: "pessoa",
    ordem: "-valor_total",
    medidas: "valor_total,lancamentos,pendentes,valor_pendente,sem_valor",
  });

/** For the file and the order: one decimal, as the screen shows it. */
const percentChange = (now: number, before: number) =>
  before > 0 ? oneDecimal((100 * (centavos(now) - centavos(before))) / centavos(before)) : null;

const amount = (title: string, key: "valor_total" | "valor_pendente", totals: Entries): Column<Row> => ({
  title,
  value: (row) => row[key],
  cell: (row) => money(row[key]),
  total: totals[key],
  totalText: money(totals[key]),
  isNumber: true,
});

const count = (title: string, key: "lancamentos" | "pendentes", totals: Entries): Column<Row> => ({
  title,
  value: (row) => row[key],
  cell: (row) => number(row[key]),
  total: totals[key],
  totalText: number(totals[key]),
  isNumber: true,
});

const changeColumns = ({ valor_total: now, anterior }: EntryReport["totais"]): Column<Row>[] => {
  const before = anterior?.valor_total ?? 0;
  return [
    {
      title: "Valor antes",
      value: (row) => row.anterior?.valor_total ?? null,
      total: before,
      isNumber: true,
      isHidden: true,
    },
    {
      title: "Variação (%)",
      value: (row) => percentChange(row.valor_total, row.anterior?.valor_total ?? 0),
      cell: (row) => (
        <Delta now={row.valor_total} before={row.anterior?.valor_total || undefined} format={money} />
      ),
      total: percentChange(now, before),
      totalText: change(now, before) ?? "—",
      isNumber: true,
    },
  ];
};

const columnsOf = ({ totais, anterior }: EntryReport): Column<Row>[] => [
  { title: "Pessoa", value: ({ pessoa }) => nameOr(pessoa, "Pessoa não informada") },
  { ...amount("Valor", "valor_total", totais), isMain: true },
  ...(anterior === undefined ? [] : changeColumns(totais)),
  count("Lançamentos", "lancamentos", totais),
  count("Não enviados", "pendentes", totais),
  amount("Valor não enviado", "valor_pendente", totais),
];

const Entries = ({ view }: { view: View }) => {
  const answer = useAnswer<EntryReport>(entriesPath(view));
  return (
    <Card
      title={`Comissões por pessoa · ${periodName(view)}`}
      actions={<CompareSelect view={view} earlier={answer.body?.anterior} />}
    >
      <p class="more">
        Valor bruto de comissões e descontos com vencimento de {days(elapsedDays(view))}. “Não enviados” ainda
        não estão no sistema do salão.
      </p>
      <Answered answer={answer}>
        {(body) => (
          <div>
            {body.totais.sem_valor > 0 && (
              <p class="more">{counted(body.totais.sem_valor, "lançamento", "lançamentos")} sem valor.</p>
            )}
            <DataTable
              caption="Comissões por pessoa"
              file={periodFileName("comissoes", view)}
              columns={columnsOf(body)}
              rows={body.data}
              keyOf={({ pessoa }) => String(pessoa)}
              shown={20}
              isSortable
              empty="Nenhum lançamento com vencimento neste período."
            />
          </div>
        )}
      </Answered>
    </Card>
  );
};

/** What each person earns, from the ledger. */
export const Comissoes = () => {
  const { place, rights } = usePanel();
  return rights.personalData ? (
    <Entries view={place.view} />
  ) : (
    <EmptyState title="Você não tem acesso aos nomes das pessoas.">
      <p class="more">Quem administra os usuários do painel pode dar acesso a dados pessoais.</p>
    </EmptyState>
  );
};
