// What plain SQL says that a month leads to, and that needs attention on Início.
import * as figures from "./figures.ts";
import { counted, dateOf, delta, roundMoney } from "./figures.ts";
import { money, percent, shifted, today } from "./panel.ts";
import { type Asked, daysBetween, lastOfMonth, rangeOf } from "./views.ts";
import { all, type Row } from "./warehouse.ts";

/** Early enough for every due date of the warehouse. */
const FIRST_DAY = "1900-01-01";

export type Alert = [title: string, detail: string, value: string];
type Ranked = { alert: Alert; reais: number };

const payments = async (unit: string, title: string): Promise<Ranked[]> => {
  const isLate = title === "Pagamentos vencidos";
  const days = isLate ? [FIRST_DAY, shifted(today, -1)] : [today, shifted(today, 6)];
  const sums = await figures.due(unit, days[0] ?? "", days[1] ?? "");
  if (sums.count === 0) return [];
  const since = `${isLate ? "desde" : "a partir de"} ${dateOf(sums.oldest ?? "")}`;
  const detail = `${counted(sums.count, "conta", "contas")} · ${since}`;
  return [{ alert: [title, detail, roundMoney(sums.value)], reais: sums.value }];
};

/** What was not sent a day before the data instant, and what had not been sent for 60 days. */
const unsent = async (unit: string, table: "transacoes" | "lancamentos"): Promise<Ranked[]> => {
  const [title, one, many] =
    table === "transacoes"
      ? ["Atendimentos não enviados", "atendimento", "atendimentos"]
      : ["Lançamentos não enviados", "lançamento", "lançamentos"];
  const [facts, at, sent] =
    table === "transacoes"
      ? ["(select *, total as reais from transacoes) as t", "data_hora", "sent_to_erp"]
      : [
          "(select *, (raw_data ->> 'ValorBruto')::numeric as reais from lancamentos) as l",
          "synced_at",
          "sent_to_salon",
        ];
  const [row] = await all(
    `select count(*) filter (where ${at} > till)::int as count, coalesce(sum(reais) filter (where ${at} > till), 0)::float as value,
       count(*) filter (where ${at} <= till)::int as older, coalesce(sum(reais) filter (where ${at} <= till), 0)::float as before
     from ${facts}, (select data_instant(now()) as instant) as data, lateral (select instant - interval '1440 hours' as till) as ends
     where not ${sent} and ${at} <= instant - interval '24 hours' and ($1 = '' or estabelecimento_id = $1)`,
    [unit],
  );
  const {
    count: recent,
    value,
    older,
    before,
  } = row as { count: number; value: number; older: number; before: number };
  if (recent + older === 0) return [];
  if (recent === 0)
    return [
      { alert: [title, `${counted(older, one, many)} há mais de 60 dias`, roundMoney(before)], reais: 0 },
    ];
  const named = older === 0 ? "" : ` e ${roundMoney(before)} de antes`;
  const detail = `${counted(recent, one, many)} em 60 dias${named}`;
  return [{ alert: [title, detail, roundMoney(value)], reais: value }];
};

export type Units = Awaited<ReturnType<typeof figures.units>>;

const fallen = (rows: Row[], { nameOf, isOpen }: Units): Ranked[] =>
  rows.flatMap(({ estabelecimento_id: id, valor_total: now, anterior }) => {
    const before = anterior?.valor_total ?? 0;
    if (before < 300 || now > 0.95 * before || !(isOpen(id) || nameOf(id).startsWith("Unidade "))) return [];
    const reais = (Math.round(100 * before) - Math.round(100 * now)) / 100;
    const fall = delta(now, before).replace(/^. | a menos\s*$/g, "");
    const texts: Alert = [
      `${nameOf(id)} caiu ${fall}`,
      `${money(now)}, antes ${money(before)}`,
      `−${roundMoney(reais)}`,
    ];
    return [{ alert: texts, reais }];
  });

const JOBS: Record<string, string> = {
  "sync-transacoes": "Importação dos atendimentos",
  "send-receber": "Envio dos recebimentos ao ERP",
  "send-pagar": "Envio dos pagamentos ao sistema do salão",
};

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

const goalsOf = (from: string, unit: string) =>
  all(
    `select estabelecimento_id as id, valor::float as goal
     from metas
     where mes = $1 and valor > 0 and ($2 = '' or estabelecimento_id = $2)
     order by estabelecimento_id`,
    [from, unit],
  );

/** What each unit has by day, of the month until today and the 56 days before today. */
const dailySales = async (from: string, unit: string) => {
  const first = [from, shifted(today, -56)].sort()[0] ?? from;
  return figures.rowsOfReport("faturamento", ["dia", "unidade"], {
    now: rangeOf({ from: first, to: today, unit }),
  });
};

/** The pace of each unit in this month, from its days (B1). */
const pacesOf = async (from: string, unit: string): Promise<Map<string, number>> => {
  const rows = await dailySales(from, unit);
  const last = lastOfMonth(from);
  const left = Array.from({ length: daysBetween(today, last) - 1 }, (_, n) => shifted(today, n + 1));
  const paces = new Map<string, number>();
  for (const id of new Set(rows.map((row) => row.estabelecimento_id as string))) {
    const on = (day: string) =>
      Math.round(
        100 * (rows.find((row) => row.estabelecimento_id === id && row.dia === day)?.valor_total ?? 0),
      );
    const weekdays = (day: string) => {
      const last8 = Array.from({ length: 56 }, (_, n) => shifted(today, -n - 1)).filter(
        (before) => (Date.parse(day) - Date.parse(before)) % (7 * 86_400_000) === 0,
      );
      return last8.reduce((sum, before) => sum + on(before), 0) / 8;
    };
    const done = Array.from({ length: daysBetween(from, today) - 1 }, (_, n) => on(shifted(from, n)));
    const cents =
      done.reduce((sum, one) => sum + one, 0) +
      Math.max(on(today), weekdays(today)) +
      left.reduce((sum, day) => sum + weekdays(day), 0);
    paces.set(id, Math.round(cents) / 100);
  }
  return paces;
};

/** The mean of the last eight days of today's weekday, of all units or one. */
export const usualDay = async (unit: string): Promise<number> => {
  const rows = await dailySales(today, unit);
  const eight = rows.filter(
    ({ dia }) => dia < today && new Date(dia).getUTCDay() === new Date(today).getUTCDay(),
  );
  return sumOf(eight.map(({ valor_total }) => valor_total)) / 8;
};

export const sumOf = (values: number[]) =>
  values.reduce((total, value) => total + Math.round(100 * value), 0) / 100;

/** What a month leads to. Before its fifth day, and after it, that is unknown. */
export const outlookOf = async (asked: Asked) => {
  const month = monthOf(asked);
  if (month === undefined) return undefined;
  const goals = await goalsOf(asked.from, asked.unit);
  const isRunning = !month.isOver && today >= asked.from && Number(today.slice(8)) >= 5;
  return { ...month, goals, paces: isRunning ? await pacesOf(asked.from, asked.unit) : undefined };
};
export type Outlook = Awaited<ReturnType<typeof outlookOf>>;

/** The units that will miss their goals, or missed them. */
const missed = (outlook: Outlook, rows: Row[], { nameOf }: Units): Ranked[] => {
  if (outlook === undefined || !(outlook.paces || outlook.isOver)) return [];
  const { goals, paces, isOver } = outlook;
  const doneOf = (id: string) => rows.find((row) => row.estabelecimento_id === id)?.valor_total ?? 0;
  const units = goals
    .map(({ id, goal }) => ({ id, goal, value: paces ? (paces.get(id) ?? 0) : doneOf(id) }))
    .filter(({ goal, value }) => value < goal);
  const [first] = units;
  if (first === undefined) return [];
  const reais = sumOf(units.flatMap(({ goal, value }) => [goal, -value]));
  const what = isOver ? "o que faltou no mês" : "o que faltará no ritmo de agora";
  const [who, detail] =
    units.length === 1
      ? [nameOf(first.id), `${what} · ${percent(first.value / first.goal)} da meta`]
      : [`${units.length} unidades`, what + (units.length < goals.length ? ", sem contar as outras" : "")];
  return [{ alert: [`${who} abaixo da meta`, detail, roundMoney(reais)], reais }];
};

/** The six largest. */
export const alertsOf = async (
  { unit }: Asked,
  outlook: Outlook,
  rows: Row[],
  units: Units,
): Promise<Alert[]> => {
  const ranked = [
    ...(await payments(unit, "Pagamentos vencidos")),
    ...(await unsent(unit, "transacoes")),
    ...(await unsent(unit, "lancamentos")),
    ...fallen(rows, units),
    ...missed(outlook, rows, units),
    ...(await payments(unit, "Vencem em 7 dias")),
  ].sort((a, b) => b.reais - a.reais);
  return [...(await lateJobs()), ...ranked.map(({ alert }) => alert)].slice(0, 6);
};

/** The rows of Unidades about goals, and their total: the furthest from its goal first. */
export const goalRows = async (asked: Asked): Promise<string[][]> => {
  const { nameOf } = await figures.units();
  const outlook = await outlookOf(asked);
  if (outlook === undefined) return [];
  const { goals, paces } = outlook;
  const rows = await figures.revenueBy(["unidade"], { now: rangeOf(asked) });
  const own = goals.map(({ id, goal }) => {
    const done: number = rows.find((row) => row.estabelecimento_id === id)?.valor_total ?? 0;
    return { name: nameOf(id), goal: goal as number, done, end: paces ? (paces.get(id) ?? 0) : done };
  });
  const all = {
    name: `Total de ${counted(own.length, "unidade", "unidades")} com meta`,
    goal: sumOf(own.map(({ goal }) => goal)),
    done: sumOf(own.map(({ done }) => done)),
    end: sumOf(own.map(({ end }) => end)),
  };
  const textsOf = ({ name, goal, done, end }: typeof all) => {
    const missing = sumOf([goal, -done]);
    const verb = missing <= 0 ? "Passou" : outlook.isOver ? "Faltaram" : "Faltam";
    const ofGoal = `${missing <= 0 ? "da meta" : "para"} ${roundMoney(goal)}`;
    const pace = paces ? `${roundMoney(end)} · ` : "";
    const share = `${pace}${percent(end / goal)} ${paces ? "no ritmo" : "da meta"}`;
    // Before the fifth day, a row ends after what is missing.
    const isKnown = paces !== undefined || outlook.isOver;
    return [
      name,
      money(done),
      `${verb} ${roundMoney(Math.abs(missing))} ${ofGoal}`,
      ...(isKnown ? [share] : []),
    ];
  };
  own.sort((a, b) => a.end / a.goal - b.end / b.goal);
  return [...own, all].map(textsOf);
};
