// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { expectError, get, read, sql } from "../../support/worker/api.ts";
import { type Query, type Row, readReport, reportPath } from "../../support/worker/general-reports.ts";

const UNIT = "served";
const OTHER = "served elsewhere";
const question = (por: string, query: Query = {}): Query => ({
  estabelecimento_id: UNIT,
  por,
  ordem: "-valor_total",
  ...query,
});
const rows = async (por: string, query?: Query) => (await readReport("servicos", question(por, query))).data;

let last = 0;
/** A visit with these services. */
const serve = (servicos: unknown, at = "1955-05-05T15:00:00Z", unit = UNIT, total = 100) => {
  last += 1;
  return sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
    values (${`${UNIT} ${last}`}, ${unit}, ${total}, ${at}, ${JSON.stringify(servicos)}::jsonb, '{}')`;
};
const clear = () => sql`delete from transacoes where estabelecimento_id in (${UNIT}, ${OTHER})`;

const named = (servico: string | null, servicos: number, valor_total: number, cortesias = 0) => ({
  servico,
  servicos,
  cortesias,
  valor_total,
});
const by = (id: string | null, servicos: number, valor_total: number, cortesias = 0, name?: string) => ({
  estabelecimento_id: UNIT,
  unidade_nome: null,
  profissional_salon_id: id,
  profissional: name ?? null,
  servicos,
  cortesias,
  valor_total,
});

beforeAll(clear);
afterAll(clear);

describe("services by name (R20)", () => {
  it("counts objects only, and sums each `valor` that is a JSON number (R20)", async () => {
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
    expect(await rows("servico")).toEqual([named("Corte", 5, 0.25, 1)]);
    // The same from the rows, with the visits that have such objects.
    const range = { data_inicio: "1955-05-01T00:00:00Z", data_fim: "1955-05-31T00:00:00Z" };
    const scanned = await readReport("servicos", question("servico,profissional,hora", range));
    expect(scanned.totais).toEqual({ servicos: 5, cortesias: 1, valor_total: 0.25 });
    const visits = await readReport(
      "servicos",
      question("servico", { ...range, medidas: "visitas,valor_total" }),
    );
    expect(visits.data).toEqual([{ servico: "Corte", valor_total: 0.25, visitas: 1 }]);
  });

  it("groups by the first 200 characters of a text, an empty one included, and other names under null (R20)", async () => {
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
    expect(await rows("servico")).toEqual([named(long, 2, 10), named("", 1, 1), named(null, 4, 1)]);
  });

  it("sums a number of any size, except one that would make sums overflow (R20)", async () => {
    await clear();
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
      values ('served huge', ${UNIT}, 1, '1955-05-05T15:00:00Z',
        '[{"nome": "a", "valor": 123456789012345678901234567890.125}, {"nome": "b", "valor": 9e131071}, {"nome": "b", "valor": 9e131071}]', '{}')`;
    const range = { data_inicio: "1955-05-01T00:00:00Z", data_fim: "1955-05-31T00:00:00Z" };
    for (const medidas of ["servicos,cortesias,valor_total", "servicos,cortesias,valor_total,visitas"]) {
      const body = await (
        await get(reportPath("servicos", question("servico", { ...range, medidas })))
      ).text();
      const isCounted = medidas.includes("visitas") ? ',"visitas":1' : "";
      expect(body).toBe(
        `{"data":[{"servico":"a","servicos":1,"cortesias":0,"valor_total":123456789012345678901234567890.13${isCounted}},` +
          `{"servico":"b","servicos":2,"cortesias":0,"valor_total":0.00${isCounted}}],"linhas":2,` +
          `"totais":{"servicos":3,"cortesias":0,"valor_total":123456789012345678901234567890.13${isCounted}}}`,
      );
    }
  });

  it("orders ties by name with null last (R21)", async () => {
    await clear();
    await serve([{ nome: "b", valor: 1 }, { valor: 1 }, { nome: "a", valor: 1 }]);
    expect((await rows("servico")).map(({ servico }) => servico)).toEqual(["a", "b", null]);
  });

  it("filters by unit, range, name and professional, and follows updates and removals (R20)", async () => {
    await clear();
    await serve([{ nome: "in", valor: 1, idProfissionalQueRealizouServico: 7 }], "1955-05-05T12:00:00Z");
    await serve([{ nome: "in", valor: 2 }], "1955-05-05T12:00:00.000001Z");
    await serve([{ nome: "elsewhere", valor: 4 }], "1955-05-05T12:00:00Z", OTHER);
    const noon = { data_inicio: "1955-05-05T09:00:00-03:00", data_fim: "1955-05-05T12:00:00Z" };
    expect(await rows("servico", noon)).toEqual([named("in", 1, 1)]);
    expect(await rows("servico", { ...noon, profissional_salon_id: "7" })).toEqual([named("in", 1, 1)]);
    expect(await rows("servico", { ...noon, profissional_salon_id: "8" })).toEqual([]);
    expect(await rows("servico")).toEqual([named("in", 2, 3)]);
    await sql`update transacoes set servicos = '[{"nome": "other", "valor": 9}]' where estabelecimento_id = ${UNIT} and data_hora = '1955-05-05T12:00:00Z'`;
    expect(await rows("servico")).toEqual([named("other", 1, 9), named("in", 1, 2)]);
    expect(await rows("servico", { servico: "other" })).toEqual([named("other", 1, 9)]);
    await clear();
    expect(await rows("servico")).toEqual([]);
  });
});

describe("services by professional (R20)", () => {
  it("counts each service for its own professional, and adds up to the services (R20)", async () => {
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
    const people = [by("900001", 2, 100, 1), by("900002", 1, 7), by(null, 3, 6)];
    expect(await rows("unidade,profissional")).toEqual(people);
    expect(await rows("profissional")).toEqual(
      people.map(({ estabelecimento_id, unidade_nome, ...person }) => person),
    );
    const sum = (all: Row[]) => all.reduce((total, { valor_total }) => total + Number(valor_total), 0);
    expect(sum(await rows("profissional"))).toBe(sum(await rows("servico")));
  });

  it("names the professional of the unit, and cuts an id to 200 characters (R20, V5)", async () => {
    await clear();
    await sql`insert into profissionais (nome, salon_id, salon_estabelecimento_id)
      values ('Served first', 'served 1', ${OTHER}), ('Served here', 'served 1', ${UNIT})`;
    const long = "9".repeat(200);
    try {
      await serve([
        { idProfissionalQueRealizouServico: "served 1", valor: 5 },
        { idProfissionalQueRealizouServico: `${long}1`, valor: 1 },
        { idProfissionalQueRealizouServico: `${long}2`, valor: 1 },
      ]);
      expect(await rows("unidade,profissional")).toEqual([
        by("served 1", 1, 5, 0, "Served here"),
        by(long, 2, 2),
      ]);
      // Without `unidade`, no unit is preferred.
      const [first] = await rows("profissional");
      expect(first).toMatchObject({ profissional_salon_id: "served 1", profissional: "Served first" });
    } finally {
      await sql`delete from profissionais where salon_id = 'served 1'`;
    }
  });
});

describe("visits by professional", () => {
  it("have a `limite` from 1 to 500, and all rows without it (R2)", async () => {
    await clear();
    const people = Array.from({ length: 510 }, (_, i) => 700_000 + i);
    await sql.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, servicos, raw_data)
       select '${UNIT} many ' || i, '${UNIT}', 1000 - i, '1955-05-05T15:00:00Z',
         jsonb_build_array(jsonb_build_object('idProfissionalQueRealizouServico', 700000 + i, 'valor', 1000 - i)), '{}'
       from generate_series(0, 509) i`,
    );
    const report = "/v1/relatorios/transacoes-por-profissional";
    const ids = async (query: Query = {}) =>
      (
        await read<{ data: Row[] }>(
          `${report}?${new URLSearchParams({ estabelecimento_id: UNIT, ...query })}`,
        )
      ).data.map((row) => Number(row.profissional_salon_id));
    expect(await ids()).toEqual(people);
    expect(await ids({ limite: "500" })).toEqual(people.slice(0, 500));
    expect(await ids({ limite: "1" })).toEqual([700_000]);
    for (const limite of ["0", "501"])
      await expectError(
        await get(`${report}?limite=${limite}`),
        400,
        "Bad Request",
        /^`limite` must be an integer from 1 to 500/,
      );
  });
});
