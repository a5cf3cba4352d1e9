// @module-tag server
import { afterEach, expect, it, vi } from "vitest";
import { sql } from "../../../support/worker/api.ts";
import { createClient, signTokenOf } from "../../../support/worker/client.ts";
import { type GeneralAnswer, type Query, reportPath } from "../../../support/worker/general-reports.ts";

const CENTRE = "by due date";

afterEach(async () => {
  vi.useRealTimers();
  await sql`delete from pagamentos_erp where id_centro_custo = ${CENTRE}`;
});

it("payments are due or overdue by the day of the request, as `periodo` is (R20, I7)", async () => {
  await sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, data_vencimento, raw_data)
    values (62000000, ${CENTRE}, 1, '2040-05-25', '{}')`;
  const { send } = createClient();
  const ask = async (at: string, query: Query) => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(at) });
    const headers = { Authorization: `Bearer ${await signTokenOf(810_000_003)}` };
    const response = await send(reportPath("pagamentos", { id_centro_custo: CENTRE, ...query }), {
      headers,
    });
    return response.json<GeneralAnswer>();
  };
  const faixaAt = async (at: string) => (await ask(at, { por: "faixa" })).data[0]?.faixa;
  expect(await faixaAt("2040-05-24T23:59:59-03:00")).toBe("7-dias");
  expect(await faixaAt("2040-05-25T00:00:00-03:00")).toBe("hoje");
  expect((await ask("2040-05-25T23:59:59-03:00", { periodo: "hoje" })).totais).toMatchObject({
    pagamentos: 1,
    vencidos: 0,
  });
  expect(await faixaAt("2040-05-26T00:00:00-03:00")).toBe("vencida");
});
