import type pg from "pg";
import type { Db, Statement } from "../../src/core/database.ts";
import type { Rights } from "../../src/core/rights.ts";
import type { ReadRequest } from "../../src/db/shape.ts";
import { followLancamentos, followTransacoes, followVendasProduto } from "../../src/v1/alteracoes/queries.ts";
import { listEstabelecimentos } from "../../src/v1/estabelecimentos/queries.ts";
import { frescor } from "../../src/v1/frescor/queries.ts";
import { listLancamentos } from "../../src/v1/lancamentos/queries.ts";
import { listProdutos } from "../../src/v1/produtos/queries.ts";
import { listProfissionais } from "../../src/v1/profissionais/queries.ts";
import { painel } from "../../src/v1/relatorios/panel.ts";
import {
  naoMapeados,
  resumo,
  transacoesPorFormaPagamento,
  transacoesPorProfissional,
} from "../../src/v1/relatorios/queries.ts";
import { listTransacoes } from "../../src/v1/transacoes/queries.ts";
import { listVendasProduto } from "../../src/v1/vendas-produto/queries.ts";
import { reports } from "./reports.ts";
import { YEAR } from "./routes.ts";
import { answer, statementOf } from "./timed.ts";

/** A request to a route whose answer depends on the units that its reader may read (A11). */
export interface Question {
  name: string;
  /** Whether the route has the parameter `estabelecimento_id`. */
  hasUnit: boolean;
  /** One statement, or several of the same kind to alternate between. */
  statementsOn: (on: pg.Client, rights: Rights, unit?: string) => Promise<Statement[]>;
}

type Ask<Q> = (db: Db, request: ReadRequest, q: Q) => Promise<unknown>;

/** @param variants the parameters to ask with, by the rest of the question's name */
const questionsTo = <Q extends object>(
  name: string,
  ask: Ask<Q>,
  variants: Record<string, Q>,
  hasUnit = true,
): Question[] =>
  Object.entries(variants).map(([variant, q]) => ({
    name: name + variant,
    hasUnit,
    statementsOn: async (_, rights, unit) => [
      await statementOf((db, request) => ask(db, request, q), { rights, unit, now: Date.now() }),
    ],
  }));

const FIRST = { page: 1, per_page: 50 };
/** A page that every reader has, even in the smallest warehouse and with a filter. */
const FOURTH = { page: 4, per_page: 50 };
const pages = <Filter extends object>(filter: Filter) => ({
  "": FIRST,
  ", page 4": FOURTH,
  " of a year": { ...FIRST, ...YEAR },
  " of a year, page 4": { ...FOURTH, ...YEAR },
  " with a filter": { ...FIRST, ...filter },
  " with a filter, page 4": { ...FOURTH, ...filter },
});
const CURSOR = { ...FIRST, after_id: "0" };
const cursors = <Filter extends object>(filter: Filter) => ({
  " by cursor": CURSOR,
  " of a year by cursor": { ...CURSOR, ...YEAR },
  " with a filter by cursor": { ...CURSOR, ...filter },
});
const periods = <Options extends object>(options: Options) => ({
  "": options,
  " of a year": { ...options, ...YEAR },
});

/** Pages at each tenth of the list: where in a block of ids a page starts is chance. */
const deepPagesOf = (name: string, ask: Ask<typeof FIRST>): Question => ({
  name: `${name}, deep pages`,
  hasUnit: true,
  statementsOn: async (on, rights, unit) => {
    const pageOf = (page: number) =>
      statementOf((db, request) => ask(db, request, { ...FIRST, page }), { rights, unit, now: Date.now() });
    const { rows } = await answer({ on, statement: await pageOf(1) });
    const { total_pages: pages } = JSON.parse(rows[0].body).pagination;
    return Promise.all(Array.from({ length: 9 }, (_, n) => pageOf(Math.ceil((pages * (n + 1)) / 10))));
  },
});

type Follow = Ask<Parameters<typeof followTransacoes>[2]>;

/** The first page of a change feed, and a page near its end. */
const changesOf = (name: string, table: string, follow: Follow): Question[] => {
  const first = (rights: Rights) =>
    statementOf((db, request) => follow(db, request, { per_page: 50 }), { rights, now: Date.now() });
  const nearEnd = async (on: pg.Client, rights: Rights) => {
    const { rows } = await answer({ on, statement: await first(rights) });
    const [, epoch = ""] = JSON.parse(rows[0].body).pagination.next_after.split(".");
    const { rows: changes } = await on.query(
      `select change from ${table}_changes order by change desc offset 60 limit 1`,
    );
    const after = { epoch, copyStart: "0", position: changes[0].change };
    return [
      await statementOf((db, request) => follow(db, request, { per_page: 50, after }), {
        rights,
        now: Date.now(),
      }),
    ];
  };
  return [
    { name: `changes of ${name}`, hasUnit: false, statementsOn: async (_, rights) => [await first(rights)] },
    { name: `changes of ${name}, near the end`, hasUnit: false, statementsOn: nearEnd },
  ];
};

export const QUESTIONS: Question[] = [
  ...questionsTo("transacoes", listTransacoes, pages({ sent_to_erp: false })),
  ...questionsTo("lancamentos", listLancamentos, pages({ sent_to_salon: false })),
  ...questionsTo("lancamentos", listLancamentos, cursors({ sent_to_salon: false })),
  ...questionsTo("vendas-produto", listVendasProduto, pages({ origem: "salao" as const })),
  deepPagesOf("transacoes", listTransacoes),
  deepPagesOf("lancamentos", listLancamentos),
  deepPagesOf("vendas-produto", listVendasProduto),
  ...questionsTo("produtos", listProdutos, { "": FIRST, ", page 2": { ...FIRST, page: 2 } }),
  ...questionsTo("profissionais", listProfissionais, { "": FIRST }),
  ...questionsTo("estabelecimentos", listEstabelecimentos, { "": {} }, false),
  ...questionsTo("frescor", frescor, { "": {} }, false),
  ...questionsTo("resumo", resumo, periods({})),
  ...questionsTo("por forma", transacoesPorFormaPagamento, periods({})),
  ...questionsTo("por profissional", transacoesPorProfissional, periods({})),
  ...questionsTo("nao mapeados", naoMapeados, periods({})),
  ...questionsTo("faturamento by month", reports.faturamento, periods({ por: ["mes"] })),
  ...questionsTo("visitas by unit", reports.visitas, periods({ por: ["unidade"] })),
  ...questionsTo("visitas by month", reports.visitas, periods({ por: ["mes"] })),
  ...questionsTo("visitas by day", reports.visitas, periods({ por: ["dia"] })),
  ...questionsTo("servicos by service", reports.servicos, periods({ por: ["servico"], limite: 50 })),
  ...questionsTo("vendas by product", reports.vendas, periods({ por: ["produto"], limite: 50 })),
  ...questionsTo("lancamentos by month", reports.lancamentos, periods({ por: ["mes"] })),
  ...questionsTo("painel by month", painel, periods({ granularidade: "mes" as const })),
  ...questionsTo("painel by day", painel, periods({ granularidade: "dia" as const })),
  ...changesOf("transacoes", "transacoes", followTransacoes),
  ...changesOf("lancamentos", "lancamentos", followLancamentos),
  ...changesOf("vendas-produto", "vendas_produto", followVendasProduto),
];
