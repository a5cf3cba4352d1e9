import { Answered, Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { countColumn, valueColumns } from "../../components/value-columns.tsx";
import { useAnswer, usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { serviceName } from "../../messages.ts";
import { periodName } from "../../period-names.ts";
import { comparedRangeOf } from "../../ranges.ts";
import { type Report, rowsPath, type Services } from "../../reports.ts";
import { CutNote, cutOf } from "./cut-note.tsx";

type Body = Report<{ servico: string | null }, Services>;
type Row = Body["data"][number];

const columnsOf = (totals: Body["totais"]): Column<Row>[] => [
  { title: "Serviço", value: ({ servico }) => serviceName(servico) },
  ...valueColumns("Valor", totals),
  countColumn("Quantidade", ({ servicos }) => servicos, totals.servicos),
  countColumn("Cortesias", ({ cortesias }) => cortesias, totals.cortesias),
];

/** What each service brought, and its change. */
export const ServicesPart = () => {
  const { view } = usePanel().place;
  const path = rowsPath("servicos", {
    ...comparedRangeOf(view),
    por: "servico",
    medidas: "servicos,cortesias,valor_total",
    ordem: "-valor_total",
  });
  const answer = useAnswer<Body>(path, ["data", "totais"]);
  return (
    <Answered answer={answer}>
      {(body) => (
        <Card
          title={`Serviços · ${periodName(view)}`}
          actions={<CompareSelect view={view} earlier={body.anterior} />}
        >
          <CutNote shown={body.data.length} all={body.linhas} of="serviços" />
          <DataTable
            caption="Serviços"
            file={periodFileName("servicos", view)}
            columns={columnsOf(body.totais)}
            rows={body.data}
            cut={cutOf(path, body)}
            keyOf={({ servico }) => JSON.stringify(servico)}
            shown={30}
            order="maior valor"
            empty="Nenhum serviço neste período."
          />
          <p class="more">Valor de cada serviço, sem produtos.</p>
        </Card>
      )}
    </Answered>
  );
};
