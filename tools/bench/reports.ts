import { generalReport } from "../../src/api/v1/relatorios/general-report.ts";
import { faturamento } from "../../src/api/v1/relatorios/sources/faturamento.ts";
import { lancamentos } from "../../src/api/v1/relatorios/sources/lancamentos.ts";
import { pagamentos } from "../../src/api/v1/relatorios/sources/pagamentos.ts";
import { servicos } from "../../src/api/v1/relatorios/sources/servicos.ts";
import { vendas } from "../../src/api/v1/relatorios/sources/vendas.ts";
import { visitas } from "../../src/api/v1/relatorios/sources/visitas.ts";

/** The general reports by their source (R20). */
export const reports = {
  faturamento: generalReport(faturamento),
  visitas: generalReport(visitas),
  servicos: generalReport(servicos),
  vendas: generalReport(vendas),
  lancamentos: generalReport(lancamentos),
  pagamentos: generalReport(pagamentos),
};
