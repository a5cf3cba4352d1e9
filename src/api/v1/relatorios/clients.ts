import { and, type Column, type SQL, sql } from "drizzle-orm";
import { withMetadata } from "../../../core/schema-metadata.ts";
import { matchFilters, numberLiteral, whereClause } from "../../../platform/db/conditions.ts";
import { personal } from "../../../platform/db/personal-data.ts";
import { inRange, periodOf } from "../../../platform/db/rollup.ts";
import { DATA_INSTANT } from "../../../platform/db/statement.ts";
import { dateTime, integer, oneOf } from "../../../platform/http/params.ts";
import { visitasFacts as v } from "../facts/table.ts";
import { counted, different, maybe } from "./declarations.ts";
import type { Filter, Measure, RangeContext } from "./source.ts";

/** What several sources ask of the clients of visits: which are new, which stay away, which come back. */

/** The conditions of range and units on visits. @param at the time of the visit */
export const isVisitOfRange = ({ scope, range }: RangeContext, at: Column | SQL = v.at): SQL | undefined =>
  and(...inRange({ range }, sql`${at}`), matchFilters({ estabelecimento_id: scope.units }));

/** The first visit of all time of a client, in the units that are read. @param columns those of a visit */
export const firstVisit = (columns: SQL, client: SQL, { scope: { units } }: RangeContext): SQL => {
  const order = sql`at, id`; // mistake: first-by-id
  return sql`
    select ${columns}
    from ${v} as earlier
    ${whereClause(sql`earlier.cliente_salon_id = ${client}`, matchFilters({ estabelecimento_id: units }))}
    order by ${order}
    limit 1`;
};

/** Whether a visit is the first of its client. Few clients have most of the visits of a range. */
export const isFirst = (id: Column, context: RangeContext): SQL => {
  const clients = sql`
    select cliente_salon_id
    from ${v}
    ${whereClause(isVisitOfRange(context))}
    group by cliente_salon_id
    order by cliente_salon_id`;
  return sql`${id} in (
    select first.id
    from (${clients}) as clients
      cross join lateral (${firstVisit(sql`id`, sql`clients.cliente_salon_id`, context)}) as first
  )`;
};

/** Whether the client has no visit from an instant on, in the reader's units. */
export const hasNoVisitSince = (client: Column, instant: SQL, { ownUnits }: RangeContext["scope"]): SQL => {
  const isLater = sql`later.at >= ${instant}`;
  const isOfUnits = matchFilters({ estabelecimento_id: ownUnits });
  return sql`(${client} is not null and not exists (
    select
    from ${v} as later
    ${whereClause(sql`later.cliente_salon_id = ${client}`, isLater, isOfUnits)}
  ))`;
};

export const semVisitaDesde = () =>
  dateTime("Only clients without a visit from this time on, in the units you may read.").optional();

/** @param description completes "Only …" */
export const novos = (description: string, condition: NonNullable<Filter["condition"]>): Filter => ({
  // It names no client, so an answer to it is no access to personal data (A15).
  parameter: withMetadata(personal(oneOf(["true"], `Only ${description}.`).optional()), {
    isUnrecorded: true,
  }),
  condition,
});

const DEFAULT_DAYS = 60;

const returnDays = ({ placeholders }: RangeContext): SQL =>
  placeholders.retorno_dias ? sql`${placeholders.retorno_dias}::integer` : numberLiteral(DEFAULT_DAYS);

/** A visit is decided once so many days after its day are over, and their visits are in the data. */
const isDecided = ({ cliente_salon_id, day }: VisitColumns, context: RangeContext): SQL => {
  const dataDay = sql`(select ${periodOf("day", DATA_INSTANT)})`;
  // mistake: open-window
  const isOver = sql`${day} + ${returnDays(context)} < ${dataDay}`;
  return sql`${cliente_salon_id} is not null and isfinite(${day}) and ${isOver}`;
};

/** The days of the clients' visits in the range that were followed by a visit on one of the next days (R26). */
const daysWithReturn = (context: RangeContext): SQL => {
  const { range, scope } = context;
  const end = range.latest_fim ?? range.data_fim;
  const days = returnDays(context);
  const next = sql`lead(day) over (partition by cliente_salon_id order by day)`;
  const eachDay = sql`group by 1, 2`; // mistake: same-day-return
  return sql`
    select client, day
    from (
      select cliente_salon_id as client, day, ${next} as next_day
      from (
        select cliente_salon_id collate "C" as cliente_salon_id, day
        from ${v}
        ${whereClause(
          range.data_inicio && sql`at >= ${range.data_inicio}`,
          end && sql`at < brasilia_midnight(${periodOf("day", end)} + ${days} + 1)`,
          sql`cliente_salon_id is not null and isfinite(at)`,
          matchFilters({ estabelecimento_id: scope.ownUnits }), // mistake: returns-of-any-unit
        )}
        ${eachDay}
      ) as days
    ) as followed
    where next_day <= day + ${days}`;
};

interface VisitColumns {
  id: Column;
  at: Column;
  day: Column;
  cliente_salon_id: Column;
  /** Whether the client came back. It is no column of the table of facts. */
  voltou: Column;
}

/** What is read in place of facts if a question needs `voltou`. @param facts the table of facts */
export const withReturn =
  (facts: Pick<VisitColumns, "at" | "day" | "cliente_salon_id">) =>
  (context: RangeContext, columns: string[]): SQL | undefined => {
    if (!columns.includes("voltou")) return undefined;
    const { table } = facts.at;
    const isSame = sql`client = ${facts.cliente_salon_id} and returned.day = ${facts.day}`;
    return sql`
      select ${table}.*, client is not null as voltou
      from ${table}
        left join (${daysWithReturn(context)}) as returned on ${isSame}
      ${whereClause(isVisitOfRange(context, facts.at))}`;
  };

const linking = { isDefault: false, linksVisits: true, daysAhead: DEFAULT_DAYS } as const;

/** Return (R26). @param visits the number of visits for which a condition is true */
const ofReturn = (f: VisitColumns, visits: (condition: SQL) => SQL): Record<string, Measure> => {
  const decided = (context: RangeContext) => visits(isDecided(f, context));
  const returned = (context: RangeContext) => visits(sql`${isDecided(f, context)} and ${f.voltou}`);
  return {
    decididas: {
      ...counted("Visits of clients whose `retorno_dias` days are over, so that their return is decided", 80),
      ...linking,
      sql: decided,
    },
    voltaram: {
      ...counted("Of `decididas`, those whose client came again on one of the next `retorno_dias` days", 60),
      ...linking,
      sql: returned,
    },
    retorno: {
      ...maybe(
        "`voltaram` / `decididas`; `null` without decided visits",
        0.75,
        (context) => sql`round(${returned(context)}::numeric / nullif(${decided(context)}, 0), 4)`,
      ),
      ...linking,
    },
  };
};

/** @param f one row for each visit */
export const returnOfVisits = (f: VisitColumns): Record<string, Measure> =>
  ofReturn(f, (condition) => sql`coalesce(sum(records) filter (where ${condition}), 0)`);

/** @param f several rows for each visit, which counts once */
export const returnOfDifferentVisits = (f: VisitColumns): Record<string, Measure> =>
  ofReturn(f, (condition) => sql`count(distinct ${f.id}) filter (where ${condition})`);

/** The number of different clients. */
export const differentClients = (client: Column): Measure => ({
  ...different(
    "Number of different clients. Counts of several rows do not add up",
    80,
    sql`${client} collate "C"`,
  ),
  linksVisits: true,
});

export const retornoDias: Filter = {
  parameter: integer({
    min: 1,
    max: 365,
    example: 90,
    description: `Days within which a client comes back, for \`retorno\`. ${DEFAULT_DAYS} if omitted.`,
  }).optional(),
  ofMeasures: ["decididas", "voltaram", "retorno"],
};
