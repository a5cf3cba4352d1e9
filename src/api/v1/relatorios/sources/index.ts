import { faturamento } from "./faturamento.ts";
import { lancamentos } from "./lancamentos.ts";
import { pagamentos } from "./pagamentos.ts";
import { servicos } from "./servicos.ts";
import { vendas } from "./vendas.ts";
import { visitas } from "./visitas.ts";

/** In the order of the document. */
export const SOURCES = [faturamento, visitas, servicos, vendas, lancamentos, pagamentos] as const;
