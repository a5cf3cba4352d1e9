// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sql } from "../../support/worker/api.ts";
import { messageOf, type Query, readReport } from "../../support/worker/general-reports.ts";

const UNIT = "revenue";
const OTHER = "revenue elsewhere";
const MAY = { data_inicio: "1955-05-01T00:00:00-03:00", data_fim: "1955-05-31T23:59:59.999999-03:00" };
const ask = (query: Query = {}) => readReport("faturamento", { estabelecimento_id: UNIT, ...query });

let last = 0;
const visit = (total: number, at = "1955-05-05T15:00:00Z") => {
  last += 1;
  return sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
    values (${`${UNIT} ${last}`}, ${UNIT}, ${total}, ${at}, '{}')`;
};
const sell = (origin: string, worth: string | null, { taken = false, at = "1955-05-05T16:00:00Z" } = {}) =>
  sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, quantidade, valor_total, forma_pagamento)
    values (${origin}, 'sold', ${UNIT}, ${at}, 1, ${worth}, ${taken ? "Descontar do Profissional" : null})`;
const goal = (month: string, value: number, unit = UNIT) =>
  sql`insert into metas (estabelecimento_id, mes, valor) values (${unit}, ${month}, ${value})`;
const clear = async () => {
  await sql`delete from transacoes where estabelecimento_id = ${UNIT}`;
  await sql`delete from vendas_produto where estabelecimento_id = ${UNIT}`;
  await sql`delete from metas where estabelecimento_id in (${UNIT}, ${OTHER})`;
};

const sums = (valor_total: number, valor_produtos: number, visitas: number, ticket_medio: number | null) => ({
  valor_total,
  valor_servicos: Math.round(100 * (valor_total - valor_produtos)) / 100,
  valor_produtos,
  visitas,
  ticket_medio,
});

/** 300.30 in the salon, of which 8 was taken and 20 sold; 50.50 in the store. */
const addSales = async () => {
  await clear();
  await visit(100.1);
  await visit(200.2, "1955-05-06T23:00:00-03:00");
  await sell("salao", "20");
  await sell("salao", "8", { taken: true });
  await sell("loja", "50.5");
  await sell("loja", "7", { taken: true });
  await sell("loja", "NaN");
  await sell("loja", null);
};

beforeAll(clear);
afterAll(clear);

describe("revenue (R20)", () => {
  it("is visits without what professionals took in the salon, and store lines (R20)", async () => {
    await addSales();
    const all = sums(342.8, 70.5, 2, 146.15);
    expect(await ask()).toEqual({ data: [all], linhas: 1, totais: all });
    expect((await ask(MAY)).data).toEqual([all]);
    expect((await ask({ por: "origem" })).data).toEqual([
      { origem: "salao", ...sums(292.3, 20, 2, 146.15) },
      { origem: "loja", ...sums(50.5, 50.5, 0, null) },
    ]);
  });

  it("is zero without rows, and the average null (R20, R22)", async () => {
    const none = sums(0, 0, 0, null);
    expect(await ask({ estabelecimento_id: "nowhere" })).toEqual({ data: [none], linhas: 1, totais: none });
    expect(await ask({ estabelecimento_id: "nowhere", por: "origem" })).toEqual({
      data: [],
      linhas: 0,
      totais: none,
    });
  });

  it("counts undated store lines only without a range and without a calendar (R20, L2)", async () => {
    await addSales();
    await sql`update vendas_produto set data_hora = null where estabelecimento_id = ${UNIT} and valor_total = 50.5`;
    expect((await ask()).totais.valor_total).toBe(342.8);
    expect((await ask(MAY)).totais.valor_total).toBe(292.3);
    expect((await ask({ por: "mes" })).totais.valor_total).toBe(292.3);
    expect((await ask({ hora_min: "0" })).totais.valor_total).toBe(292.3);
  });

  it("is the same by weekday and hour as in all (R20)", async () => {
    await addSales();
    const { data, totais } = await ask({ por: "dia_semana,hora", ...MAY });
    expect(totais).toEqual(sums(342.8, 70.5, 2, 146.15));
    const cells = data.filter(({ valor_total }) => valor_total !== 0);
    expect(cells.map((row) => [row.dia_semana, row.hora, row.valor_total, row.visitas])).toEqual([
      [4, 12, 100.1, 1],
      [4, 13, 42.5, 0],
      [5, 23, 200.2, 1],
    ]);
  });
});

describe("`meta` (R20, B1)", () => {
  it("is the goals of the months that the range touches, also without sales (R20, B1)", async () => {
    await addSales();
    await goal("1955-05-01", 500);
    await goal("1955-06-01", 600);
    await goal("1955-06-01", 40, OTHER);
    const asked = { medidas: "valor_total,meta", por: "mes" };
    const months = async (query: Query) => (await ask({ ...asked, ...query })).data;
    expect(await months(MAY)).toEqual([{ mes: "1955-05-01", valor_total: 342.8, meta: 500 }]);
    // The whole month's, also in a part of it.
    expect(await months({ ...MAY, data_fim: "1955-05-02T12:00:00-03:00" })).toEqual([
      { mes: "1955-05-01", valor_total: 0, meta: 500 },
    ]);
    expect(await months({ data_inicio: MAY.data_inicio, data_fim: "1955-07-02T12:00:00-03:00" })).toEqual([
      { mes: "1955-05-01", valor_total: 342.8, meta: 500 },
      { mes: "1955-06-01", valor_total: 0, meta: 600 },
      { mes: "1955-07-01", valor_total: 0, meta: null },
    ]);
    const year = await readReport("faturamento", {
      ...asked,
      por: "unidade,ano",
      data_inicio: "1955-01-01T00:00:00-03:00",
      data_fim: "1955-12-31T23:59:59-03:00",
    });
    expect(
      year.data.map(({ ano, estabelecimento_id, valor_total, meta }) => [
        ano,
        estabelecimento_id,
        valor_total,
        meta,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ["1955-01-01", UNIT, 342.8, 1100],
        ["1955-01-01", OTHER, 0, 40],
      ]),
    );
    expect(year.totais.meta).toBe(1140);
  });

  it("is measured by `valor_com_meta`, the revenue of the units and months with a goal (B1)", async () => {
    await addSales();
    await visit(1000, "1955-06-05T15:00:00Z");
    await visit(70, "1955-07-05T15:00:00Z");
    await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
      values ('goalless', ${OTHER}, 5000, '1955-05-05T15:00:00Z', '{}')`;
    try {
      await goal("1955-05-01", 500);
      await goal("1955-07-01", 600);
      const range = { data_inicio: MAY.data_inicio, data_fim: "1955-07-31T23:59:59.999999-03:00" };
      const medidas = "valor_com_meta";
      const months = await ask({ por: "mes", medidas, ...range });
      expect(months.data.map(({ valor_com_meta }) => valor_com_meta)).toEqual([342.8, 0, 70]);
      expect(months.totais).toEqual({ valor_com_meta: 412.8 });
      const { data, totais } = await readReport("faturamento", { por: "ano,unidade", medidas, ...range });
      const ofUnit = data.flatMap((row) =>
        [UNIT, OTHER].includes(String(row.estabelecimento_id)) ? [row.valor_com_meta] : [],
      );
      expect([ofUnit.sort(), totais.valor_com_meta]).toEqual([[0, 412.8], 412.8]);
      const part = { ...MAY, data_fim: "1955-05-02T12:00:00-03:00" };
      expect((await ask({ por: "mes", medidas, ...part })).totais).toEqual({ valor_com_meta: 0 });
    } finally {
      await sql`delete from transacoes where estabelecimento_id = ${OTHER}`;
    }
  });

  it("is compared only over whole months that the data has passed, with whole months (B1)", async () => {
    await addSales();
    await visit(80, "1955-04-05T15:00:00Z");
    await visit(90, "1954-05-05T15:00:00Z");
    await goal("1955-05-01", 500);
    await goal("1955-04-01", 100);
    const asked = { por: "mes", medidas: "meta,valor_com_meta", ...MAY };
    expect((await ask({ ...asked, comparar: "mes-anterior" })).totais).toEqual({
      meta: 500,
      valor_com_meta: 342.8,
      anterior: { meta: 100, valor_com_meta: 80 },
    });
    expect((await ask({ ...asked, comparar: "ano-anterior" })).totais.anterior).toEqual({
      meta: null,
      valor_com_meta: 0,
    });
    const { data_inicio, data_fim, ...others } = asked;
    for (const query of [
      { ...asked, comparar: "anterior" },
      { ...asked, comparar: "semana-anterior" },
      { ...asked, comparar: "mes-anterior", data_fim: "1955-05-30T23:59:59.999999-03:00" },
      { ...others, comparar: "mes-anterior", periodo: "mes" },
      { ...others, comparar: "ano-anterior", periodo: "2199-12" },
    ] as Query[])
      for (const medidas of ["meta", "valor_total,valor_com_meta"])
        expect(await messageOf("faturamento", { ...query, medidas })).toMatch(
          /^`medidas` must not contain `(meta|valor_com_meta)` with `comparar` unless the range is whole calendar months/,
        );
  });

  it("makes no row unless it is asked for (R20)", async () => {
    await clear();
    await goal("1955-06-01", 600);
    expect((await ask({ por: "mes" })).data).toEqual([]);
    expect((await ask({ por: "mes", medidas: "meta" })).data).toEqual([{ mes: "1955-06-01", meta: 600 }]);
  });

  it.each([
    [{}],
    [{ por: "dia" }],
    [{ por: "trimestre" }],
    [{ por: "unidade" }],
    [{ por: "mes,origem" }],
    [{ por: "mes,hora" }],
    [{ por: "mes", dia_semana: "6" }, "and without other filters than `estabelecimento_id`"],
    [{ por: "mes", origem: "loja" }, "and without other filters than `estabelecimento_id`"],
    [{ por: "ano,unidade", hora_min: "9" }, "and without other filters than `estabelecimento_id`"],
  ])("with %o is a 400 (R20, R21)", async (query: Query, filters = "") => {
    for (const name of ["meta", "valor_com_meta"])
      expect(await messageOf("faturamento", { medidas: `valor_total,${name}`, ...query })).toBe(
        `\`medidas\` must not contain \`${name}\` unless \`por\` is \`mes\` or \`ano\`, alone or with \`unidade\`${
          filters && `, ${filters}`
        }. Change \`por\`, or omit \`${name}\`.`,
      );
  });
});
