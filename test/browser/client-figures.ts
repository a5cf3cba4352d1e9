// The tables and figures about clients by plain SQL, as the texts of the panel.
import { dateOf, rowsOfReport, share, units } from "./figures.ts";
import { count, money, plain, shifted, today } from "./panel.ts";
import { brasilia, daysBetween, endOf, lastOfMonth, monthsBefore, type Range, type Ranges } from "./views.ts";
import type { Row } from "./warehouse.ts";

type Table = string[][];

const clientName = ({ cliente_nome, cliente_salon_id: id }: Row) =>
  plain(cliente_nome ?? "") || `Cliente sem nome (cód. ${id})`;
const dayOf = (at: string) => brasilia(at).slice(0, 10);

/** The new ones. */
export const clientes = async ({ now }: Ranges): Promise<Table> => {
  const medidas = ["visitas", "valor_total", "clientes_novos", "primeira_visita"];
  const rows = await rowsOfReport("visitas", ["cliente"], { now }, { medidas });
  return rows
    .filter(({ clientes_novos }) => clientes_novos > 0)
    .map((row) => [
      clientName(row),
      count(row.visitas),
      money(row.valor_total),
      dateOf(dayOf(row.primeira_visita)),
    ]);
};

const startOf = (day: string) => `${day}T00:00:00-03:00`;
const MONTH = `${today.slice(0, 8)}01`;

/** This month and the eleven before it, until today. */
const year = (unit: string): Range => ({ from: startOf(monthsBefore(MONTH, 11)), to: endOf(today), unit });

const LOST = { meses_min: "5", sem_visita_desde: startOf(shifted(today, -59)) };

/** Regulars without a visit in 60 days. None by unit for a unit. */
export const lostByUnit = async ({ now: { unit } }: Ranges): Promise<Table> => {
  const ask = (filters: Record<string, string>, medidas: string[]) =>
    rowsOfReport("clientes", ["unidade"], { now: year(unit) }, { medidas, filters });
  const { nameOf } = await units();
  const lost = await ask(LOST, ["clientes", "valor_total"]);
  const all = await ask({ meses_min: "5" }, ["clientes"]);
  if (unit) return [];
  return all
    .map((row) => ({
      ...row,
      ...(lost.find(({ estabelecimento_id: id }) => id === row.estabelecimento_id) ?? {
        clientes: 0,
        valor_total: 0,
      }),
      regulars: row.clientes,
    }))
    .sort((a, b) => b.clientes - a.clientes || b.valor_total - a.valor_total)
    .map((row: Row) => [
      nameOf(row.estabelecimento_id),
      count(row.clientes),
      count(row.regulars),
      money(row.valor_total),
    ]);
};

export const lostClients = async ({ now: { unit } }: Ranges): Promise<Table> => {
  const { nameOf } = await units();
  const rows = await rowsOfReport(
    "clientes",
    ["unidade", "cliente"],
    { now: year(unit) },
    { medidas: ["visitas", "valor_total", "ultima_visita"], ordem: "-valor_total", filters: LOST },
  );
  return rows.map((row) => {
    const last = dayOf(row.ultima_visita);
    return [
      clientName(row),
      money(row.valor_total),
      String(daysBetween(last, today) - 1),
      count(row.visitas),
      nameOf(row.estabelecimento_id),
      dateOf(last),
    ];
  });
};

/** Of the new clients of five months, the share that came in each later month. */
export const cohorts = async ({ now: { unit } }: Ranges): Promise<Table> => {
  const months = [4, 3, 2, 1, 0].map((age) => monthsBefore(MONTH, age));
  const byMonth = await Promise.all(
    months.map(async (month) => {
      const now = { from: startOf(month), to: endOf([lastOfMonth(month), today].sort()[0] ?? today), unit };
      const rows = await rowsOfReport("clientes", ["coorte"], { now }, { medidas: ["clientes"] });
      return (cohort: string): number => rows.find(({ coorte }) => coorte === cohort)?.clientes ?? 0;
    }),
  );
  const name = (month: string) =>
    new Date(month).toLocaleDateString("pt-BR", { month: "short", timeZone: "UTC" }).replace(".", "");
  return months.map((month, first) => {
    const [newClients = 0, ...returned] = byMonth.slice(first).map((countOf) => countOf(month));
    const cells = returned.map((clients, index) => {
      const text = newClients === 0 ? "—" : String(Math.round((100 * clients) / newClients));
      return text + (index === returned.length - 1 ? " até agora" : "");
    });
    return [name(month), count(newClients), ...cells, ...Array.from({ length: first }, () => "")];
  });
};

/** New clients of the months whose visits are decided, the newest first: the name, the share and the counts. */
export const newReturns = async (unit: string, days: string): Promise<Table> => {
  const rows = await rowsOfReport(
    "visitas",
    ["mes"],
    { now: { ...year(unit), from: startOf(monthsBefore(MONTH, 5)) } },
    { medidas: ["visitas", "decididas", "voltaram"], filters: { novos: "true", retorno_dias: days } },
  );
  return rows
    .filter(({ decididas }) => decididas > 0)
    .toReversed()
    .slice(0, 3)
    .map(({ mes, visitas, decididas, voltaram }) => [
      new Date(mes).toLocaleDateString("pt-BR", { month: "long", timeZone: "UTC" }),
      share(voltaram, decididas),
      `${count(voltaram)} de ${count(decididas)}`,
      decididas < visitas ? count(visitas - decididas) : "",
    ]);
};

/** Each month: how many clients came, and how many of them were new. */
export const monthCounts = (unit: string): Promise<Row[]> =>
  rowsOfReport("visitas", ["mes"], { now: year(unit) }, { medidas: ["clientes", "clientes_novos"] });
