// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../../support/api.ts";

const UNIT = "served";
const OTHER = "served elsewhere";
type Row = Record<string, unknown>;
const rows = async (report: string, query: Record<string, string> = {}) =>
  (
    await read<{ data: Row[] }>(
      `/v1/relatorios/${report}?${new URLSearchParams({ estabelecimento_id: UNIT, ...query })}`,
    )
  ).data;

let last = 0;
/** A visit with these services. */
const serve = (servicos: unknown, at = "1955-05-05T15:00:00Z", unit = UNIT, total = 100) => {
  last += 1;
  return sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
    values (${`${UNIT} ${last}`}, ${unit}, ${total}, ${at}, ${JSON.stringify(servicos)}::jsonb, '{}')`;
};
const clear = () => sql`delete from transacoes where estabelecimento_id in (${UNIT}, ${OTHER})`;

const named = (nome: string | null, quantidade: number, valor_total: number, cortesias = 0) => ({
  nome,
  quantidade,
  cortesias,
  valor_total,
});
const by = (id: string | null, servicos: number, valor_total: number, cortesias = 0, name?: string) => ({
  profissional: name ?? null,
  profissional_salon_id: id,
  estabelecimento_id: UNIT,
  servicos,
  cortesias,
  valor_total,
});

beforeAll(clear);
afterAll(clear);

describe("the report of services (R11)", () => {
  it("counts objects only, and sums each `valor` that is a JSON number (R11)", async () => {
    await clear();
    await serve([
      { nome: "Corte", valor: 0.1 },
      { nome: "Corte", valor: 0.2, cortesia: true },
      { nome: "Corte", valor: "7", cortesia: "true" },
      { nome: "Corte", valor: null, cortesia: 1 },
      { nome: "Corte", valor: -0.05 },
      "Corte",
      7,
      null,
      [{ nome: "Corte", valor: 50 }],
    ]);
    for (const servicos of [null, { nome: "Corte", valor: 9 }, "Corte", []]) await serve(servicos);
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
      values ('served without', ${UNIT}, 1, '1955-05-05T15:00:00Z', '{}')`;
    expect(await rows("servicos")).toEqual([named("Corte", 5, 0.25, 1)]);
  });

  it("groups by the first 200 characters of a text, an empty one included, and other names under null (R11)", async () => {
    await clear();
    const long = "💇".repeat(200);
    await serve([
      { nome: `${long}a`, valor: 5 },
      { nome: `${long}b`, valor: 5 },
      { nome: "", valor: 1 },
      { nome: 7, valor: 1 },
      { nome: null },
      { nome: {} },
      {},
    ]);
    expect(await rows("servicos")).toEqual([named(long, 2, 10), named("", 1, 1), named(null, 4, 1)]);
  });

  it("sums a number of any size, except one that would make sums overflow (R11)", async () => {
    await clear();
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
      values ('served huge', ${UNIT}, 1, '1955-05-05T15:00:00Z',
        '[{"nome": "a", "valor": 123456789012345678901234567890.125}, {"nome": "b", "valor": 9e131071}, {"nome": "b", "valor": 9e131071}]', '{}')`;
    const body = await (await get(`/v1/relatorios/servicos?estabelecimento_id=${UNIT}`)).text();
    expect(body).toBe(
      '{"data":[{"nome":"a","quantidade":1,"cortesias":0,"valor_total":123456789012345678901234567890.13},{"nome":"b","quantidade":2,"cortesias":0,"valor_total":0.00}]}',
    );
  });

  it("returns `limite` rows, 50 by default, highest total first, then by name with null last (R11)", async () => {
    await clear();
    await serve([
      ...Array.from({ length: 210 }, (_, i) => ({ nome: `S${i + 1}`, valor: i + 10 })),
      { nome: "b", valor: 1 },
      { valor: 1 },
      { nome: "a", valor: 1 },
    ]);
    const names = async (limite?: string) =>
      (await rows("servicos", limite === undefined ? {} : { limite })).map(({ nome }) => nome);
    const best = Array.from({ length: 200 }, (_, i) => `S${210 - i}`);
    expect(await names()).toEqual(best.slice(0, 50));
    expect(await names("200")).toEqual(best);
    await sql`update transacoes set servicos = servicos - 0 where estabelecimento_id = ${UNIT}`;
    expect(await names("1")).toEqual(["S210"]);
    for (const limite of ["0", "201"])
      await expectError(
        await get(`/v1/relatorios/servicos?limite=${limite}`),
        400,
        "Bad Request",
        /^`limite` must be an integer from 1 to 200/,
      );
    await clear();
    await serve([{ nome: "b", valor: 1 }, { valor: 1 }, { nome: "a", valor: 1 }]);
    expect(await names()).toEqual(["a", "b", null]);
  });

  it("filters by unit and range, and follows updates and removals (R11)", async () => {
    await clear();
    await serve([{ nome: "in", valor: 1 }], "1955-05-05T12:00:00Z");
    await serve([{ nome: "in", valor: 2 }], "1955-05-05T12:00:00.000001Z");
    await serve([{ nome: "elsewhere", valor: 4 }], "1955-05-05T12:00:00Z", OTHER);
    const noon = { data_inicio: "1955-05-05T09:00:00-03:00", data_fim: "1955-05-05T12:00:00Z" };
    expect(await rows("servicos", noon)).toEqual([named("in", 1, 1)]);
    expect(await rows("servicos")).toEqual([named("in", 2, 3)]);
    await sql`update transacoes set servicos = '[{"nome": "other", "valor": 9}]' where estabelecimento_id = ${UNIT} and data_hora = '1955-05-05T12:00:00Z'`;
    expect(await rows("servicos")).toEqual([named("other", 1, 9), named("in", 1, 2)]);
    await clear();
    expect(await rows("servicos")).toEqual([]);
  });
});

describe("the report of services by professional (R16)", () => {
  it("counts each service for its own professional, and adds up to the report of services (R16)", async () => {
    await clear();
    await serve([
      { idProfissionalQueRealizouServico: 900_001, nome: "Corte", valor: 80 },
      { idProfissionalQueRealizouServico: "900001", nome: "Luzes", valor: 20, cortesia: true },
      { idProfissionalQueRealizouServico: 900_002, valor: 7 },
      { idProfissionalQueRealizouServico: "", valor: 3 },
      { idProfissionalQueRealizouServico: null, valor: 2 },
      { nome: "Corte", valor: 1 },
      "900001",
    ]);
    expect(await rows("producao-por-profissional")).toEqual([
      by("900001", 2, 100, 1),
      by("900002", 1, 7),
      by(null, 3, 6),
    ]);
    const sum = (all: Row[]) => all.reduce((total, { valor_total }) => total + Number(valor_total), 0);
    expect(sum(await rows("producao-por-profissional"))).toBe(sum(await rows("servicos")));
  });

  it("names the professional of the visit's unit, and cuts an id to 200 characters (R16, V5)", async () => {
    await clear();
    await sql`insert into profissionais (nome, salon_id, salon_estabelecimento_id)
      values ('Served here', 'served 1', ${UNIT}), ('Served there', 'served 1', ${OTHER})`;
    const long = "9".repeat(200);
    try {
      await serve([
        { idProfissionalQueRealizouServico: "served 1", valor: 5 },
        { idProfissionalQueRealizouServico: `${long}1`, valor: 1 },
        { idProfissionalQueRealizouServico: `${long}2`, valor: 1 },
      ]);
      expect(await rows("producao-por-profissional")).toEqual([
        by("served 1", 1, 5, 0, "Served here"),
        by(long, 2, 2),
      ]);
    } finally {
      await sql`delete from profissionais where salon_id = 'served 1'`;
    }
  });
});

describe("`limite`", () => {
  it.each(["transacoes-por-profissional", "producao-por-profissional"])(
    "of %s is from 1 to 500, and without it every row is returned (R2, R16)",
    async (report) => {
      await clear();
      const people = Array.from({ length: 510 }, (_, i) => 700_000 + i);
      // One visit each, so that both reports have the same order.
      await sql.query(
        `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
         select '${UNIT} many ' || i, '${UNIT}', 1000 - i, '1955-05-05T15:00:00Z',
           jsonb_build_array(jsonb_build_object('idProfissionalQueRealizouServico', 700000 + i, 'valor', 1000 - i)), '{}'
         from generate_series(0, 509) i`,
      );
      const ids = async (query?: Record<string, string>) =>
        (await rows(report, query)).map((row) => Number(row.profissional_salon_id));
      expect(await ids()).toEqual(people);
      expect(await ids({ limite: "500" })).toEqual(people.slice(0, 500));
      expect(await ids({ limite: "1" })).toEqual([700_000]);
      for (const limite of ["0", "501"])
        await expectError(
          await get(`/v1/relatorios/${report}?limite=${limite}`),
          400,
          "Bad Request",
          /^`limite` must be an integer from 1 to 500/,
        );
    },
  );
});

describe("the report by weekday and hour (R12)", () => {
  const cell = (dia_semana: number, hora: number, total_transacoes: number, valor_total: number) => ({
    dia_semana,
    hora,
    total_transacoes,
    valor_total,
  });

  it("uses the clock of Brasília, also in years with summer time, and omits infinite dates (R12)", async () => {
    await clear();
    // A Sunday at 23:59 in Brasília is a Monday in UTC.
    await serve([], "2026-11-23T02:59:59.999999Z", UNIT, 10);
    await serve([], "2026-11-23T03:00:00Z", UNIT, 20);
    await serve([], "2026-11-28T18:15:00-03:00", UNIT, 0.1);
    await serve([], "2026-11-21T18:45:00-03:00", UNIT, 0.2);
    // In the summer of 2018, Brasília was two hours behind UTC: a Saturday at 23:00.
    await serve([], "2018-12-02T01:00:00Z", UNIT, 5);
    await serve([], "infinity", UNIT, 1000);
    await serve([], "-infinity", UNIT, 1000);
    expect(await rows("transacoes-por-horario")).toEqual([
      cell(1, 0, 1, 20),
      cell(6, 18, 2, 0.3),
      cell(6, 23, 1, 5),
      cell(7, 23, 1, 10),
    ]);
    const range = { data_inicio: "2026-11-22T00:00:00-03:00", data_fim: "2026-11-23T02:59:59.999999Z" };
    expect(await rows("transacoes-por-horario", range)).toEqual([cell(7, 23, 1, 10)]);
    expect(await rows("transacoes-por-horario", { data_fim: "2200-01-01T00:00:00Z" })).toHaveLength(4);
  });
});
