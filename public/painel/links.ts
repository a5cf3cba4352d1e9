// Links from a figure to the list of its records. The list is a part of the URL, next to the view.
import { type Place, placeSearch, readTab, type Tab } from "./place.ts";
import { isDay, type View } from "./view.ts";

/** The lists by their names in the URL, with their titles. */
export const LIST_TITLES = {
  atendimentos: "Atendimentos",
  pendentes: "Atendimentos não enviados ao ERP",
  "pendentes-antigos": "Atendimentos não enviados ao ERP",
  "todos-pendentes": "Atendimentos não enviados ao ERP",
  vendas: "Vendas de produtos",
  vencidos: "Pagamentos vencidos",
  "vencem-em-7-dias": "Pagamentos que vencem em 7 dias",
  "vencem-em-30-dias": "Pagamentos que vencem em 30 dias",
  vencimento: "Pagamentos pendentes",
  contas: "Contas, pagas ou não",
  "contas-sem-unidade": "Contas de nenhuma unidade",
};
export type ListName = keyof typeof LIST_TITLES;

/** Whether a list has the bills of what is left (R27). */
export const isOfResult = ({ name }: Pick<List, "name">): boolean =>
  name === "contas" || name === "contas-sem-unidade";

const isListName = (text: string | null): text is ListName =>
  text !== null && Object.hasOwn(LIST_TITLES, text);

export type List = {
  name: ListName;
  page: number;
  unit: string;
  /** First day; without it, the list is of the view's period. Due dates without it have no first day. */
  from?: string;
  to?: string;
  hour?: number;
  product?: string;
};

/** Lists of fixed days, which follow no period. */
const OF_FIXED_DAYS: readonly ListName[] = [
  "todos-pendentes",
  "pendentes-antigos",
  "vencidos",
  "vencem-em-7-dias",
  "vencem-em-30-dias",
];
/** The same of parts. */
const PARTS_OF_FIXED_DAYS: Partial<Record<Tab, readonly string[]>> = {
  financeiro: ["contas", "envio"],
  mais: ["", "assiduos", "retorno", "cliente", "fechamentos", "rotinas"],
};

/** Whether what is shown changes with the period. */
export const followsPeriod = ({ tab, part }: Place, list: List | undefined): boolean =>
  list
    ? !OF_FIXED_DAYS.includes(list.name) && !list.from && !list.to
    : !PARTS_OF_FIXED_DAYS[tab]?.includes(part);

/** The service filters by ids of at most this many characters. */
export const MAX_ID_LENGTH = 64;

const hasPage = (id: string | null): id is string => id !== null && id !== "" && id.length <= MAX_ID_LENGTH;

/** The page of a professional; undefined without an id. */
export const personSearch = (view: View, id: string | null): string | undefined =>
  hasPage(id) ? placeSearch(view, "equipe", "pessoa", { pessoa: id }) : undefined;

/** The page of a client; undefined without an id. */
export const clientSearch = (view: View, id: string | null): string | undefined =>
  hasPage(id) ? placeSearch(view, "mais", "cliente", { cliente: id }) : undefined;

type Target = Omit<List, "page" | "unit"> & { page?: number; unit?: string };

/** The query string of a list. It belongs to the tab from which it is opened. */
export const listSearch = (view: View, { name, page = 1, unit, from, to, hour, product }: Target): string => {
  const { tab, part } = readTab(location.search);
  return placeSearch(view, tab, part, {
    lista: name,
    ...(unit && unit !== view.unit && { "lista-unidade": unit }),
    ...(from && { "lista-de": from }),
    ...(to && { "lista-ate": to }),
    ...(hour !== undefined && { hora: String(hour) }),
    ...(product && { produto: product }),
    ...(page > 1 && { pagina: String(page) }),
  });
};

/**
 * The list in the URL; undefined if the URL shows a tab. `allowed` are the units that the user may read; null means
 * all.
 */
export const readList = (search: string, view: View, allowed: string[] | null): List | undefined => {
  const params = new URLSearchParams(search);
  const name = params.get("lista");
  if (!isListName(name)) return undefined;
  const given = (key: string, pattern: RegExp) => {
    const value = params.get(key);
    return value !== null && pattern.test(value) ? value : undefined;
  };
  const day = (key: string) => {
    const value = params.get(key);
    return isDay(value) ? value : undefined;
  };
  const [from, to, hour] = [day("lista-de"), day("lista-ate"), given("hora", /^(?:1?\d|2[0-3])$/)];
  const [product, unit] = [given("produto", /./), given("lista-unidade", /./)];
  return {
    name,
    page: Number(given("pagina", /^[1-9]\d{0,5}$/) ?? 1),
    unit: unit !== undefined && (allowed === null || allowed.includes(unit)) ? unit : view.unit,
    ...(from && { from }),
    ...(to && { to }),
    ...(hour && { hour: Number(hour) }),
    ...(product && { product }),
  };
};
