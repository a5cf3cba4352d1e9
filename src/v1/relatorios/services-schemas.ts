import type { z } from "@hono/zod-openapi";
import { dateRange, queryOf, withDefault } from "../../http/params.ts";
import { record, string } from "../fields.ts";
import { unit } from "../parameters.ts";
import { transacoes } from "../transacoes/table.ts";
import { amount, count, reportOf, rowLimit } from "./fields.ts";

const sums = {
  cortesias: count("Number of these services that were free (`cortesia` is true)", 1),
  valor_total: amount("Sum of `valor` of these services, in reais. Only numbers count", 2480),
};

export const TotalPorServico = record("TotalPorServico", {
  nome: string(
    "Corte feminino",
    "First 200 characters of the name; `null` for services without a name",
  ).nullable(),
  quantidade: count("Number of services with this name", 31),
  ...sums,
});

export const TotaisPorServico = reportOf("TotaisPorServico", TotalPorServico);
export type TotaisPorServico = z.output<typeof TotaisPorServico>;

const filters = {
  ...dateRange("data_hora"),
  estabelecimento_id: unit("services of visits", [transacoes.estabelecimento_id]),
};

export const TotaisPorServicoFilters = queryOf({ ...filters, limite: withDefault(rowLimit(200, 50), 50) });
export type TotaisPorServicoFilters = z.output<typeof TotaisPorServicoFilters>;

export const ProducaoDoProfissional = record("ProducaoDoProfissional", {
  profissional: string(
    "Ana Almeida",
    "Name; `null` if no professional has this id, and for services that name no professional",
  ).nullable(),
  profissional_salon_id: string(
    "5001",
    "First 200 characters of the id in the salon system; `null` for services that name no professional",
  ).nullable(),
  estabelecimento_id: string("101", "Business unit of the visits"),
  servicos: count("Number of services that the professional did", 31),
  ...sums,
});

export const ProducaoPorProfissional = reportOf("ProducaoPorProfissional", ProducaoDoProfissional);
export type ProducaoPorProfissional = z.output<typeof ProducaoPorProfissional>;

export const ProducaoFilters = queryOf({ ...filters, limite: rowLimit(500, 100).optional() });
export type ProducaoFilters = z.output<typeof ProducaoFilters>;
