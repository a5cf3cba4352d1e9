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
import {
  naoMapeados,
  resumo,
  transacoesPorFormaPagamento,
  transacoesPorProfissional,
} from "../../src/v1/relatorios/queries.ts";
import { findTransacao, listTransacoes } from "../../src/v1/transacoes/queries.ts";
import { listVendasProduto } from "../../src/v1/vendas-produto/queries.ts";
import { reports } from "./reports.ts";

export type RouteQuery = (db: Db, rights: Rights) => Promise<unknown>;

const paging = { page: 1, per_page: 50 };
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
  "nao mapeados of a year": (db, rights) => naoMapeados(db, rights, YEAR),
  "painel of a year by day": (db, rights) => painel(db, rights, { granularidade: "dia", ...YEAR }),
  frescor,
  "transacoes of a client": (db, rights) =>
    listTransacoes(db, rights, { ...paging, cliente_salon_id: "C17" }),
  "vendas-produto of a client": (db, rights) =>
    listVendasProduto(db, rights, { ...paging, cliente_id: "C17" }),
  "visitas by month": (db, rights) => reports.visitas(db, rights, { por: ["mes"] }),
  "visitas by day": (db, rights) => reports.visitas(db, rights, { por: ["dia"] }),
  "visitas by day of a year": (db, rights) => reports.visitas(db, rights, { por: ["dia"], ...YEAR }),
  "visitas by unit": (db, rights) => reports.visitas(db, rights, { por: ["unidade"] }),
  "visitas by unit of a year": (db, rights) => reports.visitas(db, rights, { por: ["unidade"], ...YEAR }),
  "changes of transacoes": (db, rights) => followTransacoes(db, rights, { per_page: 50 }),
  "changes of lancamentos": (db, rights) => followLancamentos(db, rights, { per_page: 50 }),
  "changes of pagamentos-erp": (db, rights) => followPagamentosErp(db, rights, { per_page: 50 }),
  "changes of vendas-produto": (db, rights) => followVendasProduto(db, rights, { per_page: 50 }),
};
