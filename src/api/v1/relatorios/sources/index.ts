import { clientes } from "./clientes.ts";
import { faturamento } from "./faturamento.ts";
import { lancamentos } from "./lancamentos.ts";
import { pagamentos } from "./pagamentos.ts";
import { resultado } from "./resultado.ts";
import { servicos } from "./servicos.ts";
import { vendas } from "./vendas.ts";
import { visitas } from "./visitas.ts";

/** In the order of the document. */
export const SOURCES = [
  faturamento,
  visitas,
  clientes,
  servicos,
  vendas,
  lancamentos,
  pagamentos,
  resultado,
] as const;
