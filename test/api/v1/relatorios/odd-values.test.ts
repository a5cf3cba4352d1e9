// @module-tag server
import { afterEach, describe, expect, it } from "vitest";
import { get, read, sql } from "../../../support/worker/api.ts";
import { type Query, readReport, reportPath } from "../../../support/worker/general-reports.ts";

const UNIT = "odd values";
const MAY = { data_inicio: "1955-05-01T00:00:00Z", data_fim: "1955-05-31T00:00:00Z" };

let last = 0;
const enter = (payload: unknown, sent = false) => {
  last += 1;
  return sql`insert into lancamentos (salon_id, estabelecimento_id, sent_to_salon, synced_at, raw_data)
    values (${`${UNIT} ${last}`}, ${UNIT}, ${sent}, '1955-05-05T15:00:00Z', ${typeof payload === "string" ? payload : JSON.stringify(payload)}::jsonb)`;
};
const visit = (at: string, form: string | null, services: string) =>
  sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, servicos, raw_data)
    values (${UNIT}, ${UNIT}, 50, ${at}, ${form}, ${services}::jsonb, '{}')`;

afterEach(async () => {
  await sql`delete from lancamentos where estabelecimento_id = ${UNIT}`;
  await sql`delete from transacoes where estabelecimento_id = ${UNIT}`;
});

// The rows of test/oracle have none of these values.
describe("texts and rows of reports", () => {
  it("cut the id of a professional and a payment method to 200 characters (R20, V5)", async () => {
    const services = JSON.stringify([{ valor: 1, idProfissionalQueRealizouServico: "p".repeat(250) }]);
    await visit("1955-05-05T15:00:00Z", "f".repeat(250), services);
    const ask = async (report: string, por: string) =>
      (await readReport(report, { estabelecimento_id: UNIT, por })).data[0];
    expect(await ask("visitas", "forma_pagamento")).toMatchObject({ forma_pagamento: "f".repeat(200) });
    expect(await ask("servicos", "profissional")).toMatchObject({ profissional_salon_id: "p".repeat(200) });
  });

  it("have every professional without `limite` (R2)", async () => {
    await sql.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
       select $1 || i, $1, 1, '1955-05-05T15:00:00Z',
         jsonb_build_array(jsonb_build_object('idProfissionalQueRealizouServico', 'p' || i)), '{}'
       from generate_series(1, 130) i`,
      [UNIT],
    );
    const report = await get(
      `/v1/relatorios/transacoes-por-profissional?${new URLSearchParams({ estabelecimento_id: UNIT })}`,
    );
    expect((await report.json<{ data: unknown[] }>()).data).toHaveLength(130);
  });
});

describe("a value of the source that sums could not contain", () => {
  it("is summed as a service's price of any size, except one that would make sums overflow (R20)", async () => {
    await visit(
      "1955-05-05T15:00:00Z",
      null,
      '[{"nome": "a", "valor": 123456789012345678901234567890.125}, {"nome": "b", "valor": 9e131071}, {"nome": "b", "valor": 9e131071}]',
    );
    const asked = { estabelecimento_id: UNIT, por: "servico", ordem: "-valor_total", ...MAY };
    for (const medidas of ["servicos,cortesias,valor_total", "servicos,cortesias,valor_total,visitas"]) {
      const body = await (await get(reportPath("servicos", { ...asked, medidas }))).text();
      const isCounted = medidas.includes("visitas") ? ',"visitas":1' : "";
      expect(body).toBe(
        `{"data":[{"servico":"a","servicos":1,"cortesias":0,"valor_total":123456789012345678901234567890.13${isCounted}},` +
          `{"servico":"b","servicos":2,"cortesias":0,"valor_total":0.00${isCounted}}],"linhas":2,` +
          `"totais":{"servicos":3,"cortesias":0,"valor_total":123456789012345678901234567890.13${isCounted}}}`,
      );
    }
  });

  it("is `sem_valor` of a ledger entry whose payload is no object, or whose number is too large (R20)", async () => {
    await enter({ ValorBruto: 0.1 }, true);
    await enter({ ValorBruto: 0.2 });
    await enter([{ ValorBruto: 50 }]);
    await enter('"text"');
    await enter('{"ValorBruto": 9e131071}');
    const all = {
      lancamentos: 5,
      valor_total: 0.3,
      enviados: 1,
      pendentes: 4,
      valor_pendente: 0.2,
      sem_valor: 3,
    };
    const ask = (query: Query) => readReport("lancamentos", { estabelecimento_id: UNIT, ...query });
    expect(await ask({})).toEqual({ data: [all], linhas: 1, totais: all });
    // The same from the rows.
    expect((await ask({ data: "sincronizacao", ...MAY })).totais).toEqual(all);
  });

  it("is no due date of a ledger entry in another order or alphabet (R20)", async () => {
    for (const DataVencimento of ["1955-05-05", "06/05/1955", "١٩٥٥-05-05", "infinity"])
      await enter({ DataVencimento });
    const query = { estabelecimento_id: UNIT, por: "dia", medidas: "lancamentos" };
    const { data, totais } = await readReport("lancamentos", query);
    expect([data, totais]).toEqual([[{ dia: "1955-05-05", lancamentos: 1 }], { lancamentos: 1 }]);
  });

  it("is no fee if it is NaN (R3, R20)", async () => {
    await sql`insert into taxas_cartao (forma_pagamento, taxa_cobrada_profissional) values ('No fee', 'NaN')`;
    await visit("1961-01-01T00:00:00Z", "No fee", "[]");
    const rows = async (report: string) =>
      (await read<{ data: object[] }>(`/v1/relatorios/${report}estabelecimento_id=odd+values`)).data;
    try {
      expect(await rows("transacoes-por-forma-pagamento?")).toMatchObject([
        { taxa_cobrada_profissional: null },
      ]);
      expect(await rows("visitas?medidas=taxas&")).toEqual([{ taxas: 0 }]);
    } finally {
      await sql`delete from taxas_cartao where forma_pagamento = 'No fee'`;
    }
  });

  it.each([
    ["mes", "294276-12-01"],
    ["dia", "294276-12-14"],
    ["semana", "294276-12-11"],
    ["trimestre", "294276-10-01"],
    ["ano", "294276-01-01"],
  ])("is the last %s that Postgres can store (R20)", async (por, first) => {
    await visit("294276-12-15T00:00:00Z", null, "[]");
    const query = { estabelecimento_id: UNIT, por, medidas: "visitas" };
    expect((await readReport("visitas", query)).data).toEqual([{ [por]: first, visitas: 1 }]);
  });
});
