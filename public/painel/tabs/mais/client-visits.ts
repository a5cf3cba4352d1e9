// A client's page: their visits of twelve months, and what is counted from them.
import type { Product } from "../../components/product-name.tsx";
import { serviceName } from "../../messages.ts";
import { rangeOfDays } from "../../ranges.ts";
import { type Report, rowsPath } from "../../reports.ts";
import type { View } from "../../view.ts";
import type { OfClient } from "./client-name.ts";
import { twelveMonths } from "./client-reports.ts";

export type ClientMonths = Report<{ mes: string }, { visitas: number; valor_total: number }>;
export type ClientEver = Report<
  OfClient,
  { visitas: number; primeira_visita: string | null; ultima_visita: string | null }
>;
/** An object in `servicos` of a visit. The salon system sends ids as numbers or as text. */
type Service = {
  nome?: unknown;
  profissional_nome?: unknown;
  idProfissionalQueRealizouServico?: unknown;
} | null;
/** `total` is a decimal as text. */
export type ClientVisit = {
  estabelecimento_id: string;
  data_hora: string | null;
  total: string | null;
  servicos: readonly Service[] | null;
};
export type ClientVisits = { data: ClientVisit[]; pagination: { total: number } };

const ofTwelveMonths = (view: View, id: string) => ({
  ...rangeOfDays(twelveMonths(view), view.unit),
  cliente_salon_id: id,
});

export const clientMonthsPath = (view: View, id: string): string =>
  rowsPath("visitas", { ...ofTwelveMonths(view, id), por: "mes", medidas: "visitas,valor_total" });

/** Of all time. */
export const clientEverPath = (view: View, id: string): string =>
  rowsPath("visitas", {
    ...(view.unit && { estabelecimento_id: view.unit }),
    cliente_salon_id: id,
    por: "cliente",
    medidas: "visitas,primeira_visita,ultima_visita",
  });

export type Bought = Report<
  Product & { origem: "salao" | "loja" },
  { quantidade: number; valor_total: number }
>;

/** What the client bought, in salons and stores. */
export const boughtPath = (view: View, id: string): string =>
  rowsPath("vendas", {
    ...rangeOfDays(twelveMonths(view), view.unit),
    cliente_id: id,
    por: "produto,origem",
    medidas: "quantidade,valor_total",
    ordem: "-valor_total",
  });

/** The longest page that the service sends. */
const MAX_VISITS = 200;

/** The newest first. */
export const clientVisitsPath = (view: View, id: string): string =>
  `/v1/transacoes?${new URLSearchParams({
    ...ofTwelveMonths(view, id),
    campos: "estabelecimento_id,data_hora,total,servicos",
    per_page: String(MAX_VISITS),
  })}`;

const textOf = (value: unknown): string => (typeof value === "string" ? value.trim() : "");
const isId = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

const servicesIn = (visit: ClientVisit) =>
  (visit.servicos ?? []).filter((service) => typeof service === "object" && service !== null);

/** Escova, Luzes. */
export const serviceNames = (visit: ClientVisit): string =>
  servicesIn(visit)
    .map(({ nome }) => serviceName(textOf(nome)))
    .join(", ");

export type Times = { name: string; times: number };

const mostFirst = <Row extends Times>(rows: Iterable<Row>): Row[] =>
  [...rows].sort((a, b) => b.times - a.times || a.name.localeCompare(b.name, "pt-BR"));

/** How often each service was done. */
export const servicesOf = (visits: readonly ClientVisit[]): Times[] => {
  const times = new Map<string, number>();
  for (const { nome } of visits.flatMap(servicesIn)) {
    const name = serviceName(textOf(nome));
    times.set(name, (times.get(name) ?? 0) + 1);
  }
  return mostFirst([...times].map(([name, count]) => ({ name, times: count })));
};

export type ByPerson = Times & { id: string | null };

/** How many of the services each professional did. */
export const peopleOf = (
  visits: readonly ClientVisit[],
  nameOf: (id: string | null) => string,
): ByPerson[] => {
  const people = new Map<string | null, ByPerson>();
  for (const { idProfissionalQueRealizouServico: given, profissional_nome } of visits.flatMap(servicesIn)) {
    const id = isId(given) ? String(given) : null;
    const { name, times } = people.get(id) ?? { name: textOf(profissional_nome) || nameOf(id), times: 0 };
    people.set(id, { id, name, times: times + 1 });
  }
  return mostFirst(people.values());
};
