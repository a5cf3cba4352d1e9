import { Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { RowName } from "../../components/links.tsx";
import {
  amountColumn,
  changeColumns,
  countColumn,
  hadEnough,
  shareColumn,
} from "../../components/value-columns.tsx";
import { usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { average, number } from "../../format.ts";
import { personSearch } from "../../links.ts";
import { isKnown, namesIn, type Places, ranked, unitsText } from "../../people.ts";
import { periodName } from "../../period-names.ts";
import type { View } from "../../view.ts";
import { CutNote, cutOf } from "../mais/cut-note.tsx";
import { keyOf, type TeamReport, type TeamRow, teamPath } from "./report.ts";

const SHOWN = 10;

const ticketOf = ({ valor_total, visitas }: TeamRow) => average(valor_total, visitas) ?? null;

/** Averages and visits do not add up over professionals: they have no total. */
const ticketColumns: Column<TeamRow>[] = [
  amountColumn("Ticket", ticketOf),
  { title: "Atendimentos", value: (row) => row.visitas, isNumber: true, isHidden: true },
];

const columnsOf = (
  { totais }: TeamReport,
  view: View,
  namesOf: ReturnType<typeof namesIn>,
): Column<TeamRow>[] => [
  {
    title: "Profissional",
    value: (row) => namesOf(row).name,
    cell: (row) => (
      <span class="what">
        <RowName to={personSearch(view, row.profissional_salon_id)} name={namesOf(row).name} />
        <span class="more">
          {[
            ...(view.unit ? [] : [unitsText(namesOf(row).units)]),
            ...(row.servicos === 0 ? ["sem serviços neste período"] : []),
          ].join(" · ")}
        </span>
      </span>
    ),
  },
  { title: "Unidades", value: (row) => namesOf(row).units.join(", "), isHidden: true },
  { ...amountColumn("Produção", (row) => row.valor_total, totais.valor_total), isMain: true },
  ...changeColumns<"valor_total", TeamRow>("valor_total", totais, {
    mayLead: (row) => isKnown(row) && hadEnough(row),
  }),
  ...ticketColumns,
  countColumn("Serviços", (row) => row.servicos, totais.servicos),
  {
    ...countColumn<TeamRow>("Cortesias", (row) => row.cortesias, totais.cortesias),
    cell: ({ cortesias }) => (cortesias === 0 ? null : number(cortesias)),
  },
  shareColumn(totais),
];

interface TeamTableProps {
  report: TeamReport;
  places: Pick<Places, "data">;
  view: View;
}

/** The professionals by production. Who worked only in the earlier period comes last. */
export const TeamTable = ({ report, places, view }: TeamTableProps) => {
  const { unitName } = usePanel();
  const { data, linhas } = report;
  const title = `Profissionais · ${periodName(view)}`;
  return (
    <Card title={title} actions={<CompareSelect view={view} earlier={report.anterior} />}>
      <CutNote shown={data.length} all={linhas} of="profissionais" />
      <DataTable
        caption={title}
        file={periodFileName("equipe", view)}
        columns={columnsOf(report, view, namesIn(places, unitName))}
        rows={ranked(data)}
        keyOf={keyOf}
        cut={cutOf(teamPath(view), report, ranked)}
        shown={SHOWN}
        order="maior produção"
        empty="Nenhum serviço neste período."
      />
      {data.length > 0 && (
        <p class="more">
          Produção é o valor dos serviços realizados. Ticket é a produção por atendimento do profissional.
        </p>
      )}
    </Card>
  );
};
