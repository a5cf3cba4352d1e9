import type { Db } from "../../src/core/database.ts";
import {
  followLancamentos,
  followPagamentosErp,
  followTransacoes,
  followVendasProduto,
} from "../../src/v1/alteracoes/queries.ts";
import { frescor } from "../../src/v1/frescor/queries.ts";
import { listJobsLog } from "../../src/v1/jobs-log/queries.ts";
import { listLancamentos } from "../../src/v1/lancamentos/queries.ts";
import { listPagamentosErp } from "../../src/v1/pagamentos-erp/queries.ts";
import { listProdutos } from "../../src/v1/produtos/queries.ts";
import { listProfissionais } from "../../src/v1/profissionais/queries.ts";
import { painel } from "../../src/v1/relatorios/panel.ts";
import { pagamentosPorConta } from "../../src/v1/relatorios/payments.ts";
import { transacoesPorPeriodo } from "../../src/v1/relatorios/periods.ts";
import {
  naoMapeados,
  resumo,
  transacoesPorEstabelecimento,
  transacoesPorFormaPagamento,
  transacoesPorProfissional,
} from "../../src/v1/relatorios/queries.ts";
import { vendasPorProduto } from "../../src/v1/relatorios/sales.ts";
import { findTransacao, listTransacoes } from "../../src/v1/transacoes/queries.ts";
import { listVendasProduto } from "../../src/v1/vendas-produto/queries.ts";

export type RouteQuery = (db: Db) => Promise<unknown>;

const paging = { page: 1, per_page: 50 };
/** Payments by month of their due date. */
export const BY_MONTH = { data: "vencimento", granularidade: "mes" } as const;
/** A year whose ends are the boundaries of Brasília days. */
export const YEAR = { data_inicio: "2025-01-01T03:00:00.000000Z", data_fim: "2026-01-01T02:59:59.999999Z" };
/** Both ends fall mid-day and mid-month: the most expensive kind of range. */
export const CUT = { data_inicio: "2025-01-15T15:00:00.000000Z", data_fim: "2025-12-15T15:00:00.000000Z" };

/** Every data route, without filters and with each of its filters. */
export const ROUTES: Record<string, RouteQuery> = {
  transacoes: (db) => listTransacoes(db, paging),
  "transacoes of a unit": (db) => listTransacoes(db, { ...paging, estabelecimento_id: "103" }),
  "transacoes not sent": (db) => listTransacoes(db, { ...paging, sent_to_erp: false }),
  "transacoes of a year": (db) => listTransacoes(db, { ...paging, ...YEAR }),
  "transacoes page 100": (db) => listTransacoes(db, { ...paging, page: 100 }),
  "one transacao": (db) => findTransacao(db, { id: "T777" }),
  lancamentos: (db) => listLancamentos(db, paging),
  "lancamentos of a unit, sent": (db) =>
    listLancamentos(db, { ...paging, estabelecimento_id: "103", sent_to_salon: true }),
  "lancamentos of a year": (db) => listLancamentos(db, { ...paging, ...YEAR }),
  "lancamentos page 50": (db) => listLancamentos(db, { ...paging, page: 50 }),
  "lancamentos by cursor": (db) => listLancamentos(db, { ...paging, after_id: 0 }),
  "lancamentos of a year by cursor": (db) => listLancamentos(db, { ...paging, ...YEAR, after_id: 0 }),
  "pagamentos-erp": (db) => listPagamentosErp(db, paging),
  "pagamentos-erp pending": (db) => listPagamentosErp(db, { ...paging, situacao: "1" }),
  "pagamentos-erp of a year": (db) => listPagamentosErp(db, { ...paging, ...YEAR }),
  "pagamentos-erp of a year by cursor": (db) => listPagamentosErp(db, { ...paging, ...YEAR, after_id: 0 }),
  "vendas-produto": (db) => listVendasProduto(db, paging),
  "vendas-produto page 20": (db) => listVendasProduto(db, { ...paging, page: 20 }),
  "vendas-produto of a year": (db) => listVendasProduto(db, { ...paging, ...YEAR }),
  "jobs-log": (db) => listJobsLog(db, paging),
  produtos: (db) => listProdutos(db, paging),
  profissionais: (db) => listProfissionais(db, paging),
  resumo: (db) => resumo(db, {}),
  "resumo of a year": (db) => resumo(db, YEAR),
  "por forma": (db) => transacoesPorFormaPagamento(db, {}),
  "por forma of a year": (db) => transacoesPorFormaPagamento(db, YEAR),
  "por profissional": (db) => transacoesPorProfissional(db, {}),
  "por profissional of a year": (db) => transacoesPorProfissional(db, YEAR),
  "por mes": (db) => transacoesPorPeriodo(db, { granularidade: "mes" }),
  "por dia": (db) => transacoesPorPeriodo(db, { granularidade: "dia" }),
  "por dia of a year": (db) => transacoesPorPeriodo(db, { granularidade: "dia", ...YEAR }),
  "por estabelecimento": (db) => transacoesPorEstabelecimento(db, {}),
  "por estabelecimento of a year": (db) => transacoesPorEstabelecimento(db, YEAR),
  "nao mapeados of a year": (db) => naoMapeados(db, YEAR),
  "painel of a year by day": (db) => painel(db, { granularidade: "dia", ...YEAR }),
  frescor: (db) => frescor(db, {}),
  "vendas por produto": (db) => vendasPorProduto(db, { limite: 50 }),
  "vendas por produto of a year": (db) => vendasPorProduto(db, { limite: 50, ...YEAR }),
  "vendas por produto of a unit and a year": (db) =>
    vendasPorProduto(db, { limite: 50, estabelecimento_id: "203", ...YEAR }),
  "pagamentos por conta": (db) => pagamentosPorConta(db, BY_MONTH),
  "pagamentos por conta of a year": (db) => pagamentosPorConta(db, { ...BY_MONTH, ...YEAR }),
  "pagamentos por conta paid in a year, of a cost centre": (db) =>
    pagamentosPorConta(db, { ...BY_MONTH, data: "pagamento", id_centro_custo: "7003", ...YEAR }),
  "changes of transacoes": (db) => followTransacoes(db, { per_page: 50 }),
  "changes of lancamentos": (db) => followLancamentos(db, { per_page: 50 }),
  "changes of pagamentos-erp": (db) => followPagamentosErp(db, { per_page: 50 }),
  "changes of vendas-produto": (db) => followVendasProduto(db, { per_page: 50 }),
};
