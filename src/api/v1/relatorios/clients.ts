import { and, type Column, getTableName, type SQL, sql } from "drizzle-orm";
import { withMetadata } from "../../../core/schema-metadata.ts";
import { joinWithCommas, matchFilters, numberLiteral, whereClause } from "../../../platform/db/conditions.ts";
import { personal } from "../../../platform/db/personal-data.ts";
import { inRange, periodOf } from "../../../platform/db/range-sums.ts";
import { DATA_INSTANT } from "../../../platform/db/statement.ts";
import { dateTime, integer, oneOf } from "../../../platform/http/params.ts";
import { visitasFacts as v } from "../facts/table.ts";
import { counted, different, maybe } from "./declarations.ts";
import type { Filter, Measure, RangeContext } from "./source.ts";

/** What several sources ask of the clients of visits: which are new, which stay away, which come back. */

/** The conditions of range and units on visits. @param at the time of the visit */
export const isVisitOfRange = (
  { scope, range }: Pick<RangeContext, "scope" | "range">,
  at: Column | SQL = v.at,
): SQL | undefined =>
  and(...inRange({ range }, sql`${at}`), matchFilters({ estabelecimento_id: scope.units }));

/** Compares and sorts bytes, as the index of visits by client does: reports read it in its order. */
export const byBytes = (client: Column | SQL): SQL => sql`${client} collate "C"`;

/** The first visit of all time of a client, in the units that are read. @param columns those of a visit */
export const firstVisit = (columns: SQL, client: SQL, { scope: { units } }: RangeContext): SQL => {
  const order = sql`at, id`; // mistake: first-by-id
  const isOfClient = sql`${byBytes(sql`earlier.cliente_salon_id`)} = ${client}`;
  return sql`
    select ${columns}
    from ${v} as earlier
    ${whereClause(isOfClient, matchFilters({ estabelecimento_id: units }))}
    order by ${order}
    limit 1`;
};

/** Whether a visit is the first of its client. Clients have several visits, so it looks up once for each client. */
export const isFirst = (id: Column, context: RangeContext): SQL => {
  const clients = sql`
    select ${byBytes(sql`cliente_salon_id`)} as client
    from ${v}
    ${whereClause(isVisitOfRange(context))}
    group by client
    order by client`;
  return sql`${id} in (
    select first.id
    from (${clients}) as clients
      cross join lateral (${firstVisit(sql`id`, sql`client`, context)}) as first
  )`;
};

/** Whether the client has no visit from an instant on, in the reader's units. */
export const hasNoVisitSince = (client: Column, instant: SQL, { ownUnits }: RangeContext["scope"]): SQL => {
  const isLater = sql`later.at >= ${instant}`;
  const isOfUnits = matchFilters({ estabelecimento_id: ownUnits });
  return sql`(${client} is not null and not exists (
    select
    from ${v} as later
    ${whereClause(sql`${byBytes(sql`later.cliente_salon_id`)} = ${client}`, isLater, isOfUnits)}
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

export const DEFAULT_DAYS = 60;

const returnDays = ({ placeholders }: RangeContext): SQL =>
  placeholders.retorno_dias ? sql`${placeholders.retorno_dias}::integer` : numberLiteral(DEFAULT_DAYS);

/** A visit is decided once the `retorno_dias` days after it are over and loaded (R26). */
const isDecided = ({ cliente_salon_id, day }: VisitColumns, context: RangeContext): SQL => {
  const dataDay = sql`(select ${periodOf("day", DATA_INSTANT)})`;
  // mistake: open-window
  const isOver = sql`${day} + ${returnDays(context)} < ${dataDay}`;
  return sql`${cliente_salon_id} is not null and isfinite(${day}) and ${isOver}`;
};

/** What is read of visits to know who came back. The index by client has all of it. */
const FOLLOWED: Record<string, SQL> = {
  id: sql`id`,
  at: sql`at`,
  day: sql`day`,
  estabelecimento_id: sql`estabelecimento_id`,
  cliente_salon_id: byBytes(sql`cliente_salon_id`),
  total: sql`total`,
};

const followedColumns = joinWithCommas(
  Object.entries(FOLLOWED).map(([name, value]) => sql`${value} as ${sql.identifier(name)}`),
);

/**
 * The visits of the range, and those that decide about them, with the next day on which their client came (R26). The
 * index by client has their order.
 */
const followedVisits = (context: RangeContext): SQL => {
  const { range, scope } = context;
  const end = range.latest_fim ?? range.data_fim;
  const newestFirst = sql`partition by cliente_salon_id order by at desc, id desc`;
  const laterDay = sql`nullif(lag(day) over (${newestFirst}), day)`; // mistake: same-day-return
  return sql`
        select *, min(later_day) over (${newestFirst} rows unbounded preceding) as next_day
        from (
          select *, ${laterDay} as later_day
          from (
            select ${followedColumns}
            from ${v}
            ${whereClause(
              range.data_inicio && sql`at >= ${range.data_inicio}`,
              end && sql`at < brasilia_midnight(${periodOf("day", end)} + ${returnDays(context)} + 1)`,
              matchFilters({ estabelecimento_id: scope.ownUnits }), // mistake: returns-of-any-unit
            )}
          ) as visits
        ) as ordered`;
};

interface VisitColumns {
  id: Column;
  at: Column;
  day: Column;
  cliente_salon_id: Column;
  /** Whether the client came back. It is no column of the table of facts. */
  voltou: Column;
}

/**
 * The last `repeticao` of services that count their visit: 0 if a visit is in one row of the answer, 1 if it is in one
 * of each professional. Undefined if a name, or what a reader may see, chooses services: the facts do not number these.
 */
const lastRepetition = ({ dimensions, filters, scope }: RangeContext): 0 | 1 | undefined => {
  const isByProfessional = dimensions.includes("profissional");
  if ([...dimensions, ...filters].includes("servico") || (isByProfessional && scope.hidesPersonalData))
    return undefined;
  return isByProfessional || filters.includes("profissional_salon_id") ? 1 : 0;
};

/** The measures of services that count visits, so that other services of the same visit need not be read. */
const OF_VISITS = ["visitas", "decididas", "voltaram", "retorno"];

/**
 * What is read in place of facts if a question needs `voltou`: the visits in the order of their clients, or the facts
 * joined with them. @param facts the table of facts
 */
export const withReturn =
  (facts: VisitColumns & { repeticao?: Column }) =>
  (context: RangeContext, columns: string[]): SQL | undefined => {
    if (!columns.includes("voltou")) return undefined;
    const { table } = facts.at;
    const hasReturned = sql`next_day <= day + ${returnDays(context)}`;
    const followed = (selected: SQL, condition?: SQL) => sql`
      select ${selected}
      from (${followedVisits(context)}
      ) as followed
      ${whereClause(isVisitOfRange(context, sql`at`), condition)}`;
    if (
      getTableName(table) === getTableName(v) &&
      columns.every((name) => name === "voltou" || name in FOLLOWED)
    )
      return followed(sql`followed.*, ${hasReturned} as voltou`);
    const last = lastRepetition(context);
    const countsVisits =
      facts.repeticao && last !== undefined && context.measures.every((name) => OF_VISITS.includes(name));
    return sql`
      select ${table}.*, visit is not null as voltou
      from ${table}
        left join (${followed(sql`id as visit`, hasReturned)}) as returned on visit = ${facts.id}
      ${whereClause(
        isVisitOfRange(context, facts.at),
        countsVisits ? sql`${facts.repeticao} <= ${numberLiteral(last)}` : undefined,
      )}`;
  };

const linking = { isDefault: false, linksVisits: true, daysAhead: DEFAULT_DAYS } as const;

/** Return (R26). @param visits the number of visits for which a condition is true */
const ofReturn = (
  f: VisitColumns,
  visits: (condition: SQL, context: RangeContext) => SQL,
): Record<string, Measure> => {
  const decided = (context: RangeContext) => visits(isDecided(f, context), context);
  const returned = (context: RangeContext) => visits(sql`${isDecided(f, context)} and ${f.voltou}`, context);
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
        "`voltaram` / `decididas`: of the visits whose `retorno_dias` days are over, the share whose client " +
          "came again, to any unit you may read, within them; `null` without such visits",
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

/**
 * The number of different visits of services. The facts number the services of a visit, because a sort of all visits
 * would take longest.
 */
export const differentVisits =
  ({ id, repeticao }: { id: Column; repeticao: Column }) =>
  (condition: SQL, context: RangeContext): SQL => {
    const upTo = (last: number) =>
      sql`coalesce(sum(records) filter (where ${repeticao} <= ${numberLiteral(last)} and ${condition}), 0)`;
    const last = lastRepetition(context);
    if (last === undefined) return sql`count(distinct ${id}) filter (where ${condition})`;
    const isTotalled = last === 1 && !context.filters.includes("profissional_salon_id");
    // mistake: visit-of-each-professional
    return isTotalled ? sql`case when grouping(key_0) = 1 then ${upTo(0)} else ${upTo(1)} end` : upTo(last);
  };

/** @param f several rows for each visit, which counts once */
export const returnOfDifferentVisits = (f: VisitColumns & { repeticao: Column }): Record<string, Measure> =>
  ofReturn(f, differentVisits(f));

/** The number of different clients. */
export const differentClients = (client: Column): Measure => ({
  ...different("Number of different clients. Counts of several rows do not add up", 80, byBytes(client)),
  linksVisits: true,
});

export const retornoDias: Filter = {
  parameter: integer({
    min: 1,
    max: 365,
    example: 90,
    description: `Days within which a client comes back, for \`retorno\`. ${DEFAULT_DAYS} if omitted.`,
  }).optional(),
  needsMeasures: ["decididas", "voltaram", "retorno"],
};
