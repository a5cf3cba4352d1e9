import { type SQL, sql } from "drizzle-orm";
import { getTableConfig } from "drizzle-orm/pg-core";
import type { Db, JsonText } from "../ground/database.ts";
import { Refusal } from "../ground/errors.ts";
import { around, type Finished, fenced, limited, records, tagged, whole, withClause } from "./bodies.ts";
import { whereOf } from "./conditions.ts";
import type { Selection } from "./selection.ts";
import { type Placeholders, statement } from "./statement.ts";

/** A place in a list's changes. Numbers are text, as they may be larger than JavaScript's. */
interface Marker {
  /** Of the database whose numbers they are. */
  epoch: string;
  /** Removals up to this change were made before the reader's copy was begun. */
  begun: string;
  /** All changes up to this one have been delivered. */
  position: string;
}

/** What a page is asked by: all of a marker, or nothing of it. */
type Asked = { per_page: number } & Partial<Marker>;

/** A body that lists changes of records. */
interface ChangesOf<Item> {
  data: { id: number; removido: boolean; registro: Item | null }[];
}

const GONE =
  "`after` is not of this database as it is now, or is older than the removals it still tells of. Begin again without `after`, and drop what you have copied.";

const quoted = (word: string) => sql.raw(`'${word}'`);
// Set by the statement before it in the same transaction, as a snapshot must not be older than what it asks.
const settled = sql`current_setting('salon.settled_change')::bigint`;
const tableOf = <Item>({ table }: Selection<Item>) => getTableConfig(table).name;
const entriesOf = <Item>(selection: Selection<Item>) => sql.identifier(`${tableOf(selection)}_changes`);

/** The records of the next entries, as elements of a JSON array. Whether one is there is asked of the list itself. */
const delivered = <Item>(selection: Selection<Item>, start: SQL, size: SQL) => {
  const { table } = selection;
  const found = sql`select id, change from ${entriesOf(selection)} where change > ${start} and change <= ${settled} order by change limit ${size} + 1`;
  const record = records(selection, sql`select * from ${table} where ${table}.id = entry.id`);
  return sql`select change, '{"id":' || id || ',"removido":' || (registro is null)::text || ',"registro":' || coalesce(registro, 'null') || '}' as item
    from (${found}) as entry
      left join lateral ${fenced(sql`select row_to_json(record)::text as registro from (${record}) as record`)} as there on true`;
};

/** A page, with the marker to go on from where there are more; no row where the given marker is of no use (C4). */
const page = <Item>(name: string, selection: Selection<Item>, given: Placeholders<Asked>) => {
  const { epoch, begun, position = sql`0` } = given;
  const list = tableOf(selection);
  const [size, start] = [sql`${given.per_page}::integer`, sql`${position}::bigint`];
  // Who begins has to hear of no removal that there is already: the marker says up to which change.
  const since = begun
    ? sql`${begun}::bigint`
    : sql`greatest(floor, (select max(change) from ${entriesOf(selection)} where change <= ${settled}))`;
  const isOurs =
    begun &&
    sql`epoch = ${epoch} and greatest(${since}, ${start}) between floor and coalesce(pg_sequence_last_value(${quoted(`${list}_change_seq`)}::regclass), 0)`;
  const next = sql`${quoted(name)} || '.' || epoch || '.' || ${since} || '.' || coalesce(last, ${start})`;
  const pagination = sql`'],"pagination":{"per_page":' || ${size} || ',"next_after":"' || next || '","has_more":'
    || has_more::text || '}}'`;
  const select = sql`${withClause(selection.shared)}
    select ${around(sql`'{"data":['`, sql`coalesce(items, '')`, pagination)} as body, case when has_more then next end as next
    from (
      select items, ${next} as next, has_more
      from change_feeds, (
        select string_agg(item, ',') filter (where number <= ${size}) as items,
          max(change) filter (where number <= ${size}) as last, count(*) > ${size} as has_more
        from (
          select *, row_number() over (order by change) as number from (${delivered(selection, start, size)}) as delivered
        ) as numbered
      ) as read${whereOf(sql`list = ${quoted(list)}`, isOurs)}
    ) as page`;
  return tagged(limited(select, size));
};

/**
 * A page of the records of a list that were written or removed after a marker, by their last change (C1, C2). It goes no
 * further than where all changes are decided, which is known before its snapshot is taken; marker, records and removals
 * are of that one snapshot.
 * @param name of the list, as markers begin with it
 * @throws Refusal 410 where the marker is of another database, or removals it would have to tell are forgotten (C4)
 */
export const changes = <T extends ChangesOf<unknown>>(
  name: string,
  selection: Selection<NonNullable<T["data"][number]["registro"]>>,
) => {
  const first = `select set_config('salon.settled_change', ${tableOf(selection)}_settled_change()::text, true)`;
  const text = statement<Asked>((given) => page(name, selection, given));
  return async (db: Db, { per_page, after }: { per_page: number; after?: Marker | undefined }) => {
    const row = await db<Finished & { link_value: string | null }>({
      first,
      ...text({ per_page, ...after }),
    });
    if (row === undefined) throw new Refusal(410, GONE);
    const { link_value: next, ...finished } = whole(row);
    const answer: JsonText<T> = next === null ? finished : { ...finished, links: { next: ["after", next] } };
    return answer;
  };
};
