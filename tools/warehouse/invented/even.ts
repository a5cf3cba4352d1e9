import type { GoalsShape } from "./goals.ts";
import type { SalesShape } from "./sales.ts";
import type { VisitShape } from "./visits.ts";
import { CLOSED, filler, professionalIn, SALONS, SERVICES, STORES, SYNCED } from "./words.ts";

/** The days that visits, sales and payments are spread over. */
const DAYS = 1095;
const REGULARS_RETURN_AFTER_DAYS = 21;

/**
 * The clients of a warehouse: one for every twelve visits, and one under whom the given share of visits is recorded.
 * The last `regulars` of them come every three weeks. A quarter of all visits are theirs.
 */
interface Clients {
  count: number;
  regulars: number;
  walkInShare: number;
}
const clientsOf = (visits: number, walkInShare: number): Clients => ({
  count: Math.ceil(visits / 12),
  regulars: Math.round((visits * REGULARS_RETURN_AFTER_DAYS) / DAYS / 4),
  walkInShare,
});

/** The number of a client, from 0, or -1 for the walk-in client. */
const clientNumber = ({ count, regulars, walkInShare }: Clients, i: string, name: string) =>
  `case when pg_temp.r(${i}, 'walk in') < ${walkInShare} then -1 else floor(pg_temp.r(${i}, '${name}') * ${count - regulars})::bigint end`;

/** The number of the regular client whose turn visit i is, or null. Their turns are even steps, in a fixed order. */
const regularNumber = ({ count, regulars }: Clients, i: string, rows: number) => {
  const turn = (visit: string) => `${visit} * ${DAYS * regulars} / ${rows * REGULARS_RETURN_AFTER_DAYS}`;
  return `case when ${turn(i)} > ${turn(`(${i} - 1)`)} then ${count - regulars} + ${turn(i)} % ${Math.max(regulars, 1)} end`;
};

/** The day of row i: even steps over the last three years. */
const dayOf = (i: string, rows: number) =>
  `date_trunc('day', pg_temp.now_() - interval '${DAYS} days' * ((${rows} - ${i})::float8 / ${rows}))`;

/**
 * The time of row i: on its day, within opening hours in Brasília. 45 % are in the three hours after work. Times after
 * the last sync move to the previous day. Rows of one day with different seeds have different hours.
 */
export const timeOf = (i: string, rows: number, seed = i) => {
  const at = `${dayOf(i, rows)} + case when pg_temp.r(${seed}, 'after work') < 0.25
    then interval '17 hours' + pg_temp.r(${seed}, 'hour') * interval '3 hours'
    else interval '9 hours' + pg_temp.r(${seed}, 'hour') * interval '11 hours' end`;
  return `(${at} - case when ${at} < ${SYNCED} then interval '0' else interval '1 day' end)`;
};

const BUYERS = 0.025;

/** Most visits of a Monday are on the Saturday before. A regular client comes to one salon. */
const visits = (rows: number, clients: Clients) => `
select i, kind, unit, coalesce(regular, ${clientNumber(clients, "i", "client")}) as number,
  data_hora - case when extract(isodow from data_hora) = 1 and pg_temp.r(i, 'monday') < 0.95 then interval '2 days' else '0' end as data_hora
from (select *, 101 + coalesce(regular % ${SALONS}, floor(pg_temp.r(i, 'unit') * ${SALONS})::bigint) as unit
  from (select i, pg_temp.r(i, 'kind') as kind, ${timeOf("i", rows)} as data_hora,
      case when pg_temp.r(i, 'walk in') >= ${clients.walkInShare} then ${regularNumber(clients, "i", rows)} end as regular
    from generate_series($1::bigint, $2::bigint) i offset 0) visit
  offset 0
) visit`;

/**
 * Tickets of the stores: one per day in each store, from the first row of the day, and others in any store. The closed
 * store has no sales in the last year.
 */
const tickets = (rows: number, clients: Clients) => `
select *, ${clientNumber(clients, "i", "who buys")} as number
from (
  select i, ${timeOf("i", rows)} as at, false as is_daily,
    201 + floor(pg_temp.r(i, 'store') * case when ${dayOf("i", rows)} < ${CLOSED} then ${STORES} else ${STORES - 1} end)::bigint as unit
  from generate_series($1::bigint, $2::bigint) i where pg_temp.r(i, 'ticket') < 0.081
  union all
  select seed, ${timeOf("i", rows, "seed")}, true, 201 + store
  from generate_series($1::bigint, $2::bigint) i, generate_series(0, ${STORES - 1}) store,
    lateral (select ${rows} + i * ${STORES} + store as seed) ticket
  where ${dayOf("i", rows)} > ${dayOf("(i - 1)", rows)} and (store < ${STORES - 1} or ${dayOf("i", rows)} < ${CLOSED})
) ticket`;

/** Visits and sales in even steps over three years: the warehouse of tests and the bench, of any size. */
export const even = (rows: number, walkInShare: number): VisitShape & SalesShape => {
  const clients = clientsOf(rows, walkInShare);
  return {
    visits: visits(rows, clients),
    tickets: tickets(rows, clients),
    services: "1 + floor(pg_temp.r(i, 'services') * 4)::int",
    service: `pg_temp.pick(i * 8 + n, 'service', ${SERVICES})`,
    professional: professionalIn("unit", "i * 8 + n"),
    price: "30 + pg_temp.r(i * 8 + n, 'value') * 200",
    buyers: BUYERS,
    sent: "0.9",
    notes: filler("i", 950),
    faults: 1,
  };
};

/** Goals for the months of this year. */
export const EVEN_GOALS: GoalsShape = {
  first: "date_trunc('year', pg_temp.now_())",
  others: "11",
  season: "1",
};
