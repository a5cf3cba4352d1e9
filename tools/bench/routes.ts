import {
  followLancamentos,
  followPagamentosErp,
  followTransacoes,
  followVendasProduto,
} from "../../src/api/v1/alteracoes/queries.ts";
import { frescor } from "../../src/api/v1/frescor/queries.ts";
import { listJobsLog } from "../../src/api/v1/jobs-log/queries.ts";
import { listLancamentos } from "../../src/api/v1/lancamentos/queries.ts";
import { listPagamentosErp } from "../../src/api/v1/pagamentos-erp/queries.ts";
import { listProdutos } from "../../src/api/v1/produtos/queries.ts";
import { listProfissionais } from "../../src/api/v1/profissionais/queries.ts";
import { painel } from "../../src/api/v1/relatorios/panel.ts";
import {
  naoMapeados,
  resumo,
  transacoesPorFormaPagamento,
  transacoesPorProfissional,
} from "../../src/api/v1/relatorios/queries.ts";
import { findTransacao, listTransacoes } from "../../src/api/v1/transacoes/queries.ts";
import { listVendasProduto } from "../../src/api/v1/vendas-produto/queries.ts";
import type { Db } from "../../src/core/database.ts";
import type { ReadRequest } from "../../src/platform/db/shape.ts";
import { reports } from "./reports.ts";

export type RouteQuery = (db: Db, request: ReadRequest) => Promise<unknown>;

const paging = { page: 1, per_page: 50 };
/** A year whose ends are the boundaries of Brasília days. */
export const YEAR = { data_inicio: "2025-01-01T03:00:00.000000Z", data_fim: "2026-01-01T02:59:59.999999Z" };
/** Both ends fall mid-day and mid-month: the most expensive kind of range. */
export const CUT = { data_inicio: "2025-01-15T15:00:00.000000Z", data_fim: "2025-12-15T15:00:00.000000Z" };

/** The client with a fifth of all visits. */
const WALK_IN = "C0";

/** Every data route, without filters and with each of its filters. */
export const ROUTES: Record<string, RouteQuery> = {
  transacoes: (db, request) => listTransacoes(db, request, paging),
  "transacoes of a unit": (db, request) => listTransacoes(db, { ...request, unit: "103" }, paging),
  "transacoes not sent": (db, request) => listTransacoes(db, request, { ...paging, sent_to_erp: false }),
  "transacoes of a year": (db, request) => listTransacoes(db, request, { ...paging, ...YEAR }),
  "transacoes page 100": (db, request) => listTransacoes(db, request, { ...paging, page: 100 }),
  "one transacao": (db, request) => findTransacao(db, request, { id: "T777" }),
  lancamentos: (db, request) => listLancamentos(db, request, paging),
  "lancamentos of a unit, sent": (db, request) =>
    listLancamentos(db, { ...request, unit: "103" }, { ...paging, sent_to_salon: true }),
  "lancamentos of a year": (db, request) => listLancamentos(db, request, { ...paging, ...YEAR }),
  "lancamentos page 50": (db, request) => listLancamentos(db, request, { ...paging, page: 50 }),
  "lancamentos by cursor": (db, request) => listLancamentos(db, request, { ...paging, after_id: "0" }),
  "lancamentos of a year by cursor": (db, request) =>
    listLancamentos(db, request, { ...paging, ...YEAR, after_id: "0" }),
  "pagamentos-erp": (db, request) => listPagamentosErp(db, request, paging),
  "pagamentos-erp pending": (db, request) => listPagamentosErp(db, request, { ...paging, situacao: "1" }),
  "pagamentos-erp of a year": (db, request) => listPagamentosErp(db, request, { ...paging, ...YEAR }),
  "pagamentos-erp of a year by cursor": (db, request) =>
    listPagamentosErp(db, request, { ...paging, ...YEAR, after_id: "0" }),
  "vendas-produto": (db, request) => listVendasProduto(db, request, paging),
  "vendas-produto page 20": (db, request) => listVendasProduto(db, request, { ...paging, page: 20 }),
  "vendas-produto of a year": (db, request) => listVendasProduto(db, request, { ...paging, ...YEAR }),
  "jobs-log": (db, request) => listJobsLog(db, request, paging),
  produtos: (db, request) => listProdutos(db, request, paging),
  profissionais: (db, request) => listProfissionais(db, request, paging),
  resumo: (db, request) => resumo(db, request, {}),
  "resumo of a year": (db, request) => resumo(db, request, YEAR),
  "por forma": (db, request) => transacoesPorFormaPagamento(db, request, {}),
  "por forma of a year": (db, request) => transacoesPorFormaPagamento(db, request, YEAR),
  "por profissional": (db, request) => transacoesPorProfissional(db, request, {}),
  "por profissional of a year": (db, request) => transacoesPorProfissional(db, request, YEAR),
  "nao mapeados of a year": (db, request) => naoMapeados(db, request, YEAR),
  "painel of a year by day": (db, request) => painel(db, request, { granularidade: "dia", ...YEAR }),
  frescor,
  "transacoes of a client": (db, request) =>
    listTransacoes(db, request, { ...paging, cliente_salon_id: WALK_IN }),
  "vendas-produto of a client": (db, request) =>
    listVendasProduto(db, request, { ...paging, cliente_id: WALK_IN }),
  "visitas by month": (db, request) => reports.visitas(db, request, { por: ["mes"] }),
  "visitas by day": (db, request) => reports.visitas(db, request, { por: ["dia"] }),
  "visitas by day of a year": (db, request) => reports.visitas(db, request, { por: ["dia"], ...YEAR }),
  "visitas by unit": (db, request) => reports.visitas(db, request, { por: ["unidade"] }),
  "visitas by unit of a year": (db, request) => reports.visitas(db, request, { por: ["unidade"], ...YEAR }),
  "changes of transacoes": (db, request) => followTransacoes(db, request, { per_page: 50 }),
  "changes of lancamentos": (db, request) => followLancamentos(db, request, { per_page: 50 }),
  "changes of pagamentos-erp": (db, request) => followPagamentosErp(db, request, { per_page: 50 }),
  "changes of vendas-produto": (db, request) => followVendasProduto(db, request, { per_page: 50 }),
};
