// The view: a period, a unit and what to compare with. The URL stores it, so that a link can be shared.

const PERIODS = [
  "hoje",
  "ontem",
  "7-dias",
  "semana-passada",
  "30-dias",
  "mes",
  "mes-passado",
  "ano",
  "datas",
] as const;
const COMPARED = ["anterior", "ano", "nada"] as const;

export type Period = (typeof PERIODS)[number];
/** What the period is compared with. */
export type Compared = (typeof COMPARED)[number];
/** First and last day, inclusive, as YYYY-MM-DD in Brasília. */
export type Days = { from: string; to: string };
/** The day and the hour in Brasília. */
export type Clock = { today: string; hour: number };
export type View = Days & {
  period: Period;
  /** "" means all units. */
  unit: string;
  compared: Compared;
  clock: Clock;
  /** The URL has an invalid period: this month is shown instead. */
  isFallback: boolean;
  /** The user may not read the unit in the URL. */
  isOutside?: boolean;
};

/** Within these bounds the service accepts any period and its previous period. */
const [MIN_DAY, MAX_DAY] = ["2000-01-01", "2089-12-31"];
const DAY_MS = 86_400_000;

const BRASILIA = new Intl.DateTimeFormat("en", {
  timeZone: "America/Sao_Paulo",
  calendar: "gregory",
  numberingSystem: "latn",
  year: "numeric",
  month: "numeric",
  day: "numeric",
  hour: "numeric",
  hourCycle: "h23",
});

/** The day and the hour in Brasília at an instant, from parts: each browser has its own order and separators. */
export const clockAt = (instant: number | Date): Clock => {
  const parts = BRASILIA.formatToParts(instant);
  const part = (name: string) => parts.find(({ type }) => type === name)?.value ?? "";
  const [month, day] = [part("month"), part("day")].map((digits) => digits.padStart(2, "0"));
  return { today: `${part("year")}-${month}-${day}`, hour: Number(part("hour")) };
};

/** The date in Brasília at an instant. */
export const dayOf = (instant: number | Date): string => clockAt(instant).today;

export const addDays = (day: string, count: number): string =>
  new Date(Date.parse(`${day}T12:00:00Z`) + count * DAY_MS).toISOString().slice(0, 10);

/** 1 is Monday, 7 is Sunday, as in the service. */
export const weekday = (day: string): number => new Date(`${day}T12:00:00Z`).getUTCDay() || 7;

/** The last day of a day's month. */
export const lastOfMonth = (day: string): string =>
  addDays(`${addDays(`${day.slice(0, 8)}28`, 4).slice(0, 8)}01`, -1);

export const dayCount = ({ from, to }: Days): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Whether a text is a valid date within the bounds. */
export const isDay = (text: string | null): text is string =>
  text !== null &&
  /^\d{4}-\d{2}-\d{2}$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  addDays(text, 0) === text &&
  text >= MIN_DAY &&
  text <= MAX_DAY;

const daysOf = (period: Exclude<Period, "datas">, today: string): Days => {
  const month = today.slice(0, 8);
  const lastMonth = addDays(`${month}01`, -1);
  const yesterday = addDays(today, -1);
  const lastSunday = addDays(today, -weekday(today));
  return {
    hoje: { from: today, to: today },
    ontem: { from: yesterday, to: yesterday },
    "7-dias": { from: addDays(today, -6), to: today },
    "semana-passada": { from: addDays(lastSunday, -6), to: lastSunday },
    "30-dias": { from: addDays(today, -29), to: today },
    mes: { from: `${month}01`, to: today },
    "mes-passado": { from: `${lastMonth.slice(0, 8)}01`, to: lastMonth },
    ano: { from: `${today.slice(0, 4)}-01-01`, to: today },
  }[period];
};

/** Parses the view in a query string. Example: `?periodo=hoje&unidade=7`. Without a valid period it is this month. */
export const readView = (search: string, clock: Clock): View => {
  const params = new URLSearchParams(search);
  const compared = COMPARED.find((known) => known === params.get("comparar")) ?? "anterior";
  const unit = params.get("unidade") ?? "";
  const chosen = { unit, compared, clock, isFallback: false };
  const [from, to] = [params.get("de"), params.get("ate")];
  const name = params.get("periodo") ?? (from === null && to === null ? "mes" : "datas");
  const period = PERIODS.find((known) => known === name);
  if (period && period !== "datas") return { ...chosen, period, ...daysOf(period, clock.today) };
  return period && isDay(from) && isDay(to) && from <= to
    ? { ...chosen, period, from, to }
    : { ...chosen, period: "mes", ...daysOf("mes", clock.today), isFallback: true };
};

/** The parameters of a view in the URL, without defaults. */
export const paramsOf = ({ period, unit, compared, from, to }: View): URLSearchParams => {
  const params = new URLSearchParams();
  if (period !== "mes") params.set("periodo", period);
  if (period === "datas") {
    params.set("de", from);
    params.set("ate", to);
  }
  if (unit) params.set("unidade", unit);
  if (compared !== "anterior") params.set("comparar", compared);
  return params;
};

const toSearch = (params: URLSearchParams) => (params.size > 0 ? `?${params}` : "");

/** The query string of a view. */
export const searchOf = (view: View): string => toSearch(paramsOf(view));

/** Whether the period begins after today. */
export const isFuture = ({ from, clock }: View): boolean => from > clock.today;

/** The days of the period, also those to come: of this month and this year all. */
export const wholeDays = ({ period, from, to }: View): Days => {
  if (period === "mes") return { from, to: lastOfMonth(from) };
  return { from, to: period === "ano" ? `${from.slice(0, 4)}-12-31` : to };
};

/** The days of the period until today. If the period begins later, all its days. */
export const elapsedDays = (view: View): Days => {
  const { from, to, clock } = view;
  return { from, to: isFuture(view) || to < clock.today ? to : clock.today };
};
