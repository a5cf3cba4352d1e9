// Where the user is: the tab, its part, and the view. The URL stores all three, so that a link can be shared.
import { type Clock, paramsOf, readView, type View } from "./view.ts";

export type Tab = "inicio" | "unidades" | "equipe" | "financeiro" | "mais";

export interface Place {
  tab: Tab;
  /** The part of a tab that has several, or "". */
  part: string;
  view: View;
}

export const TABS: readonly { tab: Tab; label: string }[] = [
  { tab: "inicio", label: "Início" },
  { tab: "unidades", label: "Unidades" },
  { tab: "equipe", label: "Equipe" },
  { tab: "financeiro", label: "Financeiro" },
  { tab: "mais", label: "Mais" },
];

/** The parts of "Mais" that a manager opens most. A desktop has them at its side. */
export const OFTEN_OPENED: readonly { part: string; label: string }[] = [
  { part: "clientes", label: "Clientes" },
  { part: "servicos", label: "Serviços" },
  { part: "produtos", label: "Produtos" },
  { part: "horarios", label: "Horários" },
];

/**
 * The view in the URL. A unit that the user may not read is replaced by the user's only unit, or by all of theirs.
 * `allowed` are the units that the user may read; null means all.
 */
const viewOf = (search: string, clock: Clock, allowed: string[] | null): View => {
  const view = readView(search, clock);
  if (allowed === null || allowed.includes(view.unit)) return view;
  const [only = "", ...others] = allowed;
  return { ...view, unit: others.length === 0 ? only : "", isOutside: view.unit !== "" };
};

export const readTab = (search: string): Pick<Place, "tab" | "part"> => {
  const params = new URLSearchParams(search);
  const tab = TABS.find((known) => known.tab === params.get("aba"))?.tab ?? "inicio";
  return { tab, part: params.get("parte") ?? "" };
};

export const readPlace = (search: string, clock: Clock, allowed: string[] | null): Place => ({
  ...readTab(search),
  view: viewOf(search, clock, allowed),
});

/** The query string of a place, and of what it shows beyond its view. */
export const placeSearch = (
  view: View,
  tab: Tab = "inicio",
  part = "",
  more: Record<string, string> = {},
) => {
  const params = new URLSearchParams();
  if (tab !== "inicio") params.set("aba", tab);
  if (part) params.set("parte", part);
  for (const [name, value] of [...paramsOf(view), ...Object.entries(more)]) params.set(name, value);
  return params.size > 0 ? `?${params}` : "";
};

const OF_PERIOD = ["periodo", "de", "ate"];
/** The days of a list. They belong to the period that the user left. */
const DAYS_OF_A_LIST = ["lista-de", "lista-ate", "hora"];

/** The same place with another view. A list starts at its first page. */
export const withView = (search: string, view: View): string => {
  const params = new URLSearchParams(search);
  const [shown, next] = [paramsOf(readView(search, view.clock)), paramsOf(view)];
  const isOtherPeriod = OF_PERIOD.some((name) => shown.get(name) !== next.get(name));
  const left = ["unidade", "comparar", "lista-unidade", "pagina", ...(isOtherPeriod ? DAYS_OF_A_LIST : [])];
  for (const name of [...OF_PERIOD, ...left]) params.delete(name);
  for (const [name, value] of next) params.set(name, value);
  return params.size > 0 ? `?${params}` : "";
};
