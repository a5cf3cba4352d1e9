import type { Mount } from "../../core/policies.ts";

/** The resources under `/v1`. The first request for a resource loads it. */
export const v1 = {
  "/v1/transacoes": async () => (await import("./transacoes/routes.ts")).transacoesRoutes,
  "/v1/lancamentos": async () => (await import("./lancamentos/routes.ts")).lancamentosRoutes,
  "/v1/pagamentos-erp": async () => (await import("./pagamentos-erp/routes.ts")).pagamentosErpRoutes,
  "/v1/profissionais": async () => (await import("./profissionais/routes.ts")).profissionaisRoutes,
  "/v1/estabelecimentos": async () => (await import("./estabelecimentos/routes.ts")).estabelecimentosRoutes,
  "/v1/produtos": async () => (await import("./produtos/routes.ts")).produtosRoutes,
  "/v1/vendas-produto": async () => (await import("./vendas-produto/routes.ts")).vendasProdutoRoutes,
  "/v1/jobs-log": async () => (await import("./jobs-log/routes.ts")).jobsLogRoutes,
  "/v1/relatorios": async () => (await import("./relatorios/routes.ts")).relatoriosRoutes,
  "/v1/frescor": async () => (await import("./frescor/routes.ts")).frescorRoutes,
  "/v1/fechamentos": async () => (await import("./fechamentos/routes.ts")).fechamentosRoutes,
  "/v1/alteracoes": async () => (await import("./alteracoes/routes.ts")).alteracoesRoutes,
} satisfies { [Path in Mount]?: () => Promise<unknown> };
