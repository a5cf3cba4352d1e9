import { buysProducts, productLines } from "./visits.ts";
import { clientName, FORMS, PROFESSIONALS, TAKEN, withGaps } from "./words.ts";

/** What differs between kinds of warehouses. */
export interface SalesShape {
  /**
   * SQL of the tickets of stores between visits $1 and $2, with the columns `i`, `at`, `unit`, `is_daily` and
   * `number` (of the client).
   */
  tickets: string;
  /** The share of visits with product lines. */
  buyers: number;
  /** How many of the usual deliberate faults there are, from 0 to 1. */
  faults: number;
}

/** Tickets of the salons: the product lines of existing visits. */
const ofSalons = ({ buyers }: SalesShape) => `
select 'salao' as origem, salon_id as id, estabelecimento_id as unit, data_hora as at, cliente_salon_id as client,
  cliente_nome as client_name, forma_pagamento_principal as form, raw_data -> 'produtos' as products, null::bigint as i, false as is_daily
from transacoes
where id between ${withGaps("$1")} and ${withGaps("$2")} and ${buysProducts("(id - id / 10)", buyers)}`;

/** Tickets of the stores, which have no visits. */
const ofStores = ({ tickets }: SalesShape) => `
select 'loja', 'V' || i, unit::text, at, case when number is not null then 'C' || number + 1 end,
  case when pg_temp.r(i, 'buyer named') < 0.97 and number is not null then ${clientName("number")} end,
  case when is_taken then ${TAKEN} when pg_temp.r(i, 'store form') < 0.98 then pg_temp.pick(i, 'paid by', ${FORMS}) end,
  products, i, is_daily
from (
  select i, at, unit, is_daily, is_taken, case when pg_temp.r(i, 'buyer') < 0.6 and not is_taken then number end as number,
    case when is_taken or pg_temp.r(i, 'sold by') < 0.3 then 5001 + floor(pg_temp.r(i, 'seller') * ${PROFESSIONALS})::int end as seller,
    case when is_daily then 1 else 1 + (pg_temp.r(i, 'more') < 0.5)::int end as lines
  from (select *, pg_temp.r(i, 'taken') < 0.05 as is_taken from (${tickets}) ticket offset 0) ticket
  offset 0
) ticket
cross join lateral (${productLines("ticket")}) sold`;

/** False for the given share of store lines, which lack a value. Salon lines are always complete. */
const isPresent = (what: string, lacking: number) =>
  `(origem = 'salao' or pg_temp.r(i * 8 + n, '${what}') >= ${lacking})`;

/**
 * Product lines sold in salons and stores between visits $1 and $2. A line costs the catalogue price times its
 * quantity. Deliberate faults: some store lines lack the date, quantity, price, payment form or product. Salon lines
 * are complete, because they are copied from visits. A store's daily ticket has a date, so that no day lacks a sale.
 */
export const sales = (shape: SalesShape) => `
insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, cliente_id, cliente_nome, produto_id,
  produto_nome, quantidade, valor_unitario, valor_total, profissional_id, forma_pagamento)
select origem, id, unit, case when is_daily or ${isPresent("dated", 0.05 * shape.faults)} then at end, client, client_name,
  case when ${isPresent("catalogued", 0.03 * shape.faults)} then item ->> 'id' end,
  case when ${isPresent("catalogued", 0.03 * shape.faults)} then item ->> 'nome' else 'Kit presente' end,
  case when ${isPresent("measured", 0.04 * shape.faults)} then (item -> 'quantidade')::numeric end,
  case when ${isPresent("measured", 0.04 * shape.faults)} and ${isPresent("priced", 0.05 * shape.faults)} then (item -> 'valorUnitario')::numeric end,
  case when ${isPresent("priced", 0.05 * shape.faults)} then (item -> 'valor')::numeric end,
  item ->> 'idProfissional', form
from (${ofSalons(shape)} union all ${ofStores(shape)}) ticket
cross join lateral jsonb_array_elements(products) with ordinality line (item, n)
order by at, id, n`;
