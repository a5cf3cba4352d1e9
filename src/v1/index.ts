/** The resources under `/v1`; each is loaded when it is first asked for. */
export const v1 = {
  "/v1/transacoes": async () => (await import("./transacoes/routes.ts")).transacoes,
  "/v1/lancamentos": async () => (await import("./lancamentos/routes.ts")).lancamentos,
  "/v1/pagamentos-erp": async () => (await import("./pagamentos-erp/routes.ts")).pagamentosErp,
  "/v1/profissionais": async () => (await import("./profissionais/routes.ts")).profissionais,
  "/v1/estabelecimentos": async () => (await import("./estabelecimentos/routes.ts")).estabelecimentos,
  "/v1/produtos": async () => (await import("./produtos/routes.ts")).produtos,
  "/v1/vendas-produto": async () => (await import("./vendas-produto/routes.ts")).vendasProduto,
  "/v1/jobs-log": async () => (await import("./jobs-log/routes.ts")).jobsLog,
  "/v1/relatorios": async () => (await import("./relatorios/routes.ts")).relatorios,
  "/v1/frescor": async () => (await import("./frescor/routes.ts")).frescor,
  "/v1/alteracoes": async () => (await import("./alteracoes/routes.ts")).alteracoes,
};
