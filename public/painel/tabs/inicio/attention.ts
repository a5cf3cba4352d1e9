// What needs attention on Início, as lines that lead to more. Without the DOM, so that Node can test it.
import { centavos, change, counted, date, dayMonth, money, number, roundMoney, share } from "../../format.ts";
import { dataUntil, jobTitle, stateOf } from "../../jobs.ts";
import { listSearch } from "../../links.ts";
import { placeSearch } from "../../place.ts";
import { type Band, isWhole, LEAST_PAST, type PanelBody } from "../../reports.ts";
import { isMonth, paceOf, sumOf, wholeOf } from "../../series.ts";
import { costCentreOf } from "../../units.ts";
import { addDays, dayOf, type View } from "../../view.ts";
import { type Sum, sumIn } from "../financeiro/due.ts";

/** A line: what it is, how much, and where it leads. */
export interface Line {
  level: "bad" | "warn" | "info";
  title: string;
  detail: string;
  value: string;
  to: string;
}

type NameOf = (unit: string) => string;

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

/** 3 atendimentos; 3 de 5 atendimentos. */
const partOf = (part: number, all: number, one: string, many: string) =>
  part === all ? counted(all, one, many) : `${number(part)} de ${counted(all, one, many)}`;

/** What the last day brought is still on its way. */
const unsentLine = ({ pendentes, pendentes_antigos: { totais } }: PanelBody, view: View): Line[] => {
  if (totais.visitas === 0) return [];
  const since = totais.primeira_visita === null ? "" : ` · desde ${date(totais.primeira_visita)}`;
  const part = partOf(totais.visitas, pendentes.totais.visitas, "atendimento", "atendimentos");
  return [
    {
      level: "warn",
      title: "Não enviados ao ERP",
      detail: `${part} há mais de um dia${since}`,
      value: roundMoney(totais.valor_total),
      to: listSearch(view, { name: "todos-pendentes" }),
    },
  ];
};

/** The last due day of old entries, 24 hours before the data ends: ontem; 25/11. */
const oldDay = (frescor: PanelBody["frescor"], today: string) => {
  const until = dataUntil(frescor);
  const yesterday = addDays(today, -1);
  const day = until === undefined ? yesterday : addDays(dayOf(until), -1);
  return day === yesterday ? "ontem" : dayMonth(day);
};

const unsentEntriesLine = (
  { lancamentos_pendentes: all, lancamentos_pendentes_antigos: { totais }, frescor }: PanelBody,
  view: View,
): Line[] => {
  if (totais.lancamentos === 0) return [];
  const part = partOf(totais.lancamentos, all.totais.lancamentos, "lançamento", "lançamentos");
  return [
    {
      level: "warn",
      title: "Não enviados ao salão",
      detail: `${part} com vencimento até ${oldDay(frescor, view.clock.today)}`,
      value: roundMoney(totais.valor_total),
      to: placeSearch(view, "financeiro", "envio"),
    },
  ];
};

/** A unit that fell, or is behind its goal, by less than this needs no attention. */
const MIN_FALL = 0.05;

/** A shortfall: −R$ 1.200. */
const lessMoney = (reais: number) => `−${roundMoney(reais)}`;

interface Short {
  id: string;
  /** What it was, or should be, and what it is. */
  wanted: number;
  value: number;
}

const missing = ({ wanted, value }: Short) => (centavos(wanted) - centavos(value)) / 100;

/** The unit that lacks most reais, if it lacks enough. A closed unit needs no attention. */
const worstOf = (all: readonly Short[], { unidades }: PanelBody): Short | undefined => {
  const closed = new Set(unidades.filter(({ ativo }) => !ativo).map(({ salon_id }) => salon_id));
  return all
    .filter(({ id, wanted, value }) => !closed.has(id) && value <= (1 - MIN_FALL) * wanted)
    .toSorted((a, b) => missing(b) - missing(a))[0];
};

const fallenLine = (body: PanelBody, view: View, unitName: NameOf): Line[] => {
  const units = body.faturamento_por_unidade.data.map((row) => ({
    id: row.estabelecimento_id,
    wanted: row.anterior?.valor_total ?? 0,
    value: row.valor_total,
  }));
  const worst = worstOf(
    units.filter(({ wanted }) => wanted >= LEAST_PAST),
    body,
  );
  if (worst === undefined) return [];
  const { id, wanted, value } = worst;
  return [
    {
      level: "warn",
      title: `${unitName(id)} caiu ${change(value, wanted)?.replace("-", "")}`,
      detail: `${money(value)}, antes ${money(wanted)}`,
      value: lessMoney(missing(worst)),
      to: placeSearch({ ...view, unit: id }, "unidades"),
    },
  ];
};

/** Of a month: the unit that will miss its goal by most reais at its present pace, or missed it. */
const goalLine = (body: PanelBody, view: View, unitName: NameOf): Line[] => {
  const whole = wholeOf(view);
  if (whole === undefined || !isMonth(whole)) return [];
  const isOver = view.clock.today > whole.to;
  const units = body.metas_por_unidade.data.flatMap(({ estabelecimento_id: id, meta: wanted }) => {
    const rows = body.faturamento_por_unidade_e_periodo.data.filter((row) => row.estabelecimento_id === id);
    const value = isOver ? sumOf(rows, (row) => row.valor_total) : paceOf(view, whole, rows);
    return wanted === null || wanted <= 0 || value === undefined ? [] : [{ id, wanted, value }];
  });
  const isKnown = isWhole(body.faturamento_por_unidade_e_periodo) && isWhole(body.metas_por_unidade);
  const worst = isKnown ? worstOf(units, body) : undefined;
  if (worst === undefined) return [];
  const { id, wanted, value } = worst;
  return [
    {
      level: "warn",
      title: `${unitName(id)}${isOver ? " não bateu a meta" : ": meta em risco"}`,
      detail: `${isOver ? money(value) : `neste ritmo, ${roundMoney(value)}`}: ${share(value, wanted)} de ${roundMoney(wanted)}`,
      value: lessMoney(missing(worst)),
      to: placeSearch({ ...view, unit: id }, "unidades"),
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

/** What is overdue, not sent, fallen, behind its goal, due soon, or late, `elapsed` seconds after the answer. */
export const attentionLines = (body: PanelBody, view: View, unitName: NameOf, elapsed: number): Line[] => {
  const centre = costCentreOf(body.unidades, view.unit);
  return [
    ...overdueLine(body, view, centre),
    ...unsentLine(body, view),
    ...unsentEntriesLine(body, view),
    ...fallenLine(body, view, unitName),
    ...goalLine(body, view, unitName),
    ...dueLine(body, view, centre),
    ...jobLine(body, view, elapsed),
  ];
};
