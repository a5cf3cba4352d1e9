import { buysProducts, productLines } from "./visits.ts";
import {
  type Clients,
  clientNumber,
  dayOf,
  FORMS,
  PROFESSIONALS,
  person,
  STORES,
  TAKEN,
  timeOf,
  withGaps,
} from "./words.ts";

/** When the last store closed. */
const CLOSED = "(pg_temp.now_() - interval '1 year')";

/** Tickets of the salons: the product lines of existing visits. */
const ofSalons = `
select 'salao' as origem, salon_id as id, estabelecimento_id as unit, data_hora as at, cliente_salon_id as client,
  cliente_nome as client_name, forma_pagamento_principal as form, raw_data -> 'produtos' as products, null::bigint as i, false as is_daily
from transacoes
where id between ${withGaps("$1")} and ${withGaps("$2")} and ${buysProducts("(id - id / 10)")}`;

/** Tickets of the stores: one per day in each store, from the first row of the day, and others in any store. */
const storeTickets = (rows: number) => `
select i, ${timeOf("i", rows)} as at, false as is_daily,
  201 + floor(pg_temp.r(i, 'store') * case when ${dayOf("i", rows)} < ${CLOSED} then ${STORES} else ${STORES - 1} end)::bigint as unit
from generate_series($1::bigint, $2::bigint) i where pg_temp.r(i, 'ticket') < 0.081
union all
select seed, ${timeOf("i", rows, "seed")}, true, 201 + store
from generate_series($1::bigint, $2::bigint) i, generate_series(0, ${STORES - 1}) store,
  lateral (select ${rows} + i * ${STORES} + store as seed) ticket
where ${dayOf("i", rows)} > ${dayOf("(i - 1)", rows)} and (store < ${STORES - 1} or ${dayOf("i", rows)} < ${CLOSED})`;

/** Tickets of the stores, which have no visits. The closed store has no sales in the last year. */
const ofStores = (rows: number, clients: Clients) => `
select 'loja', 'V' || i, unit::text, at, case when number is not null then 'C' || number + 1 end,
  case when pg_temp.r(i, 'buyer named') < 0.97 and number is not null then ${person("number", "client")} end,
  case when is_taken then ${TAKEN} when pg_temp.r(i, 'store form') < 0.98 then pg_temp.pick(i, 'paid by', ${FORMS}) end,
  products, i, is_daily
from (
  select *, case when pg_temp.r(i, 'buyer') < 0.6 and not is_taken then ${clientNumber(clients, "i", "who buys")} end as number,
    case when is_taken or pg_temp.r(i, 'sold by') < 0.3 then 5001 + floor(pg_temp.r(i, 'seller') * ${PROFESSIONALS})::int end as seller
  from (
    select *, pg_temp.r(i, 'taken') < 0.05 as is_taken, case when is_daily then 1 else 1 + (pg_temp.r(i, 'more') < 0.5)::int end as lines
    from (${storeTickets(rows)}) ticket
    offset 0
  ) ticket
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
export const sales = (rows: number, clients: Clients) => `
insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, cliente_id, cliente_nome, produto_id,
  produto_nome, quantidade, valor_unitario, valor_total, profissional_id, forma_pagamento)
select origem, id, unit, case when is_daily or ${isPresent("dated", 0.05)} then at end, client, client_name,
  case when ${isPresent("catalogued", 0.03)} then item ->> 'id' end,
  case when ${isPresent("catalogued", 0.03)} then item ->> 'nome' else 'Kit presente' end,
  case when ${isPresent("measured", 0.04)} then (item -> 'quantidade')::numeric end,
  case when ${isPresent("measured", 0.04)} and ${isPresent("priced", 0.05)} then (item -> 'valorUnitario')::numeric end,
  case when ${isPresent("priced", 0.05)} then (item -> 'valor')::numeric end,
  item ->> 'idProfissional', form
from (${ofSalons} union all ${ofStores(rows, clients)}) ticket
cross join lateral jsonb_array_elements(products) with ordinality line (item, n)
order by at, id, n`;
