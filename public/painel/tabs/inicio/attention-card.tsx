import { serviceNow } from "../../../service-clock.ts";
import { AlertRow } from "../../components/alert-row.tsx";
import { Card } from "../../components/card.tsx";
import { type Panel, usePanel } from "../../context.ts";
import { change, counted, date, money, roundMoney } from "../../format.ts";
import { jobTitle, stateOf } from "../../jobs.ts";
import { listSearch } from "../../links.ts";
import { placeSearch } from "../../place.ts";
import type { Band, PanelBody } from "../../reports.ts";
import { costCentreOf } from "../../units.ts";
import type { View } from "../../view.ts";
import { type Sum, sumIn } from "../financeiro/due.ts";

type Line = Parameters<typeof AlertRow>[0];

const NOTHING: Sum = { count: 0, value: 0, oldest: undefined };

/** The payments of some bands: of the chosen unit's cost centre, or of all. A unit without one has none. */
const dueIn = ({ pagamentos }: PanelBody, bands: Band[], centre: string | null | undefined) =>
  pagamentos === null || centre === null ? NOTHING : sumIn(pagamentos, bands, centre);

const overdueLine = (body: PanelBody, view: View, centre: string | null | undefined): Line[] => {
  const { count, value, oldest } = dueIn(body, ["vencida"], centre);
  if (count === 0) return [];
  const since = oldest === undefined ? "" : ` · desde ${date(oldest)}`;
  return [
    {
      level: "bad",
      title: "Pagamentos vencidos",
      detail: `${counted(count, "conta", "contas")}${since}`,
      value: roundMoney(value),
      to: listSearch(view, { name: "vencidos" }),
    },
  ];
};

const unsentLine = ({ pendentes: { totais } }: PanelBody, view: View): Line[] => {
  if (totais.visitas === 0) return [];
  const since = totais.primeira_visita === null ? "" : ` · desde ${date(totais.primeira_visita)}`;
  return [
    {
      level: "warn",
      title: "Não enviados ao ERP",
      detail: `${counted(totais.visitas, "atendimento", "atendimentos")}${since}`,
      value: roundMoney(totais.valor_total),
      to: listSearch(view, { name: "todos-pendentes" }),
    },
  ];
};

/** A unit that fell by less than this needs no attention. */
const MIN_FALL = 0.05;

const fallenLine = (
  { unidades, faturamento_por_unidade: { data } }: PanelBody,
  view: View,
  { unitName }: Panel,
): Line[] => {
  if (view.unit) return [];
  // A closed unit sells nothing. It needs no attention.
  const closed = new Set(unidades.filter(({ ativo }) => !ativo).map(({ salon_id }) => salon_id));
  const ratios = data.flatMap((row) => {
    const before = row.anterior?.valor_total ?? 0;
    return before > 0 && !closed.has(row.estabelecimento_id)
      ? [{ row, before, ratio: row.valor_total / before }]
      : [];
  });
  const worst = ratios.sort((a, b) => a.ratio - b.ratio || b.before - a.before)[0];
  if (worst === undefined || worst.ratio > 1 - MIN_FALL) return [];
  const { row, before } = worst;
  return [
    {
      level: "warn",
      title: `${unitName(row.estabelecimento_id)} caiu`,
      detail: `${money(row.valor_total)}, antes ${money(before)}`,
      value: change(row.valor_total, before)?.replace("-", "−") ?? "",
      to: placeSearch({ ...view, unit: row.estabelecimento_id }, "unidades"),
    },
  ];
};

const dueLine = (body: PanelBody, view: View, centre: string | null | undefined): Line[] => {
  const { count, value, oldest } = dueIn(body, ["hoje", "7-dias"], centre);
  if (count === 0) return [];
  const first = oldest === undefined ? "" : ` · a partir de ${date(oldest)}`;
  return [
    {
      level: "info",
      title: "Vencem em 7 dias",
      detail: `${counted(count, "conta", "contas")}${first}`,
      value: roundMoney(value),
      to: listSearch(view, { name: "vencem-em-7-dias" }),
    },
  ];
};

const jobLine = ({ frescor: { data } }: PanelBody, view: View, elapsed: number): Line[] => {
  const states = data.map((job) => ({ job, ...stateOf(job, elapsed) }));
  const late = states.find(({ level }) => level === "bad") ?? states.find(({ level }) => level === "warn");
  if (late === undefined) return [];
  const others = states.filter(({ level }) => level !== "good").length - 1;
  return [
    {
      level: late.level === "bad" ? "bad" : "warn",
      title: jobTitle(late.job),
      detail:
        others > 0 ? `e mais ${counted(others, "rotina", "rotinas")}` : "os dados podem estar desatualizados",
      value: late.label,
      to: placeSearch(view, "mais", "rotinas"),
    },
  ];
};

/** At most five lines: what is overdue, not sent, fallen, due soon, or late. Each leads to its list. */
export const AttentionCard = ({ body, view, at }: { body: PanelBody; view: View; at: number }) => {
  const panel = usePanel();
  const centre = costCentreOf(body.unidades, view.unit);
  const lines = [
    ...overdueLine(body, view, centre),
    ...unsentLine(body, view),
    ...fallenLine(body, view, panel),
    ...dueLine(body, view, centre),
    ...jobLine(body, view, (serviceNow() - at) / 1000),
  ];
  return (
    <Card title="Precisa de atenção">
      {lines.length === 0 ? (
        <p class="nothing">Nada precisa de atenção agora.</p>
      ) : (
        <ul class="alerts">
          {lines.map((line) => (
            <AlertRow key={line.title} {...line} />
          ))}
        </ul>
      )}
    </Card>
  );
};
