import { readChangedMonths } from "./closings.ts";
import type { Summary } from "./delivery.ts";
import { askReport } from "./reports.ts";
import { type Answers, writeSubject, writeText } from "./summary-text.ts";

const REPORTS = "/v1/relatorios";
const REVENUE = "medidas=valor_total,visitas,ticket_medio";

/** What a summary asks, by the name of its figures. Rollups hold each question. docs/operating.md lists them. */
const QUESTIONS: Record<Exclude<keyof Answers, "fechamentos">, string> = {
  hoje: `${REPORTS}/faturamento?${REVENUE}&periodo=hoje&comparar=semana-anterior`,
  mes: `${REPORTS}/faturamento?${REVENUE}&periodo=mes&comparar=mes-anterior`,
  meta: `${REPORTS}/faturamento?por=mes,unidade&medidas=valor_total,meta,valor_com_meta&periodo=mes&limite=1100`,
  unidades:
    `${REPORTS}/faturamento?por=unidade&medidas=valor_total&periodo=mes&comparar=mes-anterior` +
    "&ordem=variacao&limite=3",
  vencidos: `${REPORTS}/pagamentos?medidas=vencidos,valor_vencido`,
  a_vencer: `${REPORTS}/pagamentos?medidas=pagamentos,valor_total&periodo=proximos-7-dias&situacao=1`,
  nao_enviados: `${REPORTS}/visitas?medidas=pendentes,valor_pendente`,
  lancamentos_nao_enviados: `${REPORTS}/lancamentos?medidas=pendentes,valor_pendente`,
  frescor: "/v1/frescor",
};

/** The answer of `/v1/frescor` without its clock, which is that of the database and not the time of the summary. */
const withoutClock = (body: string): string => {
  const { data, catalogo }: { data: { atraso_segundos: unknown }[]; catalogo: unknown } = JSON.parse(body);
  return JSON.stringify({ data: data.map(({ atraso_segundos, ...job }) => job), catalogo });
};

/**
 * Asks the reports as of an instant, and writes the summary (W2).
 * @param at epoch ms @param deadline epoch ms, of the present
 * @throws what `askReport` throws
 */
export const readSummary = async (env: Env, at: number, deadline?: number): Promise<Summary> => {
  const changed = readChangedMonths(env, at, deadline).then(
    (months) => ["fechamentos", JSON.stringify(months)] as const,
  );
  const answered = Object.entries(QUESTIONS).map(async ([name, path]) => {
    const body = await askReport(env, at, path, deadline);
    return [name, name === "frescor" ? withoutClock(body) : body] as const;
  });
  const bodies = await Promise.all([...answered, changed]);
  const answers = Object.fromEntries(bodies.map(([name, body]) => [name, JSON.parse(body)])) as Answers;
  const em = new Date(at).toISOString().replace("Z", "+00:00");
  // The bodies of reports stay as Postgres wrote them.
  const figures = [`"em":"${em}"`, ...bodies.map(([name, body]) => `"${name}":${body}`)].join();
  return {
    webhook: `{"text":${JSON.stringify(writeText(answers, at, "webhook"))},"figures":{${figures}}}`,
    email: { subject: writeSubject(answers, at), text: writeText(answers, at, "email") },
  };
};
