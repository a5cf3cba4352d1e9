import {
  clientName,
  FORMS,
  PRODUCTS_PER_UNIT,
  product,
  professionalIn,
  SYNCED,
  TAKEN,
  withGaps,
} from "./words.ts";

const sold = product("product", "unit");

export const buysProducts = (i: string, share: number) => `pg_temp.r(${i}, 'kind') < ${share}`;

/**
 * The product lines of a ticket, as the salon system stores them. Reads the columns `i`, `unit`, `lines` (a count)
 * and `seller` (who sold or took them) of `ticket`. `priced` is their total price.
 */
export const productLines = (ticket: string) => `
select jsonb_agg(jsonb_build_object('id', id, 'nome', name, 'quantidade', quantity, 'valorUnitario', price,
    'valor', round(price * quantity, 2), 'idProfissional', seller) order by n) as products,
  sum(round(price * quantity, 2)) as priced
from (
  select n, ${sold.id} as id, ${sold.name} as name, ${sold.price} as price, seller,
    case when (i + n) % 40 = 0 then 0.5 else 1 + floor(pg_temp.r(i * 8 + n, 'quantity') * 3) end::numeric as quantity
  from (select n, ${ticket}.i, ${ticket}.unit, ${ticket}.seller,
      1 + floor(pg_temp.r(${ticket}.i * 8 + n, 'product') * ${PRODUCTS_PER_UNIT})::bigint as product
    from generate_series(1, ${ticket}.lines) n offset 0) line
  offset 0
) line`;

/** The share of visits without services. In the first half of them, a professional took products. */
export const ONLY_BUYS = 0.012;
const TAKES = ONLY_BUYS / 2;

/** What differs between kinds of warehouses. Texts are SQL. */
export interface VisitShape {
  /** Rows $1 to $2 with the columns `i`, `kind` (uniform), `unit`, `data_hora` and `number` (of the client). */
  visits: string;
  /** The number of services of visit `i`. */
  services: string;
  /** The service, its professional and its price, for service `n` of visit `i` in `unit`. */
  service: string;
  professional: string;
  price: string;
  /** The share of visits with product lines. */
  buyers: number;
  /** The share of visits that were sent, at least an hour and a half after them. */
  sent: string;
  /** The notes on visit `i`. */
  notes: string;
}

/**
 * Visits. The total is the sum of services and product lines. Visits without services have product lines only, sold
 * or taken by a professional. The salon system records instalments of credit cards only. Deliberate faults: 5 % have no
 * client, 3 % no payment form, 5 % of second and later services name no professional, and 2 % are free.
 */
export const visits = (shape: VisitShape) => `
insert into transacoes (id, salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome,
  forma_pagamento_principal, valor_pagamento, parcelas, qtd_servicos, servicos, sent_to_erp, erp_recebimento_id, sent_at,
  raw_data, synced_at)
select ${withGaps("i")}, 'T' || i, unit::text, total, data_hora, client, client_name, form,
  case when form is not null then total end,
  case form when 'Crédito Parcelado' then 2 + i % 5
    when 'Cartão de Crédito' then case when pg_temp.r(i, 'instalments') < 0.8 then 1 else 2 + i % 2 end end,
  jsonb_array_length(services), services,
  sent, case when sent then 'R' || i end, case when sent then data_hora + interval '90 minutes' end,
  jsonb_build_object('id', i, 'estabelecimento', unit::text, 'dataHora', data_hora, 'total', total,
    'cliente', jsonb_build_object('id', client, 'nome', client_name, 'fidelidade', i % 7 = 0),
    'servicos', services, 'produtos', products, 'formaPagamento', form, 'observacao', ${shape.notes}),
  -- The first hourly sync after the visit. Each sync reads the visits of the last two days again.
  ${SYNCED} - case when data_hora > pg_temp.now_() - interval '2 days' then 0
    else floor(extract(epoch from ${SYNCED} - data_hora) / 3600)::int end * interval '1 hour'
from (
  select i, unit, data_hora, services, products, coalesce(served, 0) + coalesce(priced, 0) as total,
    case when number is not null then 'C' || number + 1 end as client,
    case when pg_temp.r(i, 'named') < 0.98 and number is not null then ${clientName("number")} end as client_name,
    case when is_taken then ${TAKEN} when pg_temp.r(i, 'form known') < 0.97 then pg_temp.pick(i, 'form', ${FORMS}) end as form,
    -- Ledger entries come 20 minutes after the last sync. By then their visit has been sent.
    pg_temp.r(i, 'sent') < ${shape.sent} and data_hora + interval '90 minutes' < ${SYNCED} + interval '20 minutes' as sent
  from (
    select i, unit, kind < ${TAKES} as is_taken, data_hora,
      case when kind >= ${TAKES} and pg_temp.r(i, 'known') < 0.95 then number end as number,
      case when kind >= ${ONLY_BUYS} then ${shape.services} else 0 end as served_by,
      case when ${buysProducts("i", shape.buyers)} then 1 + (pg_temp.r(i, 'second') < 0.25)::int else 0 end as lines,
      case when kind < ${ONLY_BUYS} or pg_temp.r(i, 'sold by') < 0.3 then ${professionalIn("unit", "i")} end as seller
    from (${shape.visits}) visit
    offset 0
  ) visit
  cross join lateral (
    select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('idProfissionalQueRealizouServico', professional,
        'nome', service, 'valor', value, 'duracaoMinutos', 30 + n * 15, 'cortesia', value = 0)) order by n) as services,
      sum(value) as served
    from (
      select n, service, professional,
        case when n > 1 and pg_temp.r(i * 8 + n, 'gift') < 0.02 then 0.00 else round((${shape.price})::numeric, 2) end as value
      from (
        select n, ${shape.service} as service,
          case when n = 1 or pg_temp.r(i * 8 + n, 'pro known') < 0.95 then ${shape.professional} end as professional
        from generate_series(1, served_by) n offset 0
      ) service
    ) service
  ) served
  cross join lateral (${productLines("visit")}) sold
  offset 0
) visit`;
