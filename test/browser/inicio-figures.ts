// What Início shows, read from the page, and what plain SQL says it must show.
import type { Locator, Page } from "playwright-core";
import { counted, dateOf, delta, type Figures, roundMoney, share } from "./figures.ts";
import { cardOf, count, money, percent, plain, shifted, today } from "./panel.ts";
import { namedUnits } from "./tab-figures.ts";
import { type Asked, daysBetween, lastOfMonth, type Range, rangeOf } from "./views.ts";

/** Early enough for every due date of the warehouse. */
const FIRST_DAY = "1900-01-01";
/** A unit that fell by less needs no attention. */
const MIN_FALL = 0.05;

type Alert = [title: string, detail: string, value: string];

const payments = async ({ due }: Figures, unit: string, title: string): Promise<Alert[]> => {
  const isLate = title === "Pagamentos vencidos";
  const days = isLate ? [FIRST_DAY, shifted(today, -1)] : [today, shifted(today, 6)];
  const sums = await due(unit, days[0] ?? "", days[1] ?? "");
  if (sums.count === 0) return [];
  const since = `${isLate ? "desde" : "a partir de"} ${dateOf(sums.oldest ?? "")}`;
  return [[title, `${counted(sums.count, "conta", "contas")} · ${since}`, roundMoney(sums.value)]];
};

const partOf = (part: number, all: number, one: string, many: string) =>
  `${part === all ? "" : `${count(part)} de `}${counted(all, one, many)}`;

const unsent = async (figures: Figures, unit: string): Promise<Alert[]> => {
  const { all, count: visits, value, oldest } = await figures.unsent(unit);
  const part = partOf(visits, all, "atendimento", "atendimentos");
  return visits === 0
    ? []
    : [
        [
          "Não enviados ao ERP",
          `${part} há mais de um dia · desde ${dateOf(oldest ?? "")}`,
          roundMoney(value),
        ],
      ];
};

const unsentEntries = async (figures: Figures, unit: string): Promise<Alert[]> => {
  const { all, count: entries, value, until } = await figures.unsentEntries(unit);
  if (entries === 0) return [];
  const [, month, day] = until.split("-");
  const last = until === shifted(today, -1) ? "ontem" : `${day}/${month}`;
  const detail = `${partOf(entries, all, "lançamento", "lançamentos")} com vencimento até ${last}`;
  return [["Não enviados ao salão", detail, roundMoney(value)]];
};

type Rows = Awaited<ReturnType<Figures["revenueOfBoth"]>>;
type Units = Awaited<ReturnType<Figures["units"]>>;

const LEAST_PAST = 300;
const less = (reais: number) => `−${roundMoney(reais)}`;

/** The open unit that fell by most reais, if it fell enough and had enough before. */
const fallen = (rows: Rows, { isOpen, nameOf }: Units): Alert[] => {
  const [worst] = rows
    .map(({ key, total, before }) => ({ key, total, past: before?.total ?? 0 }))
    .filter(({ key, total, past }) => isOpen(key) && past >= LEAST_PAST && total <= (1 - MIN_FALL) * past)
    .sort((a, b) => b.past - b.total - (a.past - a.total));
  if (worst === undefined) return [];
  const { key, total, past } = worst;
  const fall = percent((past - total) / past);
  return [[`${nameOf(key)} caiu ${fall}`, `${money(total)}, antes ${money(past)}`, less(past - total)]];
};

/** The open unit that lacks most reais to its goal of a month, at its pace or at the end. */
const behind = async (figures: Figures, asked: Asked, { isOpen, nameOf }: Units): Promise<Alert[]> => {
  const { unit, from } = asked;
  const month = monthOf(asked);
  if (month === undefined) return [];
  const goals = await figures.all(
    `select estabelecimento_id as key, valor::float as goal from metas
     where mes = $1 and ($2 = '' or estabelecimento_id = $2) and valor > 0`,
    [from, unit],
  );
  const until = month.isOver ? month.last : shifted(today, -1);
  const days = daysBetween(from, until);
  if (!month.isOver && days < 3) return [];
  const rows = await figures.revenueBy(rangeOf({ from, to: until, unit }), "estabelecimento_id");
  const [worst] = goals
    .map(({ key, goal }) => {
      const sum = rows.find((row) => row.key === key)?.total ?? 0;
      const value = month.isOver ? sum : Math.round((100 * sum * daysBetween(from, month.last)) / days) / 100;
      return { key, goal, value };
    })
    .filter(({ key, goal, value }) => isOpen(key) && value <= (1 - MIN_FALL) * goal)
    .sort((a, b) => b.goal - b.value - (a.goal - a.value));
  if (worst === undefined) return [];
  const { key, goal, value } = worst;
  const detail = `${month.isOver ? money(value) : roundMoney(value)}: ${percent(value / goal)} de ${roundMoney(goal)}`;
  return [
    [
      `${nameOf(key)}${month.isOver ? " não bateu a meta" : ": meta em risco"}`,
      month.isOver ? detail : `neste ritmo, ${detail}`,
      less(goal - value),
    ],
  ];
};

const JOBS: Record<string, string> = {
  "sync-transacoes": "Importação dos atendimentos",
  "send-receber": "Envio dos recebimentos ao ERP",
  "send-pagar": "Envio dos pagamentos ao sistema do salão",
};

/** The jobs that failed last, and those without a success for two hours. */
const lateJobs = async ({ all }: Figures): Promise<Alert[]> => {
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
const goalText = async (figures: Figures, asked: Asked, total: number) => {
  const { unit, from } = asked;
  const month = monthOf(asked);
  if (month === undefined) return [];
  const { last } = month;
  const [{ goal }] = await figures.all(
    `select sum(valor)::float as goal from metas where mes = $1 and ($2 = '' or estabelecimento_id = $2)`,
    [from, unit],
  );
  const ofGoal = (value: number) => (goal ? `, ${percent(value / goal)} da meta de ${roundMoney(goal)}` : "");
  const complete = daysBetween(from, today) - 1;
  if (today <= last && complete >= 3) {
    const rows = await figures.revenueBy(rangeOf({ from, to: shifted(today, -1), unit }), "'all'");
    const pace = ((rows[0]?.total ?? 0) * daysBetween(from, last)) / complete;
    return [`Neste ritmo: ${roundMoney(pace)} no mês${ofGoal(pace)}.`];
  }
  const said = today > last ? "O mês fechou em" : "Até agora:";
  return goal ? [`${said} ${roundMoney(total)}${ofGoal(total)}.`] : [];
};

const kpis = async (
  figures: Figures,
  range: Range,
  earlier: Range | undefined,
  isFair: boolean,
  origins: string[],
) => {
  if (origins.length > 0 && !origins.includes("salao")) return [];
  const [row] = await figures.revenueOfBoth(range, earlier, "'all'");
  const { visits = 0, ticket = null, before } = row ?? {};
  const clients = await figures.clients(range);
  const { rows, total } = await figures.fees(range);
  const returned = clients.all - clients.new;
  const past = earlier && (await figures.clients(earlier)).all;
  const change = delta(clients.all, past, count, isFair);
  const news = `${counted(clients.new, "novo", "novos")} · ${counted(returned, "voltou", "voltaram")}`;
  const highest =
    rows[0]?.fees > 0 ? `${plain(rows[0].form ?? "Não informada")}: ${money(rows[0].fees)}` : "";
  return [
    ["Atendimentos", count(visits), delta(visits, earlier && (before?.visits ?? 0), count, isFair)],
    [
      "Ticket médio",
      ticket === null ? "—" : money(ticket),
      delta(ticket, earlier && (before?.ticket ?? null), money, isFair),
    ],
    ["Clientes", count(clients.all), plain(`${change} ${news}`)],
    [
      "Taxas de cartão",
      money(total),
      (highest || "nenhuma taxa no período") + (origins.includes("loja") ? " · sem as lojas" : ""),
    ],
  ];
};

const team = async (figures: Figures, range: Range, earlier: Range | undefined, { nameOf }: Units) => {
  const past = earlier ? await figures.people(earlier) : [];
  return (await figures.people(range))
    .filter(({ professional }) => professional !== null)
    .slice(0, 3)
    .map(({ units, professional, name, services, value }) => {
      const before = past.find((row) => row.professional === professional);
      const where = namedUnits(units.map(nameOf));
      return {
        texts: [plain(name), `${where} · ${counted(services, "serviço", "serviços")}`, money(value)],
        change: [value, earlier && (before?.value ?? 0)] as const,
      };
    });
};

/** Everything that Início says about a view. `earlier` is what it is compared with. */
export const expectedInicio = async (figures: Figures, asked: Asked, earlier: Range | undefined) => {
  const range = rangeOf(asked);
  const units = await figures.units();
  const byUnit = await figures.revenueOfBoth(range, earlier, "estabelecimento_id");
  const byOrigin = await figures.revenueOfBoth(range, earlier, "origem");
  const [all] = await figures.revenueOfBoth(range, earlier, "'all'");
  const total = all?.total ?? 0;
  const isFair = earlier === undefined || !(await figures.beginsLate(earlier));
  const parts = (["salao", "loja"] as const).flatMap((key) => byOrigin.find((row) => row.key === key) ?? []);
  const whole = parts.reduce((sum, part) => sum + Math.max(0, part.total), 0);
  const sold = byUnit.filter((row) => row.total !== 0 || (row.before?.total ?? 0) !== 0);
  const ranked = sold.sort((a, b) => b.total - a.total || (a.key < b.key ? -1 : 1));
  return {
    revenue: money(total),
    change: earlier ? [delta(total, all?.before?.total ?? 0, money, isFair)] : [],
    parts:
      parts.length < 2
        ? []
        : parts.map(
            ({ key, total: part }) =>
              `${key === "salao" ? "Salões" : "Lojas"} ${money(part)} ${share(Math.max(0, part), whole)}`,
          ),
    goal: await goalText(figures, asked, total),
    kpis: await kpis(
      figures,
      range,
      earlier,
      isFair,
      byOrigin.map(({ key }) => key),
    ),
    alerts: [
      ...(await payments(figures, asked.unit, "Pagamentos vencidos")),
      ...(await unsent(figures, asked.unit)),
      ...(await unsentEntries(figures, asked.unit)),
      ...fallen(byUnit, units),
      ...(await behind(figures, asked, units)),
      ...(await payments(figures, asked.unit, "Vencem em 7 dias")),
      ...(await lateJobs(figures)),
    ],
    units: asked.unit
      ? []
      : ranked
          .slice(0, 5)
          .map(({ key, total: of, before }) => [
            units.nameOf(key),
            money(of),
            delta(of, before?.total, undefined, isFair),
          ]),
    unitCount: asked.unit || sold.length <= 5 ? [] : [`Ver as ${sold.length} unidades`],
    team: (await team(figures, range, earlier, units)).map(({ texts, change: [now, before] }) => [
      ...texts,
      delta(now, before, undefined, isFair),
    ]),
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
  return {
    revenue: (await textsOf(revenue, ".headline .figure"))[0] ?? "",
    change: await textsOf(revenue, ".delta"),
    parts: await textsOf(revenue, ".legend li"),
    goal: (await textsOf(revenue, "p.more")).filter((text) => !text.startsWith("Este período")),
    kpis: await rowsIn(page.locator(".inicio"), ".kpi", ["h3", ".figure", ".more"]),
    alerts: (await rowsIn(cardOf(page, "Precisa de atenção"), ".alerts li", [
      "strong",
      ".more",
      ".value",
    ])) as Alert[],
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
