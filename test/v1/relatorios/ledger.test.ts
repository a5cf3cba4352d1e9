// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "../../support/worker/api.ts";
import { type Query, readReport } from "../../support/worker/general-reports.ts";

const UNIT = "ledger";
const ask = (query: Query = {}) => readReport("lancamentos", { estabelecimento_id: UNIT, ...query });
const rows = async (query: Query) => (await ask(query)).data;

let last = 0;
const enter = (payload: unknown, sent = false, at = "1955-05-05T15:00:00Z") => {
  last += 1;
  return sql`insert into lancamentos (salon_id, estabelecimento_id, sent_to_salon, synced_at, raw_data)
    values (${`${UNIT} report ${last}`}, ${UNIT}, ${sent}, ${at}, ${typeof payload === "string" ? payload : JSON.stringify(payload)}::jsonb)`;
};
const clear = () => sql`delete from lancamentos where estabelecimento_id = ${UNIT}`;

beforeAll(clear);
afterAll(clear);

describe("ledger entries (R20)", () => {
  it("sum each `ValorBruto` that is a JSON number, and count the others in `sem_valor` (R20)", async () => {
    await clear();
    await enter({ ValorBruto: 0.1 }, true);
    await enter({ ValorBruto: 0.2 });
    await enter({ ValorBruto: "7" });
    await enter({ ValorBruto: null });
    await enter({});
    await enter([{ ValorBruto: 50 }]);
    await enter('"text"');
    await enter('{"ValorBruto": 9e131071}');
    const all = {
      lancamentos: 8,
      valor_total: 0.3,
      enviados: 1,
      pendentes: 7,
      valor_pendente: 0.2,
      sem_valor: 6,
    };
    expect(await ask()).toEqual({ data: [all], linhas: 1, totais: all });
    expect(await rows({ por: "enviado", medidas: "lancamentos,valor_total" })).toEqual([
      { sent_to_salon: false, lancamentos: 7, valor_total: 0.2 },
      { sent_to_salon: true, lancamentos: 1, valor_total: 0.1 },
    ]);
    // The same from the rows.
    const range = { data_inicio: "1955-05-01T00:00:00Z", data_fim: "1955-05-31T00:00:00Z" };
    expect((await ask({ data: "sincronizacao", ...range })).totais).toEqual(all);
    expect((await ask({ sent_to_salon: "true", medidas: "lancamentos" })).totais).toEqual({ lancamentos: 1 });
  });

  it("take person and cost centre only as text, cut to 200 characters (R20)", async () => {
    await clear();
    const long = "💇".repeat(200);
    await enter({ Pessoa: "Ana", CentroCusto: "Jardins", ValorBruto: 5 });
    await enter({ Pessoa: 7, CentroCusto: ["Jardins"], ValorBruto: 4 });
    await enter({ Pessoa: "", CentroCusto: null, ValorBruto: 3 });
    await enter({ Pessoa: `${long}a`, ValorBruto: 1 });
    await enter({ Pessoa: `${long}b`, ValorBruto: 1 });
    await enter([]);
    const by = async (por: string) =>
      (await rows({ por, medidas: "lancamentos,valor_total", ordem: "-valor_total" })).map((row) =>
        Object.values(row),
      );
    expect(await by("pessoa")).toEqual([
      ["Ana", 1, 5],
      [null, 2, 4],
      ["", 1, 3],
      [long, 2, 2],
    ]);
    expect(await by("centro_custo")).toEqual([
      [null, 5, 9],
      ["Jardins", 1, 5],
    ]);
  });

  it("find a person in NFC and in NFD, whichever form is sent (R21, I4)", async () => {
    await clear();
    for (const Pessoa of ["Zoé", "Zoé".normalize("NFD"), "Zoe"]) await enter({ Pessoa });
    for (const pessoa of ["Zoé", "Zoé".normalize("NFD")])
      expect((await ask({ pessoa, medidas: "lancamentos" })).totais).toEqual({ lancamentos: 2 });
  });

  it("are of the date in the first ten characters of `DataVencimento`, if it exists (R20)", async () => {
    await clear();
    for (const DataVencimento of [
      "1955-05-05",
      "1955-05-06T23:59:59-03:00",
      "1955-02-30",
      "06/05/1955",
      "0000-01-01",
      20_260_101,
      null,
      "infinity",
      "١٩٥٥-05-05",
    ])
      await enter({ DataVencimento });
    expect((await ask({ medidas: "lancamentos" })).totais).toEqual({ lancamentos: 9 });
    expect(await rows({ por: "dia", medidas: "lancamentos" })).toEqual([
      { dia: "1955-05-05", lancamentos: 1 },
      { dia: "1955-05-06", lancamentos: 1 },
    ]);
    // Both ends are dates in Brasília, both inclusive: 01:00 UTC is the evening before.
    const until = (data_fim: string) => ask({ medidas: "lancamentos", data_fim });
    expect((await until("1955-05-06T01:00:00Z")).totais).toEqual({ lancamentos: 1 });
    expect((await until("1955-05-06T03:00:00Z")).totais).toEqual({ lancamentos: 2 });
  });

  it("with `data=sincronizacao` are of `synced_at`, to the microsecond (R20)", async () => {
    await clear();
    await enter({ DataVencimento: "1999-01-01" }, false, "1955-05-06T02:59:59.999999Z");
    await enter({}, true, "1955-05-06T03:00:00Z");
    const bySync = { data: "sincronizacao", medidas: "lancamentos" };
    expect(await rows({ ...bySync, por: "dia" })).toEqual([
      { dia: "1955-05-05", lancamentos: 1 },
      { dia: "1955-05-06", lancamentos: 1 },
    ]);
    expect((await ask({ ...bySync, data_inicio: "1955-05-06T02:59:59.9999995Z" })).totais).toEqual({
      lancamentos: 2,
    });
    expect((await ask({ ...bySync, data_inicio: "1955-05-06T03:00:00Z" })).totais).toEqual({
      lancamentos: 1,
    });
  });
});
