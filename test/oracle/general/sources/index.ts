import type { PlainSource } from "../plain-source.ts";
import { faturamento } from "./faturamento.ts";
import { lancamentos } from "./lancamentos.ts";
import { pagamentos } from "./pagamentos.ts";
import { servicos } from "./servicos.ts";
import { vendas } from "./vendas.ts";
import { visitas } from "./visitas.ts";

export const SOURCES: Record<string, PlainSource> = {
  faturamento,
  visitas,
  servicos,
  vendas,
  lancamentos,
  pagamentos,
};
