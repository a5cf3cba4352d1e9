import { z } from "@hono/zod-openapi";
import { getTableColumns, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import type { servicosFacts } from "../../../../src/api/v1/facts/table.ts";
import { atLeast, different, simple } from "../../../../src/api/v1/relatorios/declarations.ts";
import { questionOf } from "../../../../src/api/v1/relatorios/question.ts";
import { selectReading } from "../../../../src/api/v1/relatorios/readings.ts";
import type { Measure, Source } from "../../../../src/api/v1/relatorios/source.ts";
import { SOURCES } from "../../../../src/api/v1/relatorios/sources/index.ts";
import { UNRESTRICTED } from "../../../../src/core/rights.ts";
import { scopeOf, scopeParameters } from "../../../../src/platform/db/scope.ts";

type SourceName = (typeof SOURCES)[number]["name"];

interface AskedReport {
  por?: string;
  medidas?: string;
  filters?: string;
  data?: string;
  /** For a reader of some units, or with `estabelecimento_id`. */
  isByUnit?: true;
}

const dialect = new PgDialect();
const list = (text: string | undefined) => text?.split(",");

/** The SQL that reads what a question needs. */
const sqlOf = (source: Source, { por, medidas, filters = "", data, isByUnit }: AskedReport): string => {
  const sent = filters === "" ? [] : filters.split(",");
  const placeholders = Object.fromEntries(sent.map((filter) => [filter, sql`${sql.placeholder(filter)}`]));
  const scope = scopeOf(UNRESTRICTED, scopeParameters(UNRESTRICTED, isByUnit && "101"));
  const asked = {
    question: questionOf(source, { por: list(por), medidas: list(medidas), data, ...placeholders }),
    placeholders,
    earlier: undefined,
    scope,
    range: {},
  };
  return dialect.sqlToQuery(selectReading(asked)).sql;
};

const readingSql = (name: SourceName, asked: AskedReport): string =>
  sqlOf(SOURCES.find((one) => one.name === name) as Source, asked);

/** The tables that a statement reads, without `_rollup`; or `facts`. */
const tablesIn = (text: string): string =>
  [...text.matchAll(/from "(\w+)"/g)]
    .map(([, name = ""]) => (name.endsWith("_facts") ? "facts" : name.replace(/_rollup$/, "")))
    .join(" + ");

const readingsOf = (source: SourceName, asked: AskedReport): string => tablesIn(readingSql(source, asked));

describe("what a question reads (R22)", () => {
  it.each<[SourceName, AskedReport, string]>([
    ["faturamento", {}, "transacoes + vendas_produto"],
    ["faturamento", { por: "mes,unidade,origem" }, "transacoes + vendas_produto"],
    [
      "faturamento",
      { por: "mes", medidas: "valor_total,meta,valor_com_meta" },
      "transacoes + vendas_produto + metas",
    ],
    ["faturamento", { por: "dia,hora" }, "transacoes_horario + facts"],
    ["faturamento", { filters: "dia_semana" }, "transacoes_horario + facts"],
    ["visitas", { medidas: "visitas,valor_total,pendentes", por: "semana,enviada" }, "transacoes"],
    ["visitas", { medidas: "visitas", filters: "sent_to_erp" }, "transacoes"],
    ["visitas", {}, "transacoes_forma"],
    ["visitas", { medidas: "visitas", por: "forma_pagamento" }, "transacoes_forma"],
    ["visitas", { medidas: "visitas,ticket_medio", por: "hora" }, "transacoes_horario"],
    ["visitas", { medidas: "visitas", por: "unidade", filters: "hora_min" }, "transacoes_horario"],
    ["visitas", { medidas: "pendentes", por: "hora" }, "facts"],
    ["visitas", { medidas: "visitas", por: "hora,forma_pagamento" }, "facts"],
    ["visitas", { medidas: "clientes" }, "facts"],
    ["visitas", { medidas: "clientes_novos" }, "facts"],
    ["visitas", { medidas: "primeira_visita" }, "facts"],
    ["visitas", { medidas: "visitas", por: "parcelas" }, "facts"],
    ["visitas", { medidas: "visitas", por: "cliente" }, "facts"],
    ["visitas", { medidas: "visitas", filters: "cliente_salon_id" }, "facts"],
    ["clientes", {}, "facts"],
    [
      "resultado",
      { por: "mes", medidas: "faturamento" },
      "transacoes + vendas_produto + facts + estabelecimentos + profissionais",
    ],
    ["servicos", {}, "servicos_profissional"],
    ["servicos", { por: "mes,servico", isByUnit: true }, "servicos_nome"],
    ["servicos", { por: "profissional", filters: "profissional_salon_id" }, "servicos_profissional"],
    ["servicos", { por: "servico", filters: "profissional_salon_id" }, "facts"],
    ["servicos", { por: "dia_semana" }, "facts"],
    ["servicos", { medidas: "visitas" }, "facts"],
    ["vendas", {}, "vendas_produto"],
    ["vendas", { por: "origem", isByUnit: true }, "vendas_produto"],
    ["vendas", { por: "produto" }, "vendas_por_unidade"],
    ["vendas", { filters: "produto_id,origem" }, "vendas_por_unidade"],
    ["vendas", { por: "produto", isByUnit: true }, "vendas_por_unidade"],
    ["vendas", { por: "produto,unidade" }, "vendas_por_unidade"],
    ["vendas", { por: "hora,origem" }, "facts"],
    ["vendas", { por: "profissional" }, "facts"],
    ["vendas", { por: "forma_pagamento" }, "facts"],
    ["vendas", { medidas: "transacoes" }, "facts"],
    ["vendas", { filters: "cliente_id" }, "facts"],
    ["lancamentos", {}, "facts"],
    ["lancamentos", { data: "sincronizacao", medidas: "lancamentos", por: "enviado" }, "lancamentos"],
    ["lancamentos", { data: "sincronizacao" }, "facts"],
    ["lancamentos", { data: "sincronizacao", medidas: "lancamentos", filters: "pessoa" }, "facts"],
    ["pagamentos", {}, "facts"],
    ["pagamentos", { data: "pagamento" }, "facts"],
  ])("of %s by %o reads %s (R22)", (source, asked, tables) => {
    expect(readingsOf(source, asked)).toBe(tables);
  });

  it("groups and filters by no sum, and counts different values of no sum (R22)", () => {
    const servicos = SOURCES.find(({ name }) => name === "servicos") as Source;
    const facts = getTableColumns(servicos.facts as typeof servicosFacts);
    const odd: Source = {
      ...servicos,
      measures: {
        servicos: servicos.measures.servicos as Measure,
        profissionais: different("", 1, sql`${facts.profissional}`),
      },
      filters: { valor_min: atLeast(z.int(), facts.valor) },
      dimensions: { valor: simple("", facts.valor, z.number()) },
    };
    expect(tablesIn(sqlOf(odd, { medidas: "servicos" }))).toBe("servicos_profissional");
    for (const asked of [{ medidas: "profissionais" }, { filters: "valor_min" }, { por: "valor" }])
      expect(tablesIn(sqlOf(odd, { medidas: "servicos", ...asked }))).toBe("facts");
  });

  it("has a reading for every combination of two names of every source (R20)", () => {
    for (const { name, dimensions, measures, filters, dates } of SOURCES as readonly Source[])
      for (const data of Object.keys(dates))
        for (const dimension of [undefined, ...Object.keys(dimensions)])
          for (const measure of Object.keys(measures).filter((one) => one !== "meta"))
            for (const filter of [undefined, ...Object.keys(filters)])
              for (const isByUnit of [undefined, true] as const) {
                const asked = {
                  data,
                  medidas: measure,
                  ...(dimension && { por: dimension }),
                  ...(filter && { filters: filter }),
                  ...(isByUnit && { isByUnit }),
                };
                const read = readingsOf(name as SourceName, asked);
                expect(read, JSON.stringify({ name, ...asked })).not.toBe("");
              }
  });

  it("reads of facts only columns that the question names (R20)", () => {
    const read = readingSql("visitas", {
      por: "parcelas",
      medidas: "ticket_medio",
      filters: "cliente_salon_id",
    });
    expect(read.match(/"visitas_facts"\."?(\w+)"?/g)?.sort()).toEqual(
      ["cliente_salon_id", "parcelas", "total"].map((column) => `"visitas_facts"."${column}"`),
    );
  });
});
