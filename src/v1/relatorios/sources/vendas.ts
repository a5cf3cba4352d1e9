import { type SQL, sql } from "drizzle-orm";
import { matchFilters, whereClause } from "../../../db/conditions.ts";
import type { Scope } from "../../../db/scope.ts";
import { oneOf, text } from "../../../http/params.ts";
import { vendasFacts as facts } from "../../facts/table.ts";
import { string } from "../../fields.ts";
import { clientFilter, unit } from "../../parameters.ts";
import {
  ORIGENS,
  productKey,
  sortTime,
  vendasProduto as t,
  vendasHorarioRollup,
  vendasPorProdutoRollup,
  vendasPorUnidadeRollup,
  vendasProdutoRollup,
} from "../../vendas-produto/table.ts";
import {
  calendar,
  client,
  counted,
  countOf,
  cycle,
  cycleFilters,
  different,
  equal,
  profissional,
  quantity,
  readingOf,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Source } from "../source.ts";

const sums = {
  origem: true,
  quantidade: true,
  valor_total: true,
  quantidade_profissional: true,
  valor_profissional: true,
  sem_quantidade: true,
} as const;
const product = { produto_id: true, produto_nome: true } as const;

const at = sortTime(t.data_hora);

const productName = string(
  "Shampoo Suave",
  "Name in the newest line of `produto_id`, whatever the range",
).nullable();

/** The names of products that always had the same, in any unit, as an object. */
const onlyNames = sql`(
  select coalesce(jsonb_object_agg(produto_id, produto_nome), '{}')
  from (
    select produto_id, min(produto_nome) as produto_nome
    from (
      select produto_id, produto_nome
      from ${vendasPorProdutoRollup}
      where grain = 'all' and produto_id is not null
      group by produto_id, produto_nome
      having sum(records) > 0
    ) as named
    group by produto_id
    having count(*) = 1
  ) as single
)`;

const newestLine = (condition: SQL) => sql`
        select left(${t.produto_nome}, 200) as produto_nome, ${at} as at, ${t.id} as id
        from ${t}
        where ${condition}
        order by ${at} desc, ${t.id} desc
        limit 1`;

/** Reads one index entry; of a limited reader, or if the id may be cut, one of each unit. */
const newestOfSeveral = ({ ownUnits }: Scope) => {
  const units = sql`
      select array_agg(distinct estabelecimento_id)
      from ${vendasProdutoRollup}
      ${whereClause(sql`grain = 'all'`, matchFilters({ estabelecimento_id: ownUnits }))}`;
  const ofUnit = sql`${productKey(t.produto_id)} = answer.produto_id and ${t.estabelecimento_id} = unit`;
  const ofUnits = sql`(
    select newest.produto_nome
    from unnest((${units})) as unit
      cross join lateral (${newestLine(ofUnit)}) as newest
    order by newest.at desc, newest.id desc
    limit 1
  )`;
  return ownUnits.value
    ? ofUnits
    : sql`case
      when length(answer.produto_id) = 200 then ${ofUnits}
      else (select newest.produto_nome from (${newestLine(sql`${t.produto_id} = answer.produto_id`)}) as newest)
    end`;
};

/** The name in the newest line of a product (R20). */
const newestName = (scope: Scope) => sql`case
    when answer.produto_id is null then answer.produto_nome
    when ${onlyNames} ? answer.produto_id then ${onlyNames} ->> answer.produto_id
    else ${newestOfSeveral(scope)}
  end`;

export const vendas: Source<"vendas"> = {
  name: "vendas",
  summary: "Product sales, by what you choose",
  description:
    "Counts and adds up product lines of salons (`origem=salao`) and stores (`loja`). `quantidade` and " +
    "`valor_total` are sales to customers; what professionals took (`Descontar do Profissional`) has " +
    "measures of its own. Visits include salon lines: do not add both. Rows add up, except " +
    "`transacoes`. Products without sales have no row: compare with `GET /v1/produtos`.",
  range: "`data_hora`",
  dates: {
    data_hora: {
      isDateColumn: false,
      plans: [
        [{ rollup: vendasProdutoRollup, facts: { ...sums, estabelecimento_id: true } }],
        [{ rollup: vendasPorProdutoRollup, facts: { ...sums, ...product } }],
        [{ rollup: vendasPorUnidadeRollup, facts: { ...sums, ...product, estabelecimento_id: true } }],
        [
          {
            rollup: vendasHorarioRollup,
            facts: { ...sums, estabelecimento_id: true, dia_semana: true, hora: true },
          },
        ],
        [readingOf(facts, { at: facts.at, day: facts.day })],
      ],
    },
  },
  unitParameter: unit("lines of", [t.estabelecimento_id]),
  dimensions: {
    ...calendar,
    ...cycle,
    unidade,
    origem: simple("salao or loja", "origem", string("loja", "`salao` or `loja`")),
    produto: {
      facts: ["produto_id", "produto_nome"],
      keys: {
        produto_id: { field: string("P1").nullable(), sql: sql`produto_id` },
        produto_nome: { field: productName, sql: sql`case when produto_id is null then produto_nome end` },
      },
      labels: { produto_nome: { field: productName, sql: (_keys, scope) => newestName(scope) } },
    },
    profissional,
    forma_pagamento: simple(
      undefined,
      "forma_pagamento",
      string("Pix", "Payment method of the sale").nullable(),
    ),
    cliente: client({
      key: "cliente_id",
      row: "line",
      table: t,
      at: sql`coalesce(data_hora, '-infinity')`,
    }),
  },
  measures: {
    linhas: counted("Number of lines, sold and taken", 41),
    quantidade: quantity("Sum of `quantidade` of the lines sold", 60, "quantidade"),
    valor_total: summed({
      description: "Sum of `valor_total` of the lines sold, in reais",
      example: 2994,
      sql: sql`valor_total`,
      facts: ["valor_total"],
    }),
    quantidade_profissional: quantity(
      "Sum of `quantidade` of what professionals took",
      2,
      "quantidade_profissional",
    ),
    valor_profissional: summed({
      description: "Sum of `valor_total` of what professionals took, in reais",
      example: 99.8,
      sql: sql`valor_profissional`,
      facts: ["valor_profissional"],
    }),
    sem_quantidade: countOf("Number of lines without `quantidade`; they count as 0", 1, "sem_quantidade"),
    transacoes: different(
      "Number of different transactions. Counts of several rows do not add up",
      38,
      sql`transacao collate "C"`,
      "transacao",
    ),
  },
  filters: {
    ...cycleFilters,
    origem: equal(oneOf(ORIGENS, "Only lines of salons (`salao`) or stores (`loja`).").optional(), "origem"),
    produto_id: equal(
      text({ max: 64, example: "P1", description: "Only lines of this product." }).optional(),
      "produto_id",
    ),
    cliente_id: equal(clientFilter("lines"), "cliente_id"),
  },
};
