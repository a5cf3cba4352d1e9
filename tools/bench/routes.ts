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
import type { ReadRequest } from "../../src/platform/db/read-request.ts";
import { reports } from "./reports.ts";

export type RouteQuery = (db: Db, request: ReadRequest) => Promise<unknown>;

const paging = { page: 1, per_page: 50 };
/** A year whose ends are the boundaries of Brasília days. */
export const YEAR = { data_inicio: "2025-01-01T03:00:00.000000Z", data_fim: "2026-01-01T02:59:59.999999Z" };
/** Both ends fall mid-day and mid-month: the most expensive kind of range. */
export const CUT = { data_inicio: "2025-01-15T15:00:00.000000Z", data_fim: "2025-12-15T15:00:00.000000Z" };

/** The client with a fifth of all visits. */
const WALK_IN = "C0";

const asked =
  <Query>(
    read: (db: Db, request: ReadRequest, query: Query) => Promise<unknown>,
    query: Query,
    unit?: string,
  ): RouteQuery =>
  (db, request) =>
    read(db, unit === undefined ? request : { ...request, unit }, query);

/** Every data route, without filters and with each of its filters. */
export const ROUTES: Record<string, RouteQuery> = {
  transacoes: asked(listTransacoes.read, paging),
  "transacoes of a unit": asked(listTransacoes.read, paging, "103"),
  "transacoes not sent": asked(listTransacoes.read, { ...paging, sent_to_erp: false }),
  "transacoes of a year": asked(listTransacoes.read, { ...paging, ...YEAR }),
  "transacoes page 100": asked(listTransacoes.read, { ...paging, page: 100 }),
  "one transacao": asked(findTransacao, { id: "T777" }),
  lancamentos: asked(listLancamentos.read, paging),
  "lancamentos of a unit, sent": asked(listLancamentos.read, { ...paging, sent_to_salon: true }, "103"),
  "lancamentos of a year": asked(listLancamentos.read, { ...paging, ...YEAR }),
  "lancamentos page 50": asked(listLancamentos.read, { ...paging, page: 50 }),
  "lancamentos by cursor": asked(listLancamentos.read, { ...paging, after_id: "0" }),
  "lancamentos of a year by cursor": asked(listLancamentos.read, { ...paging, ...YEAR, after_id: "0" }),
  "pagamentos-erp": asked(listPagamentosErp.read, paging),
  "pagamentos-erp pending": asked(listPagamentosErp.read, { ...paging, situacao: "1" }),
  "pagamentos-erp of a year": asked(listPagamentosErp.read, { ...paging, ...YEAR }),
  "pagamentos-erp of a year by cursor": asked(listPagamentosErp.read, { ...paging, ...YEAR, after_id: "0" }),
  "vendas-produto": asked(listVendasProduto.read, paging),
  "vendas-produto page 20": asked(listVendasProduto.read, { ...paging, page: 20 }),
  "vendas-produto of a year": asked(listVendasProduto.read, { ...paging, ...YEAR }),
  "jobs-log": asked(listJobsLog.read, paging),
  produtos: asked(listProdutos.read, paging),
  profissionais: asked(listProfissionais.read, paging),
  resumo: asked(resumo, {}),
  "resumo of a year": asked(resumo, YEAR),
  "por forma": asked(transacoesPorFormaPagamento, {}),
  "por forma of a year": asked(transacoesPorFormaPagamento, YEAR),
  "por profissional": asked(transacoesPorProfissional, {}),
  "por profissional of a year": asked(transacoesPorProfissional, YEAR),
  "nao mapeados of a year": asked(naoMapeados, YEAR),
  "painel of a year by day": asked(painel, { granularidade: "dia", ...YEAR }),
  frescor,
  "transacoes of a client": asked(listTransacoes.read, { ...paging, cliente_salon_id: WALK_IN }),
  "vendas-produto of a client": asked(listVendasProduto.read, { ...paging, cliente_id: WALK_IN }),
  "visitas by month": asked(reports.visitas, { por: ["mes"] }),
  "visitas by day": asked(reports.visitas, { por: ["dia"] }),
  "visitas by day of a year": asked(reports.visitas, { por: ["dia"], ...YEAR }),
  "visitas by unit": asked(reports.visitas, { por: ["unidade"] }),
  "visitas by unit of a year": asked(reports.visitas, { por: ["unidade"], ...YEAR }),
  "changes of transacoes": asked(followTransacoes, { per_page: 50 }),
  "changes of lancamentos": asked(followLancamentos, { per_page: 50 }),
  "changes of pagamentos-erp": asked(followPagamentosErp, { per_page: 50 }),
  "changes of vendas-produto": asked(followVendasProduto, { per_page: 50 }),
};
