// What Início shows, read from the page, and what plain SQL says it must show.
import type { Locator, Page } from "playwright-core";
import * as figures from "./figures.ts";
import { counted, dateOf, delta, roundMoney, share } from "./figures.ts";
import { cardOf, count, money, percent, plain, shifted, today } from "./panel.ts";
import { type Asked, daysBetween, lastOfMonth, type Range, type Ranges, rangeOf } from "./views.ts";
import { all } from "./warehouse.ts";

/** Early enough for every due date of the warehouse. */
const FIRST_DAY = "1900-01-01";

type Alert = [title: string, detail: string, value: string];

const payments = async (unit: string, title: string): Promise<Alert[]> => {
  const isLate = title === "Pagamentos vencidos";
  const days = isLate ? [FIRST_DAY, shifted(today, -1)] : [today, shifted(today, 6)];
  const sums = await figures.due(unit, days[0] ?? "", days[1] ?? "");
  if (sums.count === 0) return [];
  const since = `${isLate ? "desde" : "a partir de"} ${dateOf(sums.oldest ?? "")}`;
  return [[title, `${counted(sums.count, "conta", "contas")} · ${since}`, roundMoney(sums.value)]];
};

type Units = Awaited<ReturnType<typeof figures.units>>;

const JOBS: Record<string, string> = {
  "sync-transacoes": "Importação dos atendimentos",
  "send-receber": "Envio dos recebimentos ao ERP",
  "send-pagar": "Envio dos pagamentos ao sistema do salão",
};

/** The titles of the alerts that are compared. test/public/attention.test.ts has the others. */
const ALERTS = ["Pagamentos vencidos", "Vencem em 7 dias", ...Object.values(JOBS)];

/** The jobs that failed last, and those without a success for two hours. */
const lateJobs = async (): Promise<Alert[]> => {
  const rows = await all(
    `select job_name as job, coalesce(failure > success, true) as failed
     from (select job_name, max(created_at) filter (where status = 'completed') as success,
         max(created_at) filter (where status = 'failed') as failure
       from jobs_log group by 1) as jobs
     where coalesce(failure > success, true) or success < now() - interval '2 hours'
     order by failed desc, array_position(array['sync-transacoes', 'send-receber', 'send-pagar'], job_name)`,
  );
  if (rows.length === 0) return [];
  const others = rows.length - 1;
  const detail =
    others > 0 ? `e mais ${counted(others, "rotina", "rotinas")}` : "os dados podem estar desatualizados";
  return [[JOBS[rows[0].job] ?? "", detail, rows[0].failed ? "Falhou na última execução" : "Atrasada"]];
};

/** The month that a view is of as a whole. */
const monthOf = ({ search, from, to }: Asked) => {
  const until = new URLSearchParams(search).get("ate") ?? to;
  const last = lastOfMonth(from);
  // In January, this year is not the month.
  if (search.includes("periodo=ano")) return undefined;
  if (!from.endsWith("-01") || !(until === last || (until === today && today <= last))) return undefined;
  return { last, isOver: today > last };
};

/** The goal of a whole month, and what its complete days so far lead to. */
const goalText = async (asked: Asked, total: number) => {
  const { unit, from } = asked;
  const month = monthOf(asked);
  if (month === undefined) return [];
  const { last } = month;
  const [{ goal }] = await all(
    `select sum(valor)::float as goal from metas where mes = $1 and ($2 = '' or estabelecimento_id = $2)`,
    [from, unit],
  );
  const ofGoal = (value: number) => (goal ? `, ${percent(value / goal)} da meta de ${roundMoney(goal)}` : "");
  const complete = daysBetween(from, today) - 1;
  if (today <= last && complete >= 3) {
    const { valor_total } = await figures.revenueOf({ now: rangeOf({ from, to: shifted(today, -1), unit }) });
    const pace = (valor_total * daysBetween(from, last)) / complete;
    return [`Neste ritmo: ${roundMoney(pace)} no mês${ofGoal(pace)}.`];
  }
  const said = today > last ? "O mês fechou em" : "Até agora:";
  return goal ? [`${said} ${roundMoney(total)}${ofGoal(total)}.`] : [];
};

const kpis = async (ranges: Ranges, isFair: boolean, origins: string[]) => {
  if (origins.length > 0 && !origins.includes("salao")) return [];
  const { visitas, ticket_medio: ticket, anterior } = await figures.revenueOf(ranges);
  const { clientes, clientes_novos: news, anterior: past } = await figures.clients(ranges);
  const { rows, total } = await figures.fees(ranges);
  const split = `${counted(news, "novo", "novos")} · ${counted(clientes - news, "voltou", "voltaram")}`;
  const highest =
    rows[0]?.taxas > 0 ? `${plain(rows[0].forma_pagamento ?? "Não informada")}: ${money(rows[0].taxas)}` : "";
  return [
    ["Atendimentos", count(visitas), delta(visitas, anterior?.visitas, count, isFair)],
    [
      "Ticket médio",
      ticket === null ? "—" : money(ticket),
      delta(ticket, anterior?.ticket_medio, money, isFair),
    ],
    ["Clientes", count(clientes), plain(`${delta(clientes, past?.clientes, count, isFair)} ${split}`)],
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
    goal: await goalText(asked, total),
    kpis: await kpis(
      ranges,
      isFair,
      byOrigin.map(({ origem }) => origem),
    ),
    alerts: [
      ...(await payments(asked.unit, "Pagamentos vencidos")),
      ...(await payments(asked.unit, "Vencem em 7 dias")),
      ...(await lateJobs()),
    ],
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
  const alerts = (await rowsIn(attention, ".alerts li", ["strong", ".more", ".value"])) as Alert[];
  return {
    revenue: (await textsOf(revenue, ".headline .figure"))[0] ?? "",
    change: await textsOf(revenue, ".delta"),
    parts: await textsOf(revenue, ".legend li"),
    goal: (await textsOf(revenue, "p.more")).filter((text) => !text.startsWith("Este período")),
    kpis: await rowsIn(page.locator(".inicio"), ".kpi", ["h3", ".figure", ".more"]),
    alerts: alerts.filter(([title]) => ALERTS.includes(title)),
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
