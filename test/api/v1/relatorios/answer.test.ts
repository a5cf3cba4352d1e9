// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { get, sql } from "../../../support/worker/api.ts";
import { messageOf, type Query, readReport, reportPath } from "../../../support/worker/general-reports.ts";

const UNIT = "answer";
const ask = (query: Query) => readReport("vendas", { estabelecimento_id: UNIT, ...query });

beforeAll(async () => {
  await sql.query(
    `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, quantidade, valor_total)
     select 'loja', 'answer ' || i, '${UNIT}', timestamptz '1955-01-01T15:00:00Z' + i * interval '1 day', 'P' || i, 1, i
     from generate_series(1, 210) i`,
  );
  return () => sql`delete from vendas_produto where estabelecimento_id = ${UNIT}`;
});

describe("`limite`, `linhas` and `totais` (R22)", () => {
  const question = { por: "produto", medidas: "linhas,valor_total", ordem: "-valor_total" };
  const ids = async (query: Query = {}) =>
    (await ask({ ...question, ...query })).data.map(({ produto_id }) => produto_id);
  const best = Array.from({ length: 210 }, (_, i) => `P${210 - i}`);

  it("returns 100 rows by default, and the number before the cut in `linhas` (R21, R22)", async () => {
    const { data, linhas, totais } = await ask(question);
    expect(data.map(({ produto_id }) => produto_id)).toEqual(best.slice(0, 100));
    expect(linhas).toBe(210);
    expect(totais).toEqual({ linhas: 210, valor_total: (210 * 211) / 2 });
  });

  it("returns `limite` rows in the order asked for (R21)", async () => {
    expect(await ids({ limite: "1" })).toEqual(["P210"]);
    expect(await ids({ limite: "1", ordem: "valor_total" })).toEqual(["P1"]);
    expect(await ids({ limite: "1100" })).toEqual(best);
  });

  it("does not cut a series or CSV without `limite` (R21)", async () => {
    expect((await ask({ por: "dia", medidas: "linhas" })).data).toHaveLength(210);
    expect((await ask({ por: "dia", medidas: "linhas", limite: "3" })).data).toHaveLength(3);
    const csv = async (query: Query) => {
      const path = reportPath("vendas", { estabelecimento_id: UNIT, ...question, ...query });
      return (await (await get(path)).text()).trimEnd().split("\r\n").length - 1;
    };
    expect(await csv({ formato: "csv" })).toBe(210);
    expect(await csv({ formato: "csv", limite: "7" })).toBe(7);
  });

  it("is one row of everything without `por` (R20, R22)", async () => {
    const { data, linhas, totais } = await ask({ medidas: "linhas,valor_total" });
    expect([data, linhas]).toEqual([[totais], 1]);
    expect(totais.linhas).toBe(210);
  });

  it("sorts by the first measure, or by the first period, weekday or hour (R21)", async () => {
    const first = async (query: Query) => (await ask({ limite: "1", ...query })).data[0];
    expect(await first({ por: "produto", medidas: "valor_total" })).toMatchObject({ produto_id: "P210" });
    const range = { data_inicio: "1955-01-01T00:00:00-03:00", data_fim: "1955-12-31T00:00:00-03:00" };
    expect(await first({ por: "produto,dia", ...range })).toMatchObject({ dia: "1955-01-02" });
    expect(await first({ por: "dia,produto", ordem: "-dia", ...range })).toMatchObject({
      produto_id: "P210",
    });
    expect(await first({ por: "dia_semana", ordem: "-linhas" })).toMatchObject({ linhas: 30 });
  });

  it("puts null last, either way (R21)", async () => {
    await sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, quantidade, valor_total)
      values ('loja', 'no product', ${UNIT}, '1955-01-05T15:00:00Z', 1, 0)`;
    try {
      for (const ordem of ["produto_id", "-produto_id"]) {
        const { data } = await ask({ ...question, ordem, limite: "1100" });
        expect([data.length, data.at(-1)?.produto_id]).toEqual([211, null]);
      }
    } finally {
      await sql`delete from vendas_produto where transacao_id = 'no product'`;
    }
  });
});

describe("more than 1,100 periods (R22)", () => {
  const question = (por: string, query: Query): Query => ({
    estabelecimento_id: UNIT,
    medidas: "linhas",
    por,
    ...query,
  });
  const periods = async (por: string, query: Query) =>
    (await readReport("vendas", question(por, query))).data;

  it("are a 400 that names the first and the last that matched, and only what makes fewer (R22)", async () => {
    // The sales are from 2 January to 30 July 1955.
    const from = { data_inicio: "1955-01-01T03:00:00Z" };
    const to = (data_fim: string) => ({ data_fim });
    const message = (por: string, query: Query) => messageOf("vendas", question(por, query));
    const tooMany = "The answer would have more than 1,100 periods";
    const coarser = "Send `semana` or `mes` in `por`, or";
    const matched = "Rows matched from 1955-01-02 to 1955-07-30.";
    expect(await periods("dia", { ...from, ...to("1958-01-05T02:59:59Z") })).toHaveLength(1100);
    expect(await message("dia", { ...from, ...to("1958-01-05T03:00:00Z") })).toBe(
      `${tooMany}. ${matched} ${coarser} a shorter range.`,
    );
    expect(await message("dia", { data_inicio: "1951-01-01T03:00:00Z", ...to("1955-01-01T03:00:00Z") })).toBe(
      `${tooMany}. ${coarser} a shorter range.`,
    );
    expect(await message("dia", { data_inicio: "1951-01-01T03:00:00Z" })).toBe(
      `${tooMany}. ${matched} ${coarser} both ends of a shorter range, or \`periodo\`.`,
    );
    expect(await periods("mes", to("2046-08-01T03:00:00Z"))).toHaveLength(1100);
    expect(await message("mes", to("2046-09-01T03:00:00Z"))).toBe(
      `${tooMany}. Rows matched from 1955-01-01 to 1955-07-01. Send \`ano\` in \`por\`, or both ends of a shorter range, or \`periodo\`.`,
    );
    expect(await message("dia", { data_inicio: "1951-01-01T03:00:00Z", limite: "5" })).toContain(tooMany);
  });
});

describe("more than 100,000 rows (R22)", () => {
  it("are a 400 that names the first and the last date that matched, and only what makes fewer rows (R22)", async () => {
    // Days of the rollup, which is what the question reads: 100,001 sales would take too long.
    await sql.query(
      `insert into vendas_por_unidade_rollup (grain, starts_on, estabelecimento_id, produto_id, origem, writer, records, quantidade, valor_total,
         quantidade_profissional, valor_profissional, sem_quantidade)
       select 'day', date '1955-01-01' + i % 300, '101', 'M' || i, 'loja', 99, 1, 0, 0, 0, 0, 0 from generate_series(0, 100000) i`,
    );
    try {
      const range = { data_inicio: "1955-01-01T00:00:00-03:00", data_fim: "1955-12-31T00:00:00-03:00" };
      const limit = { limite: "1" };
      const message = await messageOf("vendas", {
        por: "dia,produto",
        medidas: "linhas",
        ...range,
        ...limit,
      });
      expect(message).toBe(
        "The answer would have more than 100,000 rows. Rows matched from 1955-01-01 to 1955-10-27. " +
          "Send `semana` or `mes` in `por`, or fewer names in `por`, or a filter, or a shorter range.",
      );
    } finally {
      await sql.query(`delete from vendas_por_unidade_rollup where writer = 99 and produto_id like 'M%'`);
    }
  });
});
