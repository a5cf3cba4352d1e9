import type { Db } from "../../src/core/database.ts";
import type { Rights } from "../../src/core/rights.ts";
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
import { pagamentosPorCentroCusto, pagamentosPorConta } from "../../src/v1/relatorios/payments.ts";
import { transacoesPorPeriodo } from "../../src/v1/relatorios/periods.ts";
import {
  naoMapeados,
  resumo,
  transacoesPorEstabelecimento,
  transacoesPorFormaPagamento,
  transacoesPorHorario,
  transacoesPorProfissional,
} from "../../src/v1/relatorios/queries.ts";
import { vendasPorEstabelecimento, vendasPorProduto } from "../../src/v1/relatorios/sales.ts";
import { producaoPorProfissional, totaisPorServico } from "../../src/v1/relatorios/services.ts";
import { findTransacao, listTransacoes } from "../../src/v1/transacoes/queries.ts";
import { listVendasProduto } from "../../src/v1/vendas-produto/queries.ts";

export type RouteQuery = (db: Db, rights: Rights) => Promise<unknown>;

const paging = { page: 1, per_page: 50 };
/** Payments by month of their due date. */
export const BY_MONTH = { data: "vencimento", granularidade: "mes" } as const;
/** A year whose ends are the boundaries of Brasília days. */
export const YEAR = { data_inicio: "2025-01-01T03:00:00.000000Z", data_fim: "2026-01-01T02:59:59.999999Z" };
/** Both ends fall mid-day and mid-month: the most expensive kind of range. */
export const CUT = { data_inicio: "2025-01-15T15:00:00.000000Z", data_fim: "2025-12-15T15:00:00.000000Z" };

/** Every data route, without filters and with each of its filters. */
export const ROUTES: Record<string, RouteQuery> = {
  transacoes: (db, rights) => listTransacoes(db, rights, paging),
  "transacoes of a unit": (db, rights) =>
    listTransacoes(db, rights, { ...paging, estabelecimento_id: "103" }),
  "transacoes not sent": (db, rights) => listTransacoes(db, rights, { ...paging, sent_to_erp: false }),
  "transacoes of a year": (db, rights) => listTransacoes(db, rights, { ...paging, ...YEAR }),
  "transacoes page 100": (db, rights) => listTransacoes(db, rights, { ...paging, page: 100 }),
  "one transacao": (db, rights) => findTransacao(db, rights, { id: "T777" }),
  lancamentos: (db, rights) => listLancamentos(db, rights, paging),
  "lancamentos of a unit, sent": (db, rights) =>
    listLancamentos(db, rights, { ...paging, estabelecimento_id: "103", sent_to_salon: true }),
  "lancamentos of a year": (db, rights) => listLancamentos(db, rights, { ...paging, ...YEAR }),
  "lancamentos page 50": (db, rights) => listLancamentos(db, rights, { ...paging, page: 50 }),
  "lancamentos by cursor": (db, rights) => listLancamentos(db, rights, { ...paging, after_id: "0" }),
  "lancamentos of a year by cursor": (db, rights) =>
    listLancamentos(db, rights, { ...paging, ...YEAR, after_id: "0" }),
  "pagamentos-erp": (db, rights) => listPagamentosErp(db, rights, paging),
  "pagamentos-erp pending": (db, rights) => listPagamentosErp(db, rights, { ...paging, situacao: "1" }),
  "pagamentos-erp of a year": (db, rights) => listPagamentosErp(db, rights, { ...paging, ...YEAR }),
  "pagamentos-erp of a year by cursor": (db, rights) =>
    listPagamentosErp(db, rights, { ...paging, ...YEAR, after_id: "0" }),
  "vendas-produto": (db, rights) => listVendasProduto(db, rights, paging),
  "vendas-produto page 20": (db, rights) => listVendasProduto(db, rights, { ...paging, page: 20 }),
  "vendas-produto of a year": (db, rights) => listVendasProduto(db, rights, { ...paging, ...YEAR }),
  "jobs-log": (db, rights) => listJobsLog(db, rights, paging),
  produtos: (db, rights) => listProdutos(db, rights, paging),
  profissionais: (db, rights) => listProfissionais(db, rights, paging),
  resumo: (db, rights) => resumo(db, rights, {}),
  "resumo of a year": (db, rights) => resumo(db, rights, YEAR),
  "por forma": (db, rights) => transacoesPorFormaPagamento(db, rights, {}),
  "por forma of a year": (db, rights) => transacoesPorFormaPagamento(db, rights, YEAR),
  "por profissional": (db, rights) => transacoesPorProfissional(db, rights, {}),
  "por profissional of a year": (db, rights) => transacoesPorProfissional(db, rights, YEAR),
  "por mes": (db, rights) => transacoesPorPeriodo(db, rights, { granularidade: "mes" }),
  "por dia": (db, rights) => transacoesPorPeriodo(db, rights, { granularidade: "dia" }),
  "por dia of a year": (db, rights) => transacoesPorPeriodo(db, rights, { granularidade: "dia", ...YEAR }),
  "por estabelecimento": (db, rights) => transacoesPorEstabelecimento(db, rights, {}),
  "por estabelecimento of a year": (db, rights) => transacoesPorEstabelecimento(db, rights, YEAR),
  "nao mapeados of a year": (db, rights) => naoMapeados(db, rights, YEAR),
  "painel of a year by day": (db, rights) => painel(db, rights, { granularidade: "dia", ...YEAR }),
  frescor: (db, rights) => frescor(db, rights, {}),
  "vendas por produto": (db, rights) => vendasPorProduto(db, rights, { limite: 50 }),
  "vendas por produto of a year": (db, rights) => vendasPorProduto(db, rights, { limite: 50, ...YEAR }),
  "vendas por produto of a unit and a year": (db, rights) =>
    vendasPorProduto(db, rights, { limite: 50, estabelecimento_id: "203", ...YEAR }),
  "pagamentos por conta": (db, rights) => pagamentosPorConta(db, rights, BY_MONTH),
  "pagamentos por conta of a year": (db, rights) => pagamentosPorConta(db, rights, { ...BY_MONTH, ...YEAR }),
  "pagamentos por conta paid in a year, of a cost centre": (db, rights) =>
    pagamentosPorConta(db, rights, { ...BY_MONTH, data: "pagamento", id_centro_custo: "7003", ...YEAR }),
  "transacoes of a client": (db, rights) =>
    listTransacoes(db, rights, { ...paging, cliente_salon_id: "C17" }),
  "vendas-produto of a client": (db, rights) =>
    listVendasProduto(db, rights, { ...paging, cliente_id: "C17" }),
  servicos: (db, rights) => totaisPorServico(db, rights, { limite: 50 }),
  "servicos of a year": (db, rights) => totaisPorServico(db, rights, { limite: 50, ...YEAR }),
  producao: (db, rights) => producaoPorProfissional(db, rights, {}),
  "producao of a year": (db, rights) => producaoPorProfissional(db, rights, YEAR),
  "por horario": (db, rights) => transacoesPorHorario(db, rights, {}),
  "por horario of a year": (db, rights) => transacoesPorHorario(db, rights, YEAR),
  "vendas por estabelecimento": (db, rights) => vendasPorEstabelecimento(db, rights, {}),
  "vendas por estabelecimento of a year": (db, rights) => vendasPorEstabelecimento(db, rights, YEAR),
  "pagamentos por centro de custo": (db, rights) => pagamentosPorCentroCusto(db, rights, {}),
  "pagamentos por centro de custo of a year": (db, rights) => pagamentosPorCentroCusto(db, rights, YEAR),
  "changes of transacoes": (db, rights) => followTransacoes(db, rights, { per_page: 50 }),
  "changes of lancamentos": (db, rights) => followLancamentos(db, rights, { per_page: 50 }),
  "changes of pagamentos-erp": (db, rights) => followPagamentosErp(db, rights, { per_page: 50 }),
  "changes of vendas-produto": (db, rights) => followVendasProduto(db, rights, { per_page: 50 }),
};
