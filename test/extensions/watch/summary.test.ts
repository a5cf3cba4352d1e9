// @module-tag server
import { env } from "cloudflare:workers";
import { expect, it, onTestFinished, vi } from "vitest";
import { readSummary } from "../../../src/extensions/watch/summary.ts";
import { get } from "../../support/worker/api.ts";
import { createClient, signTokenOf } from "../../support/worker/client.ts";

const HOUR = 3_600_000;
const REVENUE = "medidas=valor_total,visitas,ticket_medio";
const REPORTS = {
  hoje: `faturamento?${REVENUE}&periodo=hoje&comparar=semana-anterior`,
  mes: `faturamento?${REVENUE}&periodo=mes&comparar=mes-anterior`,
  meta: "faturamento?por=mes,unidade&medidas=valor_total,meta,valor_com_meta&periodo=mes&limite=1100",
  unidades:
    "faturamento?por=unidade&medidas=valor_total&periodo=mes&comparar=mes-anterior&ordem=variacao&limite=3",
  vencidos: "pagamentos?medidas=vencidos,valor_vencido",
  a_vencer: "pagamentos?medidas=pagamentos,valor_total&periodo=proximos-7-dias&situacao=1",
  nao_enviados: "visitas?medidas=pendentes,valor_pendente",
  lancamentos_nao_enviados: "lancamentos?medidas=pendentes,valor_pendente",
};

/** The bodies of the reports at an instant, as a summary has them. */
const reportsAt = async (at: number): Promise<string> => {
  vi.useFakeTimers({ toFake: ["Date"], now: at });
  onTestFinished(() => void vi.useRealTimers());
  const { send } = createClient();
  const headers = { Authorization: `Bearer ${await signTokenOf(810_000_003)}` };
  const bodies: string[] = [];
  for (const [name, question] of Object.entries(REPORTS)) {
    const response = await send(`/v1/relatorios/${question}`, { headers });
    expect(response.status, name).toBe(200);
    bodies.push(`"${name}":${await response.text()}`);
  }
  return bodies.join();
};

const evening = (day: string) => Date.parse(`${day}T23:00:00Z`);

it.each([
  ["a day ago", Date.now() - 24 * HOUR],
  ["at the end of a year", evening("2025-12-31") + 4 * HOUR - 1],
  ["on 29 February", evening("2024-02-29")],
  // Summer time began and ended in Brasília, with a skipped midnight or a repeated hour before it.
  ...["2018-02-17", "2018-02-24", "2018-03-17", "2018-11-03", "2018-11-04", "2018-11-10", "2018-12-04"].map(
    (day): [string, number] => [day, evening(day)],
  ),
])(
  "the figures of a summary are byte for byte what the reports answer as of its time: %s (W2)",
  async (_, at) => {
    const { webhook } = await readSummary(env, at);
    const em = new Date(at).toISOString().replace("Z", "+00:00");
    expect(webhook).toContain(`"figures":{"em":"${em}",${await reportsAt(at)},"frescor":{`);
  },
);

it("the figures of a summary have the state of jobs without a clock, and the catalogue (W2)", async () => {
  const { webhook } = await readSummary(env, Date.now());
  const frescor = await (await get("/v1/frescor")).json<{ data: object[]; catalogo: object[] }>();
  const data = frescor.data.map((job) => ({ ...job, atraso_segundos: undefined }));
  expect(JSON.parse(webhook).figures.frescor).toEqual({ data, catalogo: frescor.catalogo });
  expect(Object.keys(JSON.parse(webhook))).toEqual(["text", "figures"]);
});
