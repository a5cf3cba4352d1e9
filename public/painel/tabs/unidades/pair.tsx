import { useEffect } from "preact/hooks";
import { Card } from "../../components/card.tsx";
import { CompareSelect } from "../../components/compare-select.tsx";
import { Delta } from "../../components/delta.tsx";
import { FileButtons } from "../../components/file-buttons.tsx";
import { LineChart } from "../../components/line-chart.tsx";
import { EmptyState, Loading } from "../../components/states.tsx";
import { usePanel } from "../../context.ts";
import { periodFileName } from "../../file-name.ts";
import { money, number } from "../../format.ts";
import { navigate, rename, useLocation } from "../../navigation.ts";
import { periodName } from "../../period-names.ts";
import { placeSearch } from "../../place.ts";
import type { Revenue, Unit } from "../../reports.ts";
import type { Cell, Sheet } from "../../sheet.ts";
import type { View } from "../../view.ts";
import { pairPoints } from "./course.ts";
import type { CourseReport, RevenueReport } from "./revenue.ts";

type Pair = readonly [string, string];
type Compared = Revenue & { anterior?: Revenue };

const NOTHING: Revenue = {
  valor_total: 0,
  valor_servicos: 0,
  valor_produtos: 0,
  visitas: 0,
  ticket_medio: null,
};

const MEASURES = [
  { name: "Faturamento", key: "valor_total", format: money },
  { name: "Serviços", key: "valor_servicos", format: money },
  { name: "Produtos", key: "valor_produtos", format: money },
  { name: "Atendimentos", key: "visitas", format: number },
  { name: "Ticket médio", key: "ticket_medio", format: money },
] as const;

/** Without those that are zero on both sides: two stores have no visits. */
const measuresOf = (rows: readonly Compared[]) =>
  MEASURES.filter(({ key }) => key === "valor_total" || rows.some((row) => row[key] || row.anterior?.[key]));

const pairSearch = (view: View, [a, b]: Pair) => placeSearch(view, "unidades", "comparar", { a, b });

/** The two units in the URL. What it lacks are the last ones, or those that sold most. */
const usePair = (view: View, ids: readonly string[], bySales: readonly string[]): Pair => {
  const { lastPair } = usePanel();
  const params = new URLSearchParams(useLocation());
  const named = [params.get("a"), params.get("b")];
  const isNamed = named.some((id) => id !== null);
  const wanted = [...new Set([...(isNamed ? named : lastPair.current), ...bySales, ...ids])];
  const [a = "", b = ""] = wanted.filter((id) => id !== null && ids.includes(id)) as string[];
  useEffect(() => {
    if (b === "") return;
    lastPair.current = [a, b];
    if (named[0] !== a || named[1] !== b) rename(pairSearch(view, [a, b]));
  }, [a, b, view]);
  return [a, b];
};

const Picker = ({ label, id, onChoose }: { label: string; id: string; onChoose: (id: string) => void }) => {
  const { units = [], unitName } = usePanel();
  return (
    <label>
      {label}
      <select value={id} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {units.map(({ salon_id: each }) =>
          each === null ? null : (
            <option key={each} value={each}>
              {unitName(each)}
            </option>
          ),
        )}
      </select>
    </label>
  );
};

/** Choosing the other unit exchanges the two. */
const Pickers = ({ view, pair: [a, b] }: { view: View; pair: Pair }) => {
  const choose = (pair: Pair) => navigate(pairSearch(view, pair));
  return (
    <div class="pickers">
      <Picker label="Primeira unidade" id={a} onChoose={(id) => choose([id, id === b ? a : b])} />
      <Picker label="Segunda unidade" id={b} onChoose={(id) => choose([id === a ? b : a, id])} />
    </div>
  );
};

const Figures = ({ names, rows }: { names: Pair; rows: readonly Compared[] }) => (
  <table class="pair">
    <caption class="sr-only">
      {names[0]} e {names[1]}
    </caption>
    <thead>
      <tr>
        <td />
        {names.map((name, index) => (
          <th key={index} scope="col">
            <span class={`key part-${index}`} aria-hidden="true" />
            {name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {measuresOf(rows).map(({ name, key, format }) => (
        <tr key={key}>
          <th scope="row">{name}</th>
          {rows.map((row, index) => (
            <td key={index}>
              <span class="value">{row[key] === null ? "—" : format(row[key])}</span>
              {row.anterior && row.anterior[key] !== null && (
                <Delta now={row[key]} before={row.anterior[key]} format={format} />
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const sheetOf = (view: View, names: Pair, rows: readonly Compared[]): Sheet => {
  const isCompared = rows.some(({ anterior }) => anterior !== undefined);
  return {
    name: periodFileName("comparacao", view),
    columns: ["Medida", ...names.flatMap((name) => (isCompared ? [name, `${name}, antes`] : [name]))],
    rows: measuresOf(rows).map(({ name, key, format }) => {
      const cell = (value: number | null): Cell =>
        format === money ? { value, format: "money" } : { value };
      const cells = rows.map((row) => [cell(row[key]), cell(row.anterior?.[key] ?? null)]);
      return [{ value: name }, ...cells.flatMap((both) => (isCompared ? both : both.slice(0, 1)))];
    }),
  };
};

interface CourseProps {
  view: View;
  step: "hora" | "dia" | "mes";
  course: CourseReport;
  pair: Pair;
  names: Pair;
}

const Course = ({ view, step, course, pair, names }: CourseProps) => {
  const points = pairPoints(view, step, course, pair);
  if (points.length < 2) return null;
  return (
    <div class="pair-chart">
      <h3>Faturamento acumulado</h3>
      <LineChart
        title={`Faturamento acumulado de ${names[0]} e ${names[1]}, ${periodName(view)}`}
        points={points}
        textOf={(index) => {
          const { name = "", value = 0, earlier = 0 } = points[index] ?? {};
          return `Até ${name}: ${names[0]} ${money(value)}, ${names[1]} ${money(earlier)}`;
        }}
      />
    </div>
  );
};

interface PairCardProps {
  report: RevenueReport;
  view: View;
  step: "hora" | "dia" | "mes" | undefined;
  course: CourseReport | undefined;
  /** Whether the course is on its way. */
  isBusy: boolean;
}

const KnownPairCard = (props: PairCardProps & { units: readonly Unit[] }) => {
  const { report, view, step, course, isBusy, units } = props;
  const { unitName } = usePanel();
  const ids = units.flatMap(({ salon_id: id }) => id ?? []);
  const bySales = report.data.map(({ estabelecimento_id: id }) => id);
  const pair = usePair(view, ids, bySales);
  if (pair[1] === "") return <EmptyState title="São necessárias duas unidades para comparar." />;
  const none: Compared = report.totais.anterior ? { ...NOTHING, anterior: NOTHING } : NOTHING;
  const rows = pair.map((id) => report.data.find((row) => row.estabelecimento_id === id) ?? none);
  const names: Pair = [unitName(pair[0]), unitName(pair[1])];
  const title = `Duas unidades · ${periodName(view)}`;
  return (
    <Card title={title} actions={<CompareSelect view={view} earlier={report.anterior} />} isBusy={isBusy}>
      <Pickers view={view} pair={pair} />
      <Figures names={names} rows={rows} />
      <div class="table-tools">
        <FileButtons label={title} load={async () => sheetOf(view, names, rows)} />
      </div>
      {step && course && <Course view={view} step={step} course={course} pair={pair} names={names} />}
    </Card>
  );
};

/** Two units side by side. The choice is in the URL. */
export const PairCard = (props: PairCardProps) => {
  const { units } = usePanel();
  return units === undefined ? <Loading /> : <KnownPairCard {...props} units={units} />;
};
