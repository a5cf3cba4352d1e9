// What needs attention on Início: lines that lead to more, the largest first. Without the DOM, so Node can test it.
import { centavos, change, counted, date, money, roundMoney, share } from "../../format.ts";
import { jobTitle, stateOf } from "../../jobs.ts";
import { listSearch } from "../../links.ts";
import { goalsOf, isMonthOver, missedGoals } from "../../pace.ts";
import { placeSearch } from "../../place.ts";
import { type Band, LEAST_PAST, type PanelBody } from "../../reports.ts";
import { costCentreOf } from "../../units.ts";
import type { View } from "../../view.ts";
import { type Sum, sumIn } from "../financeiro/due.ts";

/** A line: what it is, how much, and where it leads. */
export interface Line {
  level: "bad" | "warn" | "info";
  title: string;
  detail: string;
  value: string;
  to: string;
}

/** A line with the reais by which it is ranked. */
type Ranked = Line & { reais: number };

/** More would be no help to choose. */
const MOST_LINES = 6;

type NameOf = (unit: string) => string;

const NOTHING: Sum = { count: 0, value: 0, oldest: undefined };

/** The payments of some bands: of the chosen unit's cost centre, or of all. A unit without one has none. */
const dueIn = ({ pagamentos }: PanelBody, bands: Band[], centre: string | null | undefined) =>
  pagamentos === null || centre === null ? NOTHING : sumIn(pagamentos, bands, centre);

const overdueLine = (body: PanelBody, view: View, centre: string | null | undefined): Ranked[] => {
  const { count, value, oldest } = dueIn(body, ["vencida"], centre);
  if (count === 0) return [];
  const since = oldest === undefined ? "" : ` · desde ${date(oldest)}`;
  return [
    {
      level: "bad",
      title: "Pagamentos vencidos",
      detail: `${counted(count, "conta", "contas")}${since}`,
      value: roundMoney(value),
      reais: value,
      to: listSearch(view, { name: "vencidos" }),
    },
  ];
};

interface Unsent {
  title: string;
  /** What waits for more than a day, and the part of it that waits for more than 60 days. */
  old: Amount;
  oldest: Amount;
  name: (count: number) => string;
  to: string;
  /** The list that also has what is older than 60 days. */
  toAll: string;
}
interface Amount {
  count: number;
  reais: number;
}

/** What waits for more than 60 days is named and does not rank, so that an old backlog does not lead for ever. */
const unsentLine = ({ title, old, oldest, name, to, toAll }: Unsent): Ranked[] => {
  if (old.count === 0) return [];
  // Only what waits for long: its list is that of all, and it does not rank.
  if (old.count === oldest.count) {
    const detail = `${name(oldest.count)} há mais de 60 dias`;
    return [{ level: "bad", title, detail, value: roundMoney(oldest.reais), reais: 0, to: toAll }];
  }
  const reais = (centavos(old.reais) - centavos(oldest.reais)) / 100;
  const before = oldest.count === 0 ? "" : ` e ${roundMoney(oldest.reais)} de antes`;
  return [
    {
      level: oldest.count === 0 ? "warn" : "bad",
      title,
      detail: `${name(old.count - oldest.count)} em 60 dias${before}`,
      value: roundMoney(reais),
      reais,
      to,
    },
  ];
};

type VisitSums = PanelBody["pendentes_antigos"]["totais"];
const visitsOf = ({ visitas, valor_total }: VisitSums): Amount => ({ count: visitas, reais: valor_total });
type EntrySums = PanelBody["lancamentos_pendentes_antigos"]["totais"];
const entriesOf = ({ lancamentos, valor_total }: EntrySums): Amount => ({
  count: lancamentos,
  reais: valor_total,
});

const unsentLines = (body: PanelBody, view: View): Ranked[] => [
  ...unsentLine({
    title: "Atendimentos não enviados",
    old: visitsOf(body.pendentes_antigos.totais),
    oldest: visitsOf(body.pendentes_60_dias.totais),
    name: (count) => counted(count, "atendimento", "atendimentos"),
    to: listSearch(view, { name: "pendentes-antigos" }),
    toAll: listSearch(view, { name: "todos-pendentes" }),
  }),
  ...unsentLine({
    title: "Lançamentos não enviados",
    old: entriesOf(body.lancamentos_pendentes_antigos.totais),
    oldest: entriesOf(body.lancamentos_pendentes_60_dias.totais),
    name: (count) => counted(count, "lançamento", "lançamentos"),
    to: placeSearch(view, "financeiro", "envio", { espera: "60-dias" }),
    toAll: placeSearch(view, "financeiro", "envio"),
  }),
];

/** A unit that fell by less than this needs no attention. */
const MIN_FALL = 0.05;

/** Each unit that fell, if it fell enough. A closed unit needs no attention. */
const fallenLines = (body: PanelBody, view: View, unitName: NameOf): Ranked[] => {
  const closed = new Set(body.unidades.filter(({ ativo }) => !ativo).map(({ salon_id }) => salon_id));
  return body.faturamento_por_unidade.data.flatMap(
    ({ estabelecimento_id: id, valor_total: now, anterior }) => {
      const before = anterior?.valor_total ?? 0;
      if (closed.has(id) || before < LEAST_PAST || now > (1 - MIN_FALL) * before) return [];
      const reais = (centavos(before) - centavos(now)) / 100;
      return [
        {
          level: "warn" as const,
          title: `${unitName(id)} caiu ${change(now, before)?.replace("-", "")}`,
          detail: `${money(now)}, antes ${money(before)}`,
          value: `−${roundMoney(reais)}`,
          reais,
          to: placeSearch({ ...view, unit: id }, "unidades"),
        },
      ];
    },
  );
};

/** Of a month: the units that will miss their goals at their pace, or missed them. Unidades has the same sum. */
const goalLine = (body: PanelBody, view: View, unitName: NameOf): Ranked[] => {
  const goals = goalsOf(body, view);
  const { units, value } = missedGoals(goals, view);
  const [first, ...others] = units;
  if (first === undefined) return [];
  const who = others.length === 0 ? unitName(first.id) : counted(units.length, "unidade", "unidades");
  const ofGoal = `${share(first.pace ?? first.done, first.goal)} da meta`;
  const rest = units.length < goals.length ? ", sem contar as outras" : "";
  const detail = isMonthOver(view) ? "o que faltou no mês" : "o que faltará no ritmo de agora";
  return [
    {
      level: "warn",
      title: `${who} abaixo da meta`,
      detail: detail + (others.length === 0 ? ` · ${ofGoal}` : rest),
      value: roundMoney(value),
      reais: value,
      to: placeSearch(others.length === 0 ? { ...view, unit: first.id } : view, "unidades"),
    },
  ];
};

const dueLine = (body: PanelBody, view: View, centre: string | null | undefined): Ranked[] => {
  const { count, value, oldest } = dueIn(body, ["hoje", "7-dias"], centre);
  if (count === 0) return [];
  const first = oldest === undefined ? "" : ` · a partir de ${date(oldest)}`;
  return [
    {
      level: "info",
      title: "Vencem em 7 dias",
      detail: `${counted(count, "conta", "contas")}${first}`,
      value: roundMoney(value),
      reais: value,
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

/**
 * What is overdue, not sent, fallen, behind its goal, due soon, or late, `elapsed` seconds after the answer: the largest
 * first, after a job that may make every figure old.
 */
export const attentionLines = (body: PanelBody, view: View, unitName: NameOf, elapsed: number): Line[] => {
  const centre = costCentreOf(body.unidades, view.unit);
  const ranked = [
    ...overdueLine(body, view, centre),
    ...unsentLines(body, view),
    ...fallenLines(body, view, unitName),
    ...goalLine(body, view, unitName),
    ...dueLine(body, view, centre),
  ].toSorted((a, b) => b.reais - a.reais);
  return [...jobLine(body, view, elapsed), ...ranked].slice(0, MOST_LINES);
};
