import { type Column, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { InstantRange } from "../../../core/periods.ts";
import { matchFilters, numberLiteral, whereClause, wordLiteral } from "../../../platform/db/conditions.ts";
import { inRange } from "../../../platform/db/range-sums.ts";
import type { Scope } from "../../../platform/db/scope.ts";
import type { PlaceholdersOf } from "../../../platform/db/statement.ts";
import {
  lancamentosFacts as entries,
  vendasFacts as lines,
  pagamentosFacts as payments,
  visitasFacts as visits,
} from "../facts/table.ts";

/** A change feed whose marker a closing stores (F2), and the date by which its records are of a month. */
interface Feed {
  list: string;
  facts: PgTable;
  date: Column;
  isDateColumn?: boolean;
  hasUnits: boolean;
}

export const FEEDS: Record<string, Feed> = {
  transacoes: { list: "transacoes", facts: visits, date: visits.at, hasUnits: true },
  "vendas-produto": { list: "vendas_produto", facts: lines, date: lines.at, hasUnits: true },
  lancamentos: { list: "lancamentos", facts: entries, date: entries.due, isDateColumn: true, hasUnits: true },
  "pagamentos-erp": {
    list: "pagamentos_erp",
    facts: payments,
    date: payments.due,
    isDateColumn: true,
    hasUnits: false,
  },
};

/** How many records that are now of the month were written since the position. */
const written = (
  { list, facts, date, isDateColumn = false, hasUnits }: Feed,
  month: PlaceholdersOf<InstantRange>,
  { units }: Scope,
) => {
  const isOfReader = hasUnits ? matchFilters({ estabelecimento_id: units }) : undefined;
  return sql`
    select count(*)
    from ${facts}
      join ${sql.identifier(`${list}_changes`)} as changed using (id)
    ${whereClause(...inRange({ range: month, isDateColumn }, sql`${date}`), isOfReader, sql`change > position`)}`;
};

const removed = ({ list }: Feed) => sql`
  select count(*)
  from ${sql.identifier(`${list}_changes`)}
  where change > position and removed_at is not null`;

/**
 * A row for each feed: what was written since the markers of a closing. All but the name is null if the marker is of
 * another epoch, older than what the feed keeps, or newer than the database. @param markers SQL for its JSON
 */
export const changesSince = (
  feeds: string[],
  markers: SQL,
  month: PlaceholdersOf<InstantRange>,
  scope: Scope,
): SQL => {
  const tag = scope.rightsTag ? sql` || '-' || ${scope.rightsTag}` : sql``;
  const selects = feeds.map((name, n) => {
    const feed = FEEDS[name] as Feed;
    const newest = sql`pg_sequence_last_value(${wordLiteral(`${feed.list}_change_seq`)}::regclass)`;
    const start = wordLiteral(`/v1/alteracoes/${name}?after=${name}.`);
    const url = sql`${start} || signed.epoch${tag} || '.' || position || '.' || position`;
    return sql`
    select ${numberLiteral(n)} as number, ${wordLiteral(name)} as lista, ${url} as desde,
      (${written(feed, month, scope)}) as gravados,
      ${scope.ownUnits.value ? sql`null::bigint` : sql`(${removed(feed)})`} as removidos
    from (values (true)) as one
      left join (
        select marker ->> 'epoch' as epoch, (marker ->> 'position')::bigint as position
        from (select ${markers} -> ${wordLiteral(name)} as marker) as stored
      ) as signed on exists (
        select from change_feeds
        where list = ${wordLiteral(feed.list)} and change_feeds.epoch = signed.epoch
          and position between oldest_kept_change and coalesce(${newest}, 0)
      )`;
  });
  return sql`
    select lista, desde, case when desde is not null then gravados end as gravados,
      case when desde is not null then removidos end as removidos
    from (${sql.join(selects, sql` union all `)}) as feeds
    order by number`;
};
