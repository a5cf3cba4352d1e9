// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "../../support/worker/api.ts";
import { type Query, readReport } from "../../support/worker/general-reports.ts";

const UNIT = "cycles";
const OTHER = "cycles elsewhere";
const question = (por: string, query: Query = {}): Query => ({
  estabelecimento_id: UNIT,
  medidas: "visitas,valor_total",
  limite: "1100",
  por,
  ...query,
});
const rows = async (por: string, query?: Query) => (await readReport("visitas", question(por, query))).data;
/** The rows that have visits. */
const filled = async (por: string, query?: Query) =>
  (await rows(por, query)).filter(({ visitas }) => visitas !== 0);

let last = 0;
const visit = (at: string, total: number, unit = UNIT) => {
  last += 1;
  return sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
    values (${`${UNIT} ${last}`}, ${unit}, ${total}, ${at}, '{}')`;
};
const clear = () => sql`delete from transacoes where estabelecimento_id in (${UNIT}, ${OTHER})`;

const cell = (dia_semana: number, hora: number, visitas: number, valor_total: number) => ({
  dia_semana,
  hora,
  visitas,
  valor_total,
});

beforeAll(clear);
afterAll(clear);

describe("weekday and hour (R20)", () => {
  it("uses the clock of Brasília, also in years with summer time, and omits infinite dates (R20)", async () => {
    await clear();
    // A Sunday at 23:59 in Brasília is a Monday in UTC.
    await visit("2026-11-23T02:59:59.999999Z", 10);
    await visit("2026-11-23T03:00:00Z", 20);
    await visit("2026-11-28T18:15:00-03:00", 0.1);
    await visit("2026-11-21T18:45:00-03:00", 0.2);
    // In the summer of 2018, Brasília was two hours behind UTC: a Saturday at 23:00.
    await visit("2018-12-02T01:00:00Z", 5);
    await visit("infinity", 1000);
    await visit("-infinity", 1000);
    const all = [cell(1, 0, 1, 20), cell(6, 18, 2, 0.3), cell(6, 23, 1, 5), cell(7, 23, 1, 10)];
    expect(await filled("dia_semana,hora")).toEqual(all);
    const range = { data_inicio: "2026-11-22T00:00:00-03:00", data_fim: "2026-11-23T02:59:59.999999Z" };
    expect(await filled("dia_semana,hora", range)).toEqual([cell(7, 23, 1, 10)]);
    expect(await filled("dia_semana,hora", { data_fim: "2200-01-01T00:00:00Z" })).toEqual(all);
    expect((await readReport("visitas", question("dia_semana,hora"))).totais).toEqual({
      visitas: 5,
      valor_total: 35.3,
    });
  });

  it("filters by weekday and by hours, both inclusive, and omits infinite dates (R21)", async () => {
    const query = async (filters: Query) =>
      (await readReport("visitas", { estabelecimento_id: UNIT, medidas: "visitas", ...filters })).totais
        .visitas;
    expect(await query({})).toBe(7);
    expect(await query({ dia_semana: "6" })).toBe(3);
    expect(await query({ hora_min: "18" })).toBe(4);
    expect(await query({ hora_max: "18" })).toBe(3);
    expect(await query({ hora_min: "18", hora_max: "18" })).toBe(2);
    expect(await query({ dia_semana: "7", hora_max: "22" })).toBe(0);
    expect(await query({ hora_min: "0", hora_max: "23" })).toBe(5);
  });
});

describe("a cycle without gaps (R22)", () => {
  const keys = async (por: string, query?: Query) =>
    (await rows(por, query)).map((row) =>
      por.split(",").map((name) => row[name === "unidade" ? "estabelecimento_id" : name]),
    );

  it("has every weekday that the filter leaves, and the hours from the first to the last that has a row (R22)", async () => {
    await clear();
    await visit("2026-11-24T10:15:00-03:00", 10);
    await visit("2026-11-25T13:15:00-03:00", 20);
    const days = [1, 2, 3, 4, 5, 6, 7];
    expect(await keys("dia_semana")).toEqual(days.map((day) => [day]));
    expect(await rows("dia_semana", { dia_semana: "4" })).toEqual([
      { dia_semana: 4, visitas: 0, valor_total: 0 },
    ]);
    expect(await keys("dia_semana", { dia_semana: "3" })).toEqual([[3]]);
    const hours = [10, 11, 12, 13];
    expect(await rows("hora")).toEqual(
      hours.map((hora) => ({
        hora,
        visitas: hora === 10 || hora === 13 ? 1 : 0,
        valor_total: hora === 10 ? 10 : hora === 13 ? 20 : 0,
      })),
    );
    expect(await keys("dia_semana,hora")).toEqual(days.flatMap((day) => hours.map((hour) => [day, hour])));
    expect(await keys("hora", { hora_max: "12" })).toEqual([[10]]);
    expect(await keys("hora", { medidas: "visitas", dia_semana: "3" })).toEqual([[13]]);
  });

  it("fills both for each unit that has a row, with the hours of all units (R22)", async () => {
    await visit("2026-11-24T09:15:00-03:00", 40, OTHER);
    const medidas = "visitas";
    const { data, linhas } = await readReport("visitas", {
      por: "hora,unidade",
      medidas,
      data_inicio: "2026-11-24T00:00:00-03:00",
      data_fim: "2026-11-25T23:59:59-03:00",
      limite: "1100",
    });
    const units = [UNIT, OTHER].map((unit) =>
      data.filter(({ estabelecimento_id }) => estabelecimento_id === unit),
    );
    const hours = [...new Set(data.map(({ hora }) => hora as number))];
    expect(hours).toEqual(hours.map((_, n) => Math.min(...hours) + n));
    expect([hours.includes(9), hours.includes(13)]).toEqual([true, true]);
    for (const unit of units) expect(unit.map(({ hora }) => hora)).toEqual(hours);
    expect(linhas).toBe(data.length);
  });

  it("is not filled with another dimension (R22)", async () => {
    const medidas = "visitas";
    const range = { data_inicio: "2026-11-20T00:00:00-03:00", data_fim: "2026-11-30T00:00:00-03:00" };
    expect(await keys("dia,hora", { medidas, ...range })).toEqual([
      ["2026-11-24", 10],
      ["2026-11-25", 13],
    ]);
    expect(await keys("hora,enviada", { medidas, ...range })).toHaveLength(2);
  });

  it("has only weekdays if nothing matched, and no hours and no units (R22)", async () => {
    const none = await readReport("visitas", question("dia_semana", { estabelecimento_id: "nowhere" }));
    expect(none.data).toEqual(
      [1, 2, 3, 4, 5, 6, 7].map((day) => ({ dia_semana: day, visitas: 0, valor_total: 0 })),
    );
    for (const por of ["hora", "dia_semana,hora", "dia_semana,unidade", "dia_semana,hora,unidade"])
      expect(await readReport("visitas", question(por, { estabelecimento_id: "nowhere" }))).toEqual({
        data: [],
        linhas: 0,
        totais: { visitas: 0, valor_total: 0 },
      });
  });
});
