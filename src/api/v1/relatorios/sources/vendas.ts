import { type SQL, sql } from "drizzle-orm";
import { matchFilters, whereClause } from "../../../../platform/db/conditions.ts";
import type { Scope } from "../../../../platform/db/scope.ts";
import { oneOf } from "../../../../platform/http/params.ts";
import { vendasFacts as f } from "../../facts/table.ts";
import { string } from "../../fields.ts";
import { clienteFilter, produtoFilter, unit } from "../../parameters.ts";
import {
  isTaken,
  ORIGENS,
  productKey,
  sortTime,
  vendasProduto as t,
  vendasPorUnidadeRollup,
  vendasProdutoRollup,
} from "../../vendas-produto/table.ts";
import {
  calendar,
  cliente,
  counted,
  countOf,
  cycle,
  cycleFilters,
  different,
  equal,
  feeOf,
  profissional,
  quantity,
  simple,
  summed,
  unidade,
} from "../declarations.ts";
import type { Source } from "../source.ts";

const at = sortTime(t.data_hora);

const productName = string(
  "Shampoo Suave",
  "Name in the newest line of `produto_id`, whatever the range",
).nullable();

const hasOneName = sql`count(*) = 1`; // mistake: first-name

/** The names of products that always had the same, in any unit, as an object. */
const onlyNames = sql`(
  select coalesce(jsonb_object_agg(produto_id, produto_nome), '{}')
  from (
    select produto_id, min(produto_nome) as produto_nome
    from (
      select produto_id, produto_nome
      from ${vendasPorUnidadeRollup}
      where grain = 'all' and produto_id is not null
      group by produto_id, produto_nome
      having sum(records) > 0
    ) as named
    group by produto_id
    having ${hasOneName}
  ) as single
)`;

const newestFirst = sql`${at} desc, ${t.id} desc`; // mistake: newest-by-id

const newestLine = (condition: SQL) => sql`
        select left(${t.produto_nome}, 200) as produto_nome, ${at} as at, ${t.id} as id
        from ${t}
        where ${condition}
        order by ${newestFirst}
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

const isSold = sql`not ${isTaken(f.forma_pagamento)}`;

/** The number of different transactions with lines that meet a condition. */
const transactions = (description: string, example: number, condition: SQL) =>
  different(
    `Number of different transactions ${description}. Counts of several rows do not add up`,
    example,
    sql`case when ${condition} then ${f.transacao} collate "C" end`,
  );

export const vendas: Source<"vendas"> = {
  name: "vendas",
  summary: "Product sales, by what you choose",
  description:
    "Counts and adds up product lines of salons (`origem=salao`) and stores (`loja`). `quantidade` and " +
    "`valor_total` are sales to customers; what professionals took (`Descontar do Profissional`) has " +
    "measures of its own. Visits include salon lines, also in `taxas`: do not add both. Rows add up, except " +
    "`transacoes`, `vendas` and `vendas_com_cliente`. Products without sales have no row: compare with " +
    "`GET /v1/produtos`.",
  row: "A product line: a record of `vendas-produto`.",
  list: {
    path: "vendas-produto",
    tool: "listVendasProduto",
    filters: ["origem", "produto_id", "cliente_id"],
    dates: ["data_hora"],
  },
  range: "`data_hora`",
  facts: f,
  dates: {
    data_hora: [
      {
        facts: f,
        at: f.at,
        day: f.day,
        rollups: [vendasProdutoRollup, vendasPorUnidadeRollup],
      },
    ],
  },
  unitParameter: unit("lines of", [t.estabelecimento_id]),
  dimensions: {
    ...calendar,
    ...cycle(f),
    unidade: unidade(f.estabelecimento_id),
    origem: simple("salao or loja", f.origem, string("loja", "`salao` or `loja`")),
    produto: {
      keys: {
        produto_id: { field: string("P1").nullable(), sql: sql`${f.produto_id}` },
        produto_nome: {
          field: productName,
          sql: sql`case when ${f.produto_id} is null then ${f.produto_nome} end`,
        },
      },
      labels: { produto_nome: { field: productName, sql: (_keys, scope) => newestName(scope) } },
    },
    profissional: profissional(f.profissional),
    forma_pagamento: simple(
      undefined,
      f.forma_pagamento,
      string("Pix", "Payment method of the sale").nullable(),
    ),
    cliente: cliente({
      key: f.cliente_id,
      row: "line",
      table: t,
      at: sql`coalesce(data_hora, '-infinity')`,
    }),
  },
  measures: {
    linhas: counted("Number of lines, sold and taken", 41),
    quantidade: quantity("Sum of `quantidade` of the lines sold", 60, f.quantidade),
    valor_total: summed("Sum of `valor_total` of the lines sold, in reais", 2994, f.valor_total),
    quantidade_profissional: quantity(
      "Sum of `quantidade` of what professionals took",
      2,
      f.quantidade_profissional,
    ),
    valor_profissional: summed(
      "Sum of `valor_total` of what professionals took, in reais",
      99.8,
      f.valor_profissional,
    ),
    sem_quantidade: countOf("Number of lines without `quantidade`; they count as 0", 1, f.sem_quantidade),
    transacoes: different(
      "Number of different transactions, also of what professionals took. Counts of several rows do not add up",
      38,
      sql`${f.transacao} collate "C"`,
    ),
    vendas: transactions("with a line sold", 36, isSold),
    vendas_com_cliente: transactions(
      "with a line sold that has a `cliente_id`",
      21,
      sql`${isSold} and ${f.cliente_id} is not null`,
    ),
    taxas: {
      ...summed(
        "Card fees in reais: `valor_total` × the fee of the payment method, 0 for methods without a fee",
        31.2,
        sql`${f.valor_total} * ${feeOf(f.forma_pagamento)}`,
      ),
      isDefault: false,
    },
  },
  filters: {
    ...cycleFilters(f),
    origem: equal(oneOf(ORIGENS, "Only lines of salons (`salao`) or stores (`loja`).").optional(), f.origem),
    produto_id: equal(produtoFilter, f.produto_id),
    cliente_id: equal(clienteFilter("lines"), f.cliente_id),
  },
};
