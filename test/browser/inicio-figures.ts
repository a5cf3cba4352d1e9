// What Início shows, read from the page, and what plain SQL says it must show.
import type { Locator, Page } from "playwright-core";
import * as figures from "./figures.ts";
import { counted, delta, roundMoney, share } from "./figures.ts";
import {
  type Alert,
  alertsOf,
  type Outlook,
  outlookOf,
  sumOf,
  type Units,
  usualDay,
} from "./outlook-figures.ts";
import { cardOf, count, money, percent, plain, today } from "./panel.ts";
import { type Asked, type Range, type Ranges, rangeOf } from "./views.ts";

/** Of today alone, without days to come: what its weekday brings. */
const usualText = async ({ search, from, to, unit }: Asked) => {
  const end = new URLSearchParams(search).get("ate") ?? to;
  if (from !== today || end !== today) return [];
  const weekday = new Date(from).toLocaleDateString("pt-BR", { weekday: "long", timeZone: "UTC" });
  const usual = await usualDay(unit);
  return usual ? [`Média de ${weekday} nas últimas oito semanas: ${roundMoney(usual)} no dia todo.`] : [];
};

/** The goal of a whole month, and what it leads to. */
const goalText = (outlook: Outlook, total: number) => {
  if (outlook === undefined) return [];
  const { goals, paces, isOver } = outlook;
  const goal = sumOf(goals.map((one) => one.goal));
  const ofGoal = (value: number) => (goal ? `, ${percent(value / goal)} da meta de ${roundMoney(goal)}` : "");
  if (paces) {
    const reached = sumOf(goals.map(({ id }) => paces.get(id) ?? 0));
    return [`Neste ritmo: ${roundMoney(sumOf([...paces.values()]))} no mês${ofGoal(reached)}.`];
  }
  const said = isOver ? "O mês terminou com" : "Até agora:";
  return goal ? [`${said} ${roundMoney(total)}${ofGoal(total)}.`] : [];
};

const kpis = async (ranges: Ranges, isFair: boolean, origins: string[]) => {
  if (origins.length > 0 && !origins.includes("salao")) return [];
  const { visitas, ticket_medio: ticket, anterior } = await figures.revenueOf(ranges);
  const { clientes, clientes_novos: news, anterior: past } = await figures.clients(ranges);
  const { rows, total } = await figures.fees(ranges);
  const split = `${counted(news, "novo", "novos")} · ${counted(clientes - news, "voltou", "voltaram")}`;
  const ofSalons = origins.includes("loja") ? " dos salões" : "";
  const highest =
    rows[0]?.taxas > 0 ? `${plain(rows[0].forma_pagamento ?? "Não informada")}: ${money(rows[0].taxas)}` : "";
  return [
    ["Atendimentos", count(visitas), delta(visitas, anterior?.visitas, count, isFair)],
    [
      `Ticket médio${ofSalons}`,
      ticket === null ? "—" : money(ticket),
      delta(ticket, anterior?.ticket_medio, money, isFair),
    ],
    [
      `Clientes${ofSalons}`,
      count(clientes),
      plain(`${delta(clientes, past?.clientes, count, isFair)} ${split}`),
    ],
    [
      "Taxas de cartão",
      money(total),
      (highest || "nenhuma taxa no período") + (origins.includes("loja") ? " · sem as lojas" : ""),
    ],
  ];
};

const team = async (ranges: Ranges, isFair: boolean, { nameOf }: Units) =>
  (await figures.people(ranges))
    .filter(({ profissional_salon_id: id, servicos }) => id !== null && servicos > 0)
    .slice(0, 3)
    .map(({ units, name, servicos, valor_total, anterior }) => [
      name,
      `${figures.namedUnits(units.map(nameOf))} · ${counted(servicos, "serviço", "serviços")}`,
      money(valor_total),
      delta(valor_total, anterior?.valor_total, undefined, isFair),
    ]);

/** Everything that Início says about a view. `earlier` is what it is compared with. */
export const expectedInicio = async (asked: Asked, earlier: Range | undefined) => {
  const ranges = { now: rangeOf(asked), earlier };
  const units = await figures.units();
  const byUnit = await figures.revenueBy(["unidade"], ranges);
  const byOrigin = await figures.revenueBy(["origem"], ranges);
  const { valor_total: total, anterior } = await figures.revenueOf(ranges);
  const outlook = await outlookOf(asked);
  const isFair = earlier === undefined || !(await figures.beginsLate(earlier));
  const parts = (["salao", "loja"] as const).flatMap(
    (key) => byOrigin.find(({ origem }) => origem === key) ?? [],
  );
  const whole = parts.reduce((sum, part) => sum + Math.max(0, part.valor_total), 0);
  const sold = byUnit.filter((row) => row.valor_total !== 0 || (row.anterior?.valor_total ?? 0) !== 0);
  return {
    revenue: money(total),
    change: earlier ? [delta(total, anterior.valor_total, money, isFair)] : [],
    parts:
      parts.length < 2
        ? []
        : parts.map(
            ({ origem, valor_total: part }) =>
              `${origem === "salao" ? "Salões" : "Lojas"} ${money(part)} ${share(Math.max(0, part), whole)}`,
          ),
    notes: [...(await usualText(asked)), ...goalText(outlook, total)],
    kpis: await kpis(
      ranges,
      isFair,
      byOrigin.map(({ origem }) => origem),
    ),
    alerts: await alertsOf(asked, outlook, byUnit, units),
    units: asked.unit
      ? []
      : sold
          .slice(0, 5)
          .map(({ estabelecimento_id: id, valor_total, anterior: past }) => [
            units.nameOf(id),
            money(valor_total),
            delta(valor_total, past?.valor_total, undefined, isFair),
          ]),
    unitCount: asked.unit || sold.length <= 5 ? [] : [`Ver as ${sold.length} unidades`],
    team: await team(ranges, isFair, units),
  };
};

const textsOf = async (within: Locator, selector: string) =>
  (await within.locator(selector).allTextContents()).map(plain);

/** The texts of some parts of each element. */
const rowsIn = async (within: Locator, selector: string, parts: string[]) => {
  const rows = await within
    .locator(selector)
    .evaluateAll(
      (all, selectors) =>
        all.map((one) => selectors.map((part) => one.querySelector(part)?.textContent ?? "")),
      parts,
    );
  return rows.map((row) => row.map(plain));
};

/** What the page shows, in the form of `expectedInicio`. */
export const shownInicio = async (page: Page): Promise<Awaited<ReturnType<typeof expectedInicio>>> => {
  const revenue = cardOf(page, /^Faturamento · /);
  const units = cardOf(page, "Unidades");
  const attention = cardOf(page, "Precisa de atenção");
  const shown = (await rowsIn(attention, ".alerts li", ["strong", ".more", ".value"])) as Alert[];
  return {
    revenue: (await textsOf(revenue, ".headline .figure"))[0] ?? "",
    change: await textsOf(revenue, ".delta"),
    parts: await textsOf(revenue, ".split-bar + .legend li"),
    notes: (await textsOf(revenue, "p.more")).filter((text) => !text.startsWith("Este período")),
    kpis: await rowsIn(page.locator(".inicio"), ".kpi", ["h3", ".figure", ".more"]),
    alerts: shown,
    units: await rowsIn(units, ".ranking li", [".name", ".value", ".delta"]),
    unitCount: await textsOf(units, ".all"),
    team: await rowsIn(cardOf(page, "Destaques da equipe"), ".people li", [
      ".name",
      ".more",
      ".value",
      ".delta",
    ]),
  };
};
