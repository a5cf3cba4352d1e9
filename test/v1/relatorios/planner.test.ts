import { getTableConfig } from "drizzle-orm/pg-core";
import { describe, expect, it } from "vitest";
import { planOf } from "../../../src/v1/relatorios/planner.ts";
import { questionOf } from "../../../src/v1/relatorios/question.ts";
import type { Plan, Source } from "../../../src/v1/relatorios/source.ts";
import { SOURCES } from "../../../src/v1/relatorios/sources/index.ts";

type SourceName = (typeof SOURCES)[number]["name"];
const sourceOf = (name: SourceName) => SOURCES.find((one) => one.name === name) as Source;

/** What a plan reads: names of tables without `_rollup`, or `rows`. */
const readingsOf = (plan: Plan): string =>
  plan
    .map((reading) => {
      if ("from" in reading) return "rows";
      const { name } = getTableConfig("rollup" in reading ? reading.rollup : reading.months);
      return `${name.replace(/_rollup$/, "")}${"byDay" in reading ? " by day" : ""}`;
    })
    .join(" + ");

interface Asked {
  por?: string;
  medidas?: string;
  filters?: string;
  data?: string;
  /** For a reader of some units, or with `estabelecimento_id`. */
  isByUnit?: true;
}

const list = (text: string | undefined) => text?.split(",");
const planned = (name: SourceName, { por, medidas, filters, data, isByUnit = undefined }: Asked): string =>
  readingsOf(
    planOf(
      questionOf(
        sourceOf(name),
        { por: list(por), medidas: list(medidas), data },
        list(filters) ?? [],
        false,
      ),
      isByUnit ?? false,
    ),
  );

describe("the plan of a question (R22)", () => {
  it.each<[SourceName, Asked, string]>([
    ["faturamento", {}, "transacoes + vendas_produto"],
    ["faturamento", { por: "mes,unidade,origem" }, "transacoes + vendas_produto"],
    [
      "faturamento",
      { por: "mes", medidas: "valor_total,meta,valor_com_meta" },
      "transacoes + vendas_produto + metas",
    ],
    ["faturamento", { por: "dia,hora" }, "transacoes_horario + vendas_horario"],
    ["faturamento", { filters: "dia_semana" }, "transacoes_horario + vendas_horario"],
    ["visitas", { medidas: "visitas,valor_total,pendentes", por: "semana,enviada" }, "transacoes"],
    ["visitas", { medidas: "visitas", filters: "sent_to_erp" }, "transacoes"],
    ["visitas", {}, "transacoes_forma"],
    ["visitas", { medidas: "visitas", por: "forma_pagamento" }, "transacoes_forma"],
    ["visitas", { medidas: "visitas,ticket_medio", por: "hora" }, "transacoes_horario"],
    ["visitas", { medidas: "visitas", por: "unidade", filters: "hora_min" }, "transacoes_horario"],
    ["visitas", { medidas: "pendentes", por: "hora" }, "rows"],
    ["visitas", { medidas: "visitas", por: "hora,forma_pagamento" }, "rows"],
    ["visitas", { medidas: "clientes" }, "rows"],
    ["visitas", { medidas: "clientes_novos" }, "rows"],
    ["visitas", { medidas: "primeira_visita" }, "rows"],
    ["visitas", { medidas: "visitas", por: "parcelas" }, "rows"],
    ["visitas", { medidas: "visitas", por: "cliente" }, "rows"],
    ["visitas", { medidas: "visitas", filters: "cliente_salon_id" }, "rows"],
    ["servicos", {}, "transacoes_servicos"],
    ["servicos", { por: "mes,servico", isByUnit: true }, "transacoes_servicos"],
    ["servicos", { por: "profissional", filters: "profissional_salon_id" }, "transacoes_servicos"],
    ["servicos", { por: "servico", filters: "profissional_salon_id" }, "rows"],
    ["servicos", { por: "dia_semana" }, "rows"],
    ["servicos", { medidas: "visitas" }, "rows"],
    ["vendas", {}, "vendas_produto"],
    ["vendas", { por: "origem", isByUnit: true }, "vendas_produto"],
    ["vendas", { por: "produto" }, "vendas_por_produto"],
    ["vendas", { filters: "produto_id,origem" }, "vendas_por_produto"],
    ["vendas", { por: "produto", isByUnit: true }, "vendas_por_unidade"],
    ["vendas", { por: "produto,unidade" }, "vendas_por_unidade"],
    ["vendas", { por: "hora,origem" }, "vendas_horario"],
    ["vendas", { por: "hora,produto" }, "rows"],
    ["vendas", { por: "profissional" }, "rows"],
    ["vendas", { por: "forma_pagamento" }, "rows"],
    ["vendas", { medidas: "transacoes" }, "rows"],
    ["vendas", { filters: "cliente_id" }, "rows"],
    ["lancamentos", { por: "pessoa,centro_custo", isByUnit: true }, "lancamentos_vencimento"],
    ["lancamentos", { filters: "pessoa,sent_to_salon" }, "lancamentos_vencimento"],
    ["lancamentos", { data: "sincronizacao", medidas: "lancamentos", por: "enviado" }, "lancamentos"],
    ["lancamentos", { data: "sincronizacao" }, "rows"],
    ["lancamentos", { data: "sincronizacao", medidas: "lancamentos", filters: "pessoa" }, "rows"],
    ["pagamentos", { medidas: "pagamentos,valor_pendente", por: "conta" }, "pagamentos_vencimento"],
    ["pagamentos", {}, "pagamentos_vencimento by day + pagamentos_vencimento"],
    [
      "pagamentos",
      { medidas: "pagamentos", por: "faixa" },
      "pagamentos_vencimento by day + pagamentos_vencimento",
    ],
    ["pagamentos", { data: "pagamento", medidas: "pagamentos", por: "mes" }, "pagamentos_pagamento"],
    ["pagamentos", { data: "pagamento" }, "rows"],
    ["pagamentos", { filters: "valor_min" }, "rows"],
  ])("of %s by %o reads %s (R22)", (source, asked, plan) => {
    expect(planned(source, asked)).toBe(plan);
  });

  it("has a plan for every combination of two names of every source (R20)", () => {
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
                const plan = planned(name as SourceName, asked);
                expect(plan, JSON.stringify({ name, ...asked })).not.toBe("");
              }
  });
});
