import { createRouter } from "../http/router.ts";
import { alteracoes } from "./alteracoes/routes.ts";
import { estabelecimentos } from "./estabelecimentos/routes.ts";
import { frescor } from "./frescor/routes.ts";
import { jobsLog } from "./jobs-log/routes.ts";
import { lancamentos } from "./lancamentos/routes.ts";
import { pagamentosErp } from "./pagamentos-erp/routes.ts";
import { produtos } from "./produtos/routes.ts";
import { profissionais } from "./profissionais/routes.ts";
import { relatorios } from "./relatorios/routes.ts";
import { transacoes } from "./transacoes/routes.ts";
import { vendasProduto } from "./vendas-produto/routes.ts";

export const v1 = createRouter()
  .route("/transacoes", transacoes)
  .route("/lancamentos", lancamentos)
  .route("/pagamentos-erp", pagamentosErp)
  .route("/profissionais", profissionais)
  .route("/estabelecimentos", estabelecimentos)
  .route("/produtos", produtos)
  .route("/vendas-produto", vendasProduto)
  .route("/jobs-log", jobsLog)
  .route("/relatorios", relatorios)
  .route("/frescor", frescor)
  .route("/alteracoes", alteracoes);
