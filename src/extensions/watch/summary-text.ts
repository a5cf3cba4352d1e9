import { clockOf } from "../../core/periods.ts";
import type { ChangedMonth } from "./closings.ts";
import type { Channel } from "./delivery.ts";
import { escapeName, MAX_NAME } from "./message.ts";

interface Revenue {
  valor_total: number;
  visitas: number;
  ticket_medio: number | null;
}
interface EarlierRange {
  inicio: string;
  fim: string;
  /** How far the data reached, if the range ends there. */
  ate: string | null;
}
interface Compared {
  anterior: EarlierRange;
  totais: Revenue & { anterior: Revenue };
}
interface UnitRow {
  estabelecimento_id: string;
  unidade_nome: string | null;
  valor_total: number;
  anterior: { valor_total: number };
}
interface Job {
  job_name: string;
  ultimo_sucesso: string | null;
  ultima_falha: string | null;
}

/** What the text reads of the answers, by the name of their question. */
export interface Answers {
  hoje: Compared;
  mes: Compared;
  meta: {
    data: { meta: number | null }[];
    totais: { meta: number | null; valor_com_meta: number };
  };
  unidades: { data: UnitRow[] };
  vencidos: { totais: { vencidos: number; valor_vencido: number } };
  a_vencer: { totais: { pagamentos: number; valor_total: number } };
  nao_enviados: { totais: { pendentes: number; valor_pendente: number } };
  lancamentos_nao_enviados: { totais: { pendentes: number; valor_pendente: number } };
  frescor: { data: Job[] };
  /** Those that changed since they were closed. */
  fechamentos: ChangedMonth[];
}

/** Discord accepts 2,000 characters. */
const MAX_LENGTH = 1900;
const DAY_MS = 86_400_000;
const JOBS: Record<string, string> = {
  "sync-transacoes": "Importação dos atendimentos",
  "send-receber": "Envio dos recebimentos ao ERP",
  "send-pagar": "Envio dos pagamentos ao sistema do salão",
};

const MONEY = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
const NUMBER = new Intl.NumberFormat("pt-BR");
const PERCENT = { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 } as const;
const SHARE = new Intl.NumberFormat("pt-BR", PERCENT);
const CHANGE = new Intl.NumberFormat("pt-BR", { ...PERCENT, signDisplay: "exceptZero" });
const WEEKDAY = new Intl.DateTimeFormat("pt-BR", { weekday: "long", timeZone: "UTC" });
const MONTH = new Intl.DateTimeFormat("pt-BR", { month: "long", timeZone: "UTC" });

/** −R$ 12,50, with a space that every program shows. */
const money = (reais: number) => MONEY.format(reais).replaceAll("\u00a0", " ").replace("-", "−");
const optionalMoney = (reais: number | null) => (reais === null ? "—" : money(reais));
const number = (value: number) => NUMBER.format(value);

/** At most two decimals: an integer in centavos, so that differences are exact. */
const centavos = (reais: number) => Math.round(reais * 100);

/** ` (+25,0%)`; nothing without a positive earlier value. */
const change = (now: number | null, before: number | null): string => {
  if (now === null || before === null || before <= 0) return "";
  const ratio = (centavos(now) - centavos(before)) / centavos(before);
  return ` (${CHANGE.format(ratio).replace("-", "−")})`;
};

/** Days are `AAAA-MM-DD`. */
const date = (day: string) => day.split("-").reverse().join("/");
const dayMonth = (day: string) => date(day).slice(0, 5);
/** 1º, 2, 3. */
const ordinal = (day: string) => day.slice(8).replace("01", "1º").replace(/^0/, "");
const weekday = (day: string) => WEEKDAY.format(Date.parse(day));
const month = (day: string, today: string) =>
  `${MONTH.format(Date.parse(day))}${day.slice(0, 4) === today.slice(0, 4) ? "" : ` de ${day.slice(0, 4)}`}`;
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** 20h00. */
const hour = (time: string) => time.replace(":", "h");

/** Whether the data has not reached the range (R23): then the summary compares nothing. */
const isNothing = ({ inicio, fim }: EarlierRange) => fim === inicio;

/** The last day of a range, and the time at which the data cuts it: `20h00`. Nothing if that day is whole. */
const endOf = ({ fim, ate }: EarlierRange): { day: string; cut: string } => {
  const { date: day, time } = clockOf(Date.parse(fim));
  return { day, cut: ate === null ? "" : hour(time) };
};

/** `, comparado com ` and what follows. */
const earlierDay = (range: EarlierRange): string => {
  if (isNothing(range)) return "";
  const { day, cut } = endOf(range);
  return `, comparado com ${weekday(day)}, ${dayMonth(day)}${cut && `, até ${cut}`}`;
};

const earlierMonth = (range: EarlierRange, today: string): string => {
  if (isNothing(range)) return "";
  const { day, cut } = endOf(range);
  return `, comparado com ${month(day, today)} até o dia ${ordinal(day)}${cut && `, ${cut}`}`;
};

const comparedLine = <Value extends number | null>(
  name: string,
  [now, before]: [Value, Value | undefined],
  format: (value: Value) => string,
): string =>
  `- ${name}: ${format(now)}${before === undefined ? "" : `, antes ${format(before)}${change(now, before)}`}`;

const revenueLines = ({ anterior, totais: { anterior: earlier, ...now } }: Compared): string[] => {
  const before = isNothing(anterior) ? undefined : earlier;
  return [
    comparedLine("Faturamento", [now.valor_total, before?.valor_total], money),
    comparedLine("Atendimentos", [now.visitas, before?.visitas], number),
    comparedLine("Ticket médio dos salões", [now.ticket_medio, before?.ticket_medio], optionalMoney),
  ];
};

/** The share is that of the units with a goal. */
const goalLine = ({ meta: { data, totais } }: Answers): string => {
  if (totais.meta === null) return "- Meta do mês: não definida";
  const withGoal = data.filter(({ meta }) => meta !== null);
  const units = withGoal.length < data.length ? ` em ${withGoal.length} de ${data.length} unidades` : "";
  const share = totais.meta > 0 ? ` (${SHARE.format(totais.valor_com_meta / totais.meta)} atingidos)` : "";
  return `- Meta do mês: ${money(totais.meta)}${units}${share}`;
};

const unitLines = ({ unidades }: Answers, nameOf: (name: string) => string): string[] =>
  unidades.data.flatMap(({ estabelecimento_id: id, unidade_nome: name, valor_total: now, anterior }) => {
    const shown = nameOf((name?.trim() || `Unidade ${id}`).slice(0, MAX_NAME));
    const before = anterior.valor_total;
    return now < before ? [comparedLine(shown, [now, before], money)] : [];
  });

/** `2 contas, R$ 4.300,00`; `nenhuma`. */
const sum = (count: number, reais: number, [none, one, many]: [string, string, string]): string =>
  count === 0 ? none : `${number(count)} ${count === 1 ? one : many}, ${money(reais)}`;

const PAYMENTS: [string, string, string] = ["nenhuma", "conta", "contas"];

const dueLines = ({ vencidos: { totais: overdue }, a_vencer: { totais: due } }: Answers, today: string) => {
  const last = new Date(Date.parse(today) + 6 * DAY_MS).toISOString().slice(0, 10);
  return [
    `- Vencidas: ${sum(overdue.vencidos, overdue.valor_vencido, PAYMENTS)}`,
    `- Vencem de hoje a ${dayMonth(last)}: ${sum(due.pagamentos, due.valor_total, PAYMENTS)}`,
  ];
};

const unsentLines = ({ nao_enviados, lancamentos_nao_enviados }: Answers): string[] => {
  const [{ totais: visits }, { totais: entries }] = [nao_enviados, lancamentos_nao_enviados];
  return [
    `- Ao ERP: ${sum(visits.pendentes, visits.valor_pendente, ["nenhum", "atendimento", "atendimentos"])}`,
    `- Ao sistema do salão: ${sum(entries.pendentes, entries.valor_pendente, ["nenhum", "lançamento", "lançamentos"])}`,
  ];
};

/** há 35 min; há 1h05; há 3 dias. */
const ago = (ms: number): string => {
  const minutes = Math.max(0, Math.floor(ms / 60_000));
  if (minutes < 60) return `há ${minutes} min`;
  if (minutes < 48 * 60) return `há ${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, "0")}`;
  return `há ${number(Math.floor(minutes / 1440))} dias`;
};

/** `Date` cannot parse every timestamp of Postgres. */
const jobState = ({ ultimo_sucesso: success, ultima_falha: failure }: Job, at: number): string => {
  if (success === null) return "nunca concluída";
  const succeeded = Date.parse(success);
  if (Number.isNaN(succeeded)) return "data inválida";
  const hasFailed = failure !== null && Date.parse(failure) > succeeded;
  return `${ago(at - succeeded)}${hasFailed ? ", depois falhou" : ""}`;
};

const fallenLines = ({ mes: { anterior } }: Answers, thisMonth: string, units: string[]): string[] =>
  isNothing(anterior)
    ? []
    : [
        `Unidades que mais caíram em ${thisMonth}${units.length > 0 ? ", na mesma comparação" : ": nenhuma"}`,
        ...units,
        "",
      ];

/** What to call the figures of a closed month other than its revenue. */
const CHANGED: [name: string, figures: string[]][] = [
  ["atendimentos", ["visitas"]],
  ["serviços e produtos", ["valor_servicos", "valor_produtos"]],
  ["lançamentos", ["lancamentos", "valor_lancamentos"]],
  ["contas", ["pagamentos", "valor"]],
];

/** What changed in a month since it was closed: `- Outubro: faturamento +R$ 3.232,57, atendimentos`. */
const closedLine = ({ mes, totais, figures }: ChangedMonth, today: string): string => {
  const { faturamento: change = 0 } = totais.diferenca;
  const amount = change === 0 ? "entre unidades" : `${change > 0 ? "+" : ""}${money(change)}`;
  const parts = [
    ...(figures.includes("faturamento") ? [`faturamento ${amount}`] : []),
    ...CHANGED.flatMap(([name, own]) => (own.some((one) => figures.includes(one)) ? [name] : [])),
  ];
  return `- ${capital(month(`${mes}-01`, today))}: ${parts.join(", ")}`;
};

const closedLines = ({ fechamentos }: Answers, today: string): string[] =>
  fechamentos.length === 0
    ? []
    : [
        "",
        "Meses fechados que mudaram desde o fechamento",
        ...fechamentos.map((closed) => closedLine(closed, today)),
      ];

const textOf = (answers: Answers, at: number, units: string[]): string => {
  const { date: today, time } = clockOf(at);
  const thisMonth = month(today, today);
  return [
    `Resumo de ${weekday(today)}, ${date(today)}, até ${hour(time)}`,
    "",
    `Hoje${earlierDay(answers.hoje.anterior)}`,
    ...revenueLines(answers.hoje),
    "",
    `${capital(thisMonth)}${earlierMonth(answers.mes.anterior, today)}`,
    ...revenueLines(answers.mes),
    goalLine(answers),
    "",
    ...fallenLines(answers, thisMonth, units),
    "Contas a pagar",
    ...dueLines(answers, today),
    "",
    "Não enviados",
    ...unsentLines(answers),
    ...closedLines(answers, today),
    "",
    "Última conclusão das rotinas",
    ...answers.frescor.data.map((job) => `- ${JOBS[job.job_name] ?? job.job_name}: ${jobState(job, at)}`),
  ].join("\n");
};

const PLAIN = (name: string) => name.replaceAll(/\p{Cc}/gu, " ");

/** The text of a summary, in Portuguese. It names units, and no person. @param at epoch ms */
export const writeText = (answers: Answers, at: number, channel: Channel): string => {
  const units = unitLines(answers, channel === "webhook" ? escapeName : PLAIN);
  let text = textOf(answers, at, units);
  // Only names full of markup are this long.
  while (text.length > MAX_LENGTH && units.length > 0) {
    units.pop();
    text = textOf(answers, at, [...units, "- …"]);
  }
  return text;
};

/** @param at epoch ms */
export const writeSubject = ({ hoje }: Answers, at: number): string =>
  `Resumo de ${date(clockOf(at).date)}: ${money(hoje.totais.valor_total)}`;
