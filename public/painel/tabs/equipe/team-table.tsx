import { Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { Delta } from "../../components/delta.tsx";
import { usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { average, centavos, money, number, oneDecimal, share } from "../../format.ts";
import { isWhole } from "../../reports.ts";
import type { View } from "../../view.ts";
import { periodName } from "../../wording.ts";
import { professionalName } from "../../words.ts";
import { changeText, percentChange } from "../unidades/revenue.ts";
import { keyOf, ranked, type TeamReport, type TeamRow } from "./report.ts";

const SHOWN = 10;

const ticketOf = ({ valor_total, visitas = 0 }: TeamRow) => average(valor_total, visitas) ?? null;

const count = (
  title: string,
  key: "servicos" | "cortesias",
  totals: TeamReport["totais"],
): Column<TeamRow> => ({
  title,
  value: (row) => row[key],
  cell: (row) => (key === "cortesias" && row[key] === 0 ? null : number(row[key])),
  total: totals[key],
  totalText: number(totals[key]),
  isNumber: true,
});

/** The change and the earlier value; no columns if nothing is compared. */
const comparedColumns = ({ valor_total, anterior }: TeamReport["totais"]): Column<TeamRow>[] =>
  anterior === undefined
    ? []
    : [
        {
          title: "Variação (%)",
          value: (row) => percentChange(row.valor_total, row.anterior?.valor_total),
          cell: (row) => <Delta now={row.valor_total} before={row.anterior?.valor_total} />,
          total: percentChange(valor_total, anterior.valor_total),
          totalText: changeText(valor_total, anterior.valor_total),
          isNumber: true,
          isMain: true,
        },
        {
          title: "Antes",
          value: (row) => row.anterior?.valor_total ?? 0,
          cell: (row) => money(row.anterior?.valor_total ?? 0),
          total: anterior.valor_total,
          totalText: money(anterior.valor_total),
          isNumber: true,
        },
      ];

/** Averages and visits do not add up over professionals: they have no total. */
const ticketColumns = ({ visitas }: TeamReport["totais"]): Column<TeamRow>[] =>
  visitas === undefined
    ? []
    : [
        {
          title: "Ticket",
          value: ticketOf,
          cell: (row) => (row.visitas ? money(ticketOf(row) ?? 0) : "—"),
          isNumber: true,
        },
        { title: "Atendimentos", value: (row) => row.visitas ?? 0, isNumber: true, isHidden: true },
      ];

const shareColumn = ({ valor_total }: TeamReport["totais"]): Column<TeamRow> => ({
  title: "Participação (%)",
  value: (row) =>
    valor_total > 0 ? oneDecimal((100 * centavos(row.valor_total)) / centavos(valor_total)) : null,
  cell: (row) => share(row.valor_total, valor_total).replace("%", ""),
  total: valor_total > 0 ? 100 : null,
  totalText: share(valor_total, valor_total).replace("%", ""),
  isNumber: true,
});

const columnsOf = (
  { totais }: TeamReport,
  view: View,
  unitName: (id: string) => string,
): Column<TeamRow>[] => [
  {
    title: "Profissional",
    value: professionalName,
    cell: (row) => (
      <span class="what">
        <span class="name">{professionalName(row)}</span>
        <span class="more">
          {[
            ...(view.unit ? [] : [unitName(row.estabelecimento_id)]),
            ...(row.servicos === 0 ? ["sem serviços neste período"] : []),
          ].join(" · ")}
        </span>
      </span>
    ),
  },
  { title: "Unidade", value: (row) => unitName(row.estabelecimento_id), isHidden: true },
  {
    title: "Produção",
    value: (row) => row.valor_total,
    cell: (row) => money(row.valor_total),
    total: totais.valor_total,
    totalText: money(totais.valor_total),
    isNumber: true,
    isMain: true,
  },
  ...comparedColumns(totais),
  ...ticketColumns(totais),
  count("Serviços", "servicos", totais),
  count("Cortesias", "cortesias", totais),
  shareColumn(totais),
];

/** The professionals by production. Who worked only in the earlier period comes last. */
export const TeamTable = ({ report, view }: { report: TeamReport; view: View }) => {
  const { unitName } = usePanel();
  const { data, linhas = data.length, totais } = report;
  const title = `Profissionais · ${periodName(view)}`;
  return (
    <Card title={title} actions={<CompareSelect view={view} earlier={report.anterior} />}>
      {!isWhole(report) && (
        <p class="more">
          Mostrando {number(data.length)} de {number(linhas)} linhas, as de maior produção. Os totais são de
          todas.
        </p>
      )}
      <DataTable
        caption={title}
        file={periodFileName("equipe", view)}
        columns={columnsOf(report, view, unitName)}
        rows={ranked(data)}
        keyOf={keyOf}
        shown={SHOWN}
        isSortable
        empty="Nenhum serviço neste período."
      />
      {data.length > 0 && (
        <p class="more">
          Produção é o valor dos serviços realizados.
          {totais.visitas === undefined
            ? " O ticket aparece em períodos de até 400 dias."
            : " Ticket é a produção por atendimento do profissional."}
        </p>
      )}
    </Card>
  );
};
