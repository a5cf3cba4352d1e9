import type { GoalsShape } from "./goals.ts";
import { completePayment } from "./payments.ts";
import type { SalesShape } from "./sales.ts";
import { ONLY_BUYS, type VisitShape } from "./visits.ts";
import { ACCOUNTS, CLOSED, professionalIn, SALONS, SERVICES, STORES, SYNCED, TODAY, words } from "./words.ts";

const RECENT = "(date_trunc('month', pg_temp.now_()) - interval '14 months')";
/** The first month of the chain. A year can be compared with the one before it only if that one is whole. */
const START = `least(date_trunc('year', pg_temp.now_()) - interval '1 year', ${RECENT})`;

/** The visits of each month, as a share of those of an average month. */
const SEASONS = "array[0.86, 0.92, 0.98, 0.98, 1.05, 1.00, 0.95, 0.97, 1.00, 1.02, 1.06, 1.28]";

/** Visits of each salon in an average month, and the factor by which they grow from start to end. */
const SALON_VISITS = "array[212, 206, 190, 246, 200, 202]";
const SALON_TRENDS = "array[1.04, 1.02, 1.35, 0.80, 1.03, 1.00]";
/** Tickets of each store in an average month. The last one closes. */
const STORE_TICKETS = "array[88, 74, 66, 58, 50]";

/** The weights of Monday to Sunday add up to seven. Salons are closed on Sundays and on two holidays. */
const SALON_WEEK = "array[0.35, 0.90, 1.00, 1.10, 1.50, 2.15, 0]";
const STORE_WEEK = "array[0.75, 0.85, 0.90, 1.00, 1.20, 1.70, 0.60]";

/** The clients of a salon at a time. One visit in seven is by a new client, who replaces the oldest. */
const CIRCLE = 260;
const NEW_CLIENTS = 0.14;
/** The share of a salon's other visits that are by clients of the next salon. */
const AWAY = 0.03;

/** Every fifth visit to a salon is by a regular, who comes every three to four weeks, for 18 months at most. */
const REGULARS = 30;
/** The regulars of each salon who stopped in the 25 days before last month. Nobody took their place. */
const LOST = "array[4, 2, 0, 18, 6, 1]";
const LOST_AT = `(date_trunc('month', pg_temp.now_()) - interval '1 month'
  - pg_temp.r(slot * 1000 + unit, 'lost') * interval '25 days')`;
/** The number of the regular whose turn a visit is, before the salon is added, or null. */
const regular = `case
    when place % 5 <> 0 then null
    when slot >= (${LOST})[unit - 100]
      then 5000 + floor(extract(epoch from at - ${START}) / 47336400 + slot / ${REGULARS}.0)::bigint * ${REGULARS} + slot
    when at < ${LOST_AT} then 4000 + slot
  end`;

/** Clients of each salon who buy products there, and nothing else. */
const BUYING_CLIENTS = 12;

/** A number for the hash: one for each day, unit and visit `n`. */
const moment = (n: string) => `(day_number * 1000000 + unit * 1000 + ${n})`;

/** The time of visit or ticket `n` of a unit on a day: many on Saturday from ten to three, and after work. */
const AT = `day + case when pg_temp.r(${moment("n")}, 'peak') >= case weekday when 6 then 0.45 when 7 then 0 else 0.3 end
      then interval '9 hours' + pg_temp.r(${moment("n")}, 'hour') * interval '11 hours'
    when weekday = 6 then interval '10 hours' + pg_temp.r(${moment("n")}, 'hour') * interval '5 hours'
    else interval '17 hours' + pg_temp.r(${moment("n")}, 'hour') * interval '3 hours' end`;

/** How many visits or tickets a day has: a number between the two whole numbers around the expected one. */
const daily = (monthly: string, week: string) =>
  `floor(${monthly} * season * (${week})[weekday] * 12 / 365.25 * (0.85 + 0.3 * pg_temp.r(${moment("0")}, 'busy'))
     + pg_temp.r(${moment("0")}, 'more'))::int`;

/** Temporary tables with the time, unit and client of each visit, and of each ticket of a store. */
export const plan = `
create or replace function pg_temp.season(month timestamptz) returns numeric language sql immutable
  as $$ select (${SEASONS})[extract(month from month)::int] $$;

create temporary table days on commit drop as
select day, (day::date - date '2000-01-01')::bigint as day_number, extract(isodow from day)::int as weekday, pg_temp.season(day) as season,
  extract(epoch from day - ${START}) / extract(epoch from pg_temp.now_() - ${START}) as progress,
  to_char(day, 'MM-DD') in ('12-25', '01-01') as is_holiday
from generate_series(${START}, pg_temp.now_(), interval '1 day') day;

create temporary table planned_visits on commit drop as
select row_number() over (order by at, unit) as i, unit, at as data_hora,
  case
    when regular is not null then regular * ${SALONS} + unit - 101
    when is_new then newest * ${SALONS} + unit - 101
    else (newest - ceil(pg_temp.r(place * 1000 + unit, 'who') ^ 1.5 * ${CIRCLE})::bigint) * ${SALONS}
      + (unit - 101 + (pg_temp.r(place * 1000 + unit, 'away') < ${AWAY})::int) % ${SALONS}
  end as number
from (
  select *, ${CIRCLE} + floor(place * ${NEW_CLIENTS})::bigint as newest,
    floor(place * ${NEW_CLIENTS}) > floor((place - 1) * ${NEW_CLIENTS}) as is_new, ${regular} as regular
  from (
    select *, place / 5 % ${REGULARS} as slot
    from (
      select unit, at, row_number() over (partition by unit order by at) as place
      from (
        select unit, ${AT} as at
        from days
        cross join generate_series(101, ${100 + SALONS}) unit
        cross join generate_series(1, ${daily(`(${SALON_VISITS})[unit - 100] * (1 + ((${SALON_TRENDS})[unit - 100] - 1) * progress)`, SALON_WEEK)}) n
        where not is_holiday
      ) visit
      where at < ${SYNCED}
    ) visit
  ) visit
) visit;
create index on planned_visits (i);
create index on planned_visits (data_hora);
analyze planned_visits;

create temporary table planned_tickets on commit drop as
select row_number() over (order by at, unit) + (select count(*) from planned_visits) as i, unit, at, n = 1 as is_daily,
  coalesce((select i from planned_visits where data_hora <= at order by data_hora desc limit 1), 1) as after_visit
from (
  select unit, n, ${AT} as at
  from days
  cross join generate_series(201, ${200 + STORES}) unit
  cross join generate_series(1, greatest(1, ${daily(`(${STORE_TICKETS})[unit - 200]`, STORE_WEEK)})) n
  where unit < ${200 + STORES} or day < ${CLOSED}
) ticket
where at < ${SYNCED};
`;

/** All visits, and those of the last 14 months, which have ledger entries. */
export const countPlanned = `select count(*)::int as all,
  (count(*) filter (where data_hora >= ${RECENT}))::int as recent from planned_visits`;

/** Services from the most frequent to the rarest, in the proportions of a salon. */
const ASKED_FOR = words(
  "Escova, Escova, Escova, Manicure, Manicure, Manicure, Corte feminino, Corte feminino, Pedicure, Pedicure, Hidratação, Hidratação, Coloração, Coloração, Corte masculino, Sobrancelha, Luzes, Penteado",
);
/** In the order of `SERVICES`. */
const PRICES = "array[110, 60, 190, 70, 95, 40, 45, 140, 45, 290]";
const PRICE_LEVELS = "array[1.25, 1.10, 1.05, 0.95, 0.95, 0.90]";

/** One professional serves most services of a visit. */
const professional = professionalIn(
  "unit",
  "case when pg_temp.r(i * 8 + n, 'same') < 0.8 then i * 8 else i * 8 + n end",
);

const BUYERS = 0.12;
const NOTES = words(
  "Prefere o horário da manhã, Pediu café sem açúcar, Cabelo sensível, Veio por indicação, Gosta de esmalte claro, Remarcou uma vez, Sem observações",
);

/** Visits and sales of a chain that lives: the warehouse of `npm start`. */
export const chain: VisitShape & SalesShape = {
  visits: `select i, unit, data_hora, kind,
      case when kind < ${ONLY_BUYS} and pg_temp.r(i, 'only buys') < 0.5
        then (6000 + floor(pg_temp.r(i, 'which buyer') * ${BUYING_CLIENTS})::bigint) * ${SALONS} + unit - 101 else number end as number
    from (select *, pg_temp.r(i, 'kind') as kind from planned_visits where i between $1 and $2 offset 0) visit`,
  tickets: `select ticket.i, at, ticket.unit, is_daily, number
    from planned_tickets ticket
    join planned_visits buyer on buyer.i = greatest(1, after_visit - floor(pg_temp.r(ticket.i, 'who buys') * 3000)::bigint)
    where after_visit between $1 and $2`,
  services: "1 + floor(pg_temp.r(i, 'services') ^ 2 * 4)::int",
  service: `pg_temp.pick(i * 8 + n, 'service', ${ASKED_FOR})`,
  professional,
  price: `(${PRICES})[array_position(${SERVICES}, service)] * (${PRICE_LEVELS})[unit - 100]
    * (0.9 + 0.2 * pg_temp.r(i * 8 + n, 'value')) * (1 - 0.05 * extract(epoch from pg_temp.now_() - data_hora) / 31557600)`,
  buyers: BUYERS,
  sent: "case when data_hora > pg_temp.now_() - interval '4 days' then 0.8 else 0.995 end",
  notes: `pg_temp.pick(i, 'note', ${NOTES})`,
  faults: 0.2,
};

/** Goals from the first month of the chain to the end of this year. */
export const CHAIN_GOALS: GoalsShape = {
  first: START,
  others: `(extract(year from age(date_trunc('year', pg_temp.now_()) + interval '1 year', ${START})) * 12
    + extract(month from age(date_trunc('year', pg_temp.now_()) + interval '1 year', ${START})))::int - 1`,
  season: "pg_temp.season(month)",
};

/** The monthly bills of a salon: place of the account in `ACCOUNTS`, day of the month, amount. */
const BILLS = `(values (9, 5, 5200), (7, 5, 4200), (3, 10, 650), (1, 12, 280), (2, 15, 980), (4, 18, 350), (6, 20, 2100),
  (8, 25, 600), (5, 7, 800), (5, 14, 900), (5, 21, 850), (5, 28, 700)) bill (place, day_of_month, amount)`;

/** The salary of ten professionals, due on the 5th, at their own cost centres. */
const SALARIES = `select id::int, 9, 1200, (month + interval '4 days')::date, erp_centro_custo_id
          from generate_series(${START}, pg_temp.now_() + interval '40 days', interval '1 month') month
          cross join profissionais
          where erp_centro_custo_id is not null and pg_temp.r(id, 'fixed pay') < 0.092 and (ativo or month < updated_at)`;

/** The overdue bills, as a share of a year's turnover. */
const OVERDUE = 0.014;

const TURNOVER = `(select sum(value) from (
    select data_hora, forma_pagamento_principal as form, total as value from transacoes
    union all
    select data_hora, forma_pagamento, valor_total from vendas_produto where origem = 'loja'
  ) sale where data_hora >= pg_temp.now_() - interval '12 months' and form is distinct from 'Descontar do Profissional')`;

/**
 * Bills of the salons and the office, which also pays those of the stores, and salaries. They are known from 20 to 40
 * days before they are due. Deliberate faults: a few lack the centre, account, value or due date, and some of the last
 * weeks are unpaid.
 */
export const bills = completePayment(
  `
select i, id, erp_id, centre, account, plan, value, due, entered,
  case when due < ${TODAY} + (pg_temp.r(i, 'morning') < 0.5)::int and not coalesce(is_late and late_sum <= ${OVERDUE} * ${TURNOVER}, false)
    then due end as paid_on
from (
  select *, sum(case when is_late then value end) over (order by pg_temp.r(i, 'unpaid'), i) as late_sum
  from (
    select *, value is not null and due between ${TODAY} - 75 and ${TODAY} - 1 as is_late
    from (
      select i, 1000 + i as id, 900000 + i * 3 as erp_id, entered,
        case when pg_temp.r(i, 'centre') < 0.99 then own_centre end as centre,
        case when pg_temp.r(i, 'classified') < 0.99 then (${ACCOUNTS})[place] end as account,
        case when pg_temp.r(i, 'classified') < 0.99 then 300 + place end as plan,
        case when pg_temp.r(i, 'valued') < 0.99 then round((amount * (0.85 + 0.3 * pg_temp.r(i, 'amount')))::numeric, 2) end as value,
        case when planned <= ${TODAY} or pg_temp.r(i, 'dated') < 0.95 then planned end as due
      from (
        select *, row_number() over (order by planned, own_centre, unit, place, amount) as i
        from (
          select unit, place, amount, (month + (day_of_month - 1 + unit % 5) * interval '1 day')::date as planned,
            (7000 + case when unit <= ${SALONS} then unit else 0 end)::text as own_centre
          from generate_series(${START}, pg_temp.now_() + interval '40 days', interval '1 month') month
          cross join generate_series(0, ${SALONS + STORES - 1}) unit
          cross join ${BILLS}
          where unit <= ${SALONS} or place in (2, 3, 5, 7)
          union all
          ${SALARIES}
        ) bill
      ) bill
      cross join lateral (select planned - interval '20 days' - pg_temp.r(i, 'known') * interval '20 days' as entered) known
    ) bill
    where entered < ${SYNCED}
  ) bill
) bill`,
  "pg_temp.r(i, 'described') < 0.95",
);
