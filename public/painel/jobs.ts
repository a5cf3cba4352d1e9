// The state of the jobs that fill the warehouse, and the age of the data.
import { shortAgo, time } from "./format.ts";
import type { Freshness } from "./reports.ts";

export type Job = Freshness["data"][number];

/** Jobs run once an hour: after two hours without a success, a run is missing. */
const LATE_SECONDS = 2 * 3600;

const NAMES: Record<string, string> = {
  "sync-transacoes": "Importação dos atendimentos",
  "send-receber": "Envio dos recebimentos ao ERP",
  "send-pagar": "Envio dos pagamentos ao sistema do salão",
};
export const jobTitle = ({ job_name }: Job): string => NAMES[job_name] ?? job_name;

export const isInvalid = (at: string | null): boolean => at !== null && Number.isNaN(Date.parse(at));

/** The state of a job, `elapsed` seconds after the response. */
export const stateOf = (job: Job, elapsed: number): { level: "good" | "warn" | "bad"; label: string } => {
  const { ultimo_sucesso: success, ultima_falha: failure, em_andamento_desde, atraso_segundos } = job;
  if (isInvalid(success) || isInvalid(failure)) return { level: "warn", label: "Data inválida" };
  if (success === null && failure === null)
    return em_andamento_desde
      ? { level: "good", label: "Primeira execução em andamento" }
      : { level: "warn", label: "Nunca executada" };
  if (success === null || (failure !== null && Date.parse(failure) > Date.parse(success)))
    return { level: "bad", label: "Falhou na última execução" };
  if ((atraso_segundos ?? 0) + elapsed > LATE_SECONDS) return { level: "warn", label: "Atrasada" };
  return { level: "good", label: em_andamento_desde ? "Em execução" : "Em dia" };
};

/** How far the visits and sales reach; undefined if nobody knows. */
export const dataUntil = ({ dados_ate }: Freshness): number | undefined => {
  const at = Date.parse(dados_ate ?? "");
  return Number.isNaN(at) ? undefined : at;
};

/** The age of the visits and sales: Dados de 14:32. It is late if their job is. */
export const ageOf = (
  freshness: Freshness,
  elapsed: number,
): { text: string; isLate: boolean; title: string } => {
  const at = dataUntil(freshness);
  const job = freshness.data.find(({ job_name }) => job_name === "sync-transacoes");
  if (job === undefined || at === undefined || isInvalid(job.ultimo_sucesso))
    return { text: "Hora dos dados desconhecida", isLate: true, title: "" };
  const seconds = (job.atraso_segundos ?? 0) + elapsed;
  return {
    text: `Dados de ${time(new Date(at))}`,
    isLate: seconds > LATE_SECONDS,
    title: `Última importação ${shortAgo(seconds)}`,
  };
};
