// The views of the panel, and the ranges that they are compared with, as the rules have them.
import { DAYS, shifted, today } from "./panel.ts";

type Kind = "anterior" | "semana-anterior" | "mes-anterior" | "ano-anterior";

/** A view: its query string, the days that it is of until today, and what it is compared with. */
export interface Asked {
  search: string;
  unit: string;
  from: string;
  to: string;
  kind: Kind | undefined;
}

/** Both ends count, as instants. `unit` is "" for all units. */
export interface Range {
  from: string;
  to: string;
  unit: string;
}

/** A view: its range, and the one that it is compared with. */
export interface Ranges {
  now: Range;
  earlier?: Range | undefined;
}

const startOf = (day: string) => `${day}T00:00:00-03:00`;
export const endOf = (day: string) => `${day}T23:59:59.999999-03:00`;
export const lastOfMonth = (day: string) =>
  shifted(`${shifted(`${day.slice(0, 8)}28`, 4).slice(0, 8)}01`, -1);
export const daysBetween = (from: string, to: string) =>
  Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1;

export const rangeOf = ({ from, to, unit }: Range): Range => ({
  from: startOf(from),
  to: endOf(to),
  unit,
});

/** A day some months earlier: the last one of a month that is too short. */
export const monthsBefore = (day: string, months: number) => {
  const first = new Date(`${day.slice(0, 8)}01T12:00:00Z`);
  first.setUTCMonth(first.getUTCMonth() - months);
  const moved = `${first.toISOString().slice(0, 8)}${day.slice(8)}`;
  const last = lastOfMonth(moved);
  return moved < last ? moved : last;
};

const KINDS: Record<string, Kind> = {
  hoje: "semana-anterior",
  ontem: "semana-anterior",
  "7-dias": "anterior",
  "semana-passada": "anterior",
  "30-dias": "anterior",
  mes: "mes-anterior",
  "mes-passado": "mes-anterior",
  ano: "ano-anterior",
};

/** What a manager compares some days with. */
const kindOfDays = (from: string, to: string): Kind => {
  if (from === to) return "semana-anterior";
  if (from.endsWith("-01-01") && to === `${from.slice(0, 4)}-12-31`) return "ano-anterior";
  return from.endsWith("-01") && to === lastOfMonth(from) ? "mes-anterior" : "anterior";
};

/** A view of a period's name, or of a first and a last day. */
export const askedOf = (period: string | [from: string, to: string], unit = "", compared = ""): Asked => {
  const isNamed = typeof period === "string";
  const [from, to] = isNamed ? (DAYS[period] ?? ["", ""]) : period;
  const params = new URLSearchParams(isNamed ? { periodo: period } : { periodo: "datas", de: from, ate: to });
  if (unit) params.set("unidade", unit);
  if (compared) params.set("comparar", compared);
  const usual = isNamed ? KINDS[period] : kindOfDays(from, to);
  const isFuture = from > today;
  const kind = compared === "nada" || isFuture ? undefined : compared === "ano" ? "ano-anterior" : usual;
  return { search: `?${params}`, unit, from, to: to > today && !isFuture ? today : to, kind };
};

/** The earlier range of a view, with data until an instant (R10, R23). Empty if the data has not reached the view. */
export const earlierOf = ({ from, to, unit, kind }: Asked, until: Date): Range => {
  const moved = (day: string) => {
    if (kind === "anterior") return shifted(day, -daysBetween(from, to));
    return kind === "semana-anterior"
      ? shifted(day, -7)
      : monthsBefore(day, kind === "mes-anterior" ? 1 : 12);
  };
  const [day = "", time = ""] = brasilia(until.toISOString()).split(" ");
  const isOfMonths = from.endsWith("-01") && to === lastOfMonth(to) && kind?.match(/mes|ano/);
  const end =
    to >= day ? `${moved(day)}T${time}-03:00` : endOf(isOfMonths ? lastOfMonth(moved(to)) : moved(to));
  const start = startOf(moved(from));
  return { from: start, to: Date.parse(end) > Date.parse(start) ? end : start, unit };
};

export const brasilia = (at: string) =>
  new Date(at).toLocaleString("sv-SE", { timeZone: "America/Sao_Paulo" });
