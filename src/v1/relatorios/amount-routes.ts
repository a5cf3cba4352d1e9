import { table } from "../../http/csv.ts";
import { readRoute } from "../read-route.ts";
import { pagamentosPorCentroCusto, pagamentosPorConta } from "./payments.ts";
import {
  PagamentosPorCentroCusto,
  PagamentosPorCentroCustoFilters,
  PagamentosPorConta,
  PagamentosPorContaFilters,
} from "./payments-schemas.ts";
import { vendasPorEstabelecimento, vendasPorProduto } from "./sales.ts";
import {
  VendasPorEstabelecimento,
  VendasPorEstabelecimentoFilters,
  VendasPorProduto,
  VendasPorProdutoFilters,
} from "./sales-schemas.ts";
import { producaoPorProfissional, totaisPorServico } from "./services.ts";
import {
  ProducaoFilters,
  ProducaoPorProfissional,
  TotaisPorServico,
  TotaisPorServicoFilters,
} from "./services-schemas.ts";

/** The reports over services, sales lines and payments. */
export const amountRoutes = [
  readRoute({
    path: "/servicos",
    request: { query: TotaisPorServicoFilters },
    answer: table(TotaisPorServico, "The report"),
    operationId: "servicos",
    summary: "Services",
    description:
      "Returns the services that were done in visits, one row per name, highest `valor_total` first, at most `limite` rows. " +
      "Prices of services are included in the `total` of visits: do not add them to it.",
    read: totaisPorServico,
  }),
  readRoute({
    path: "/producao-por-profissional",
    request: { query: ProducaoFilters },
    answer: table(ProducaoPorProfissional, "The report"),
    operationId: "producaoPorProfissional",
    summary: "Services by professional",
    description:
      "Returns the services that each professional did, one row per professional and business unit, highest `valor_total` " +
      "first. Each service counts once, so you may add up rows. Services that name no professional form one row per unit.",
    read: producaoPorProfissional,
  }),
  readRoute({
    path: "/vendas-por-produto",
    request: { query: VendasPorProdutoFilters },
    answer: table(VendasPorProduto, "The report"),
    operationId: "vendasPorProduto",
    summary: "Sales by product",
    description:
      "Returns the sums of product sales lines, one row per `produto_id` and `produto_nome`, highest `valor_total` first, " +
      "at most `limite` rows. Products without sales are not listed: compare with /v1/produtos. Products that professionals took (`Descontar do Profissional`) are not sales to customers " +
      "and have separate fields. Salon lines (`origem=salao`) are already included in the totals of visits: do not add them to those totals. Store " +
      "lines (`origem=loja`) do not belong to a visit.",
    read: vendasPorProduto,
  }),
  readRoute({
    path: "/vendas-por-estabelecimento",
    request: { query: VendasPorEstabelecimentoFilters },
    answer: table(VendasPorEstabelecimento, "The report"),
    operationId: "vendasPorEstabelecimento",
    summary: "Sales by business unit",
    description:
      "Returns the sums of product sales lines, one row per business unit, salon or store, highest `valor_total` first. " +
      "What professionals took has separate fields. Salon lines are already included in the totals of visits.",
    read: vendasPorEstabelecimento,
  }),
  readRoute({
    path: "/pagamentos-por-conta",
    request: { query: PagamentosPorContaFilters },
    answer: table(PagamentosPorConta, "The report"),
    operationId: "pagamentosPorConta",
    summary: "ERP payments by account",
    description:
      "Returns the sums of ERP payments, one row per day or month and `nome_conta_classificacao`, ordered by period, then " +
      "by highest `valor_total`. For payments still to be paid that are due in a range of days, send `situacao=1`, `data_inicio` and `data_fim`. " +
      "For payments that were made, send `data=pagamento`. For one cost centre, send `id_centro_custo`. These payments " +
      "are not part of the takings of visits.",
    needs: "payments",
    read: pagamentosPorConta,
  }),
  readRoute({
    path: "/pagamentos-por-centro-custo",
    request: { query: PagamentosPorCentroCustoFilters },
    answer: table(PagamentosPorCentroCusto, "The report"),
    operationId: "pagamentosPorCentroCusto",
    summary: "ERP payments by cost centre",
    description:
      "Returns the sums of ERP payments, one row per cost centre, highest `valor_total` first: all, pending, and overdue " +
      "(pending and due before today). The range filters the due date. Without a range, payments without a due date count, too.",
    needs: "payments",
    read: pagamentosPorCentroCusto,
  }),
] as const;
