import pg from "pg";
import { connected, retryWhenLocked } from "./databases.ts";

/** Draws a new epoch, which invalidates every marker of a feed: clients must start over (C4). */
const NEW_EPOCH = "update change_feeds set epoch = new_epoch(), drawn_in = database_id()";

/**
 * Draws new epochs if another database drew the current ones, for example the original of a copy.
 * @returns whether it did
 */
export const drawEpochElsewhere = async (db: pg.Client): Promise<boolean> => {
  const { rowCount } = await db.query(`${NEW_EPOCH} where drawn_in <> database_id()`);
  return (rowCount ?? 0) > 0;
};

const feeds = async (db: pg.Client): Promise<string[]> => {
  const { rows } = await db.query("select list from change_feeds order by list");
  return rows.map(({ list }) => list);
};

/**
 * Draws new epochs. Call it after a point-in-time restore, which cannot be detected. It locks one feed at a time,
 * because a loader that truncates several lists locks their feeds in its own order.
 */
export const drawEpoch = (url: string): Promise<void> =>
  connected(url, async (db) => {
    for (const list of await feeds(db)) await db.query(`${NEW_EPOCH} where list = $1`, [list]);
  });

/**
 * Deletes each feed's removals older than `days`, which invalidates the markers issued before them. Skips rows that
 * are locked or not yet settled: the next run deletes them.
 */
export const pruneRemovals = (
  url: string,
  days: number,
  report: (list: string, deleted: number) => void,
): Promise<void> =>
  connected(url, async (db) => {
    for (const list of await feeds(db)) {
      const changes = pg.escapeIdentifier(`${list}_changes`);
      // Read before the DELETE takes its snapshot, so that the snapshot includes every settled change.
      const { rows: settled } = await db.query("select settled_change($1) as change", [list]);
      const { rows } = await db.query(
        `with old as (
           select id from ${changes} where removed_at < now() - make_interval(days => $1) and change <= $2 for update skip locked
         ), deleted as (delete from ${changes} using old where ${changes}.id = old.id returning change),
         raised as (update change_feeds set oldest_kept_change = greatest(oldest_kept_change, (select max(change) from deleted)) where list = $3)
         select count(*)::int as deleted from deleted`,
        [days, settled[0].change, list],
      );
      report(list, rows[0].deleted);
    }
  });

export interface FeedFinding {
  list: string;
  /** Records without an entry or marked as removed, plus entries whose record does not exist. */
  differences: number;
  repaired: boolean;
}

/** Entries that do not match their record. */
const wrongEntries = (list: string) => `
  select coalesce(record.id, entry.id) as id, record.id is not null as exists_now
  from ${pg.escapeIdentifier(list)} as record full join ${pg.escapeIdentifier(`${list}_changes`)} as entry using (id)
  where (record.id is null) <> (entry.removed_at is not null) or entry.id is null`;

/** Rewrites wrong entries. Missed changes cannot be recovered, so a new epoch makes all clients start over. */
const rewrite = (db: pg.Client, list: string, progress: (line: string) => void): Promise<void> =>
  retryWhenLocked(
    db,
    () => `The repair of ${list}_changes`,
    progress,
    async () => {
      await db.query(`lock table ${pg.escapeIdentifier(list)} in share row exclusive mode`);
      const sequence = pg.escapeLiteral(`${list}_change_seq`);
      await db.query(
        `select pg_advisory_xact_lock_shared(sequence_lock(${sequence}, coalesce(pg_sequence_last_value(${sequence}::regclass), 0)))`,
      );
      await db.query(`
        insert into ${pg.escapeIdentifier(`${list}_changes`)} (id, change, removed_at)
        select id, nextval(${sequence}), case when not exists_now then now() end from (${wrongEntries(list)}) as wrong
        on conflict (id) do update set change = excluded.change, removed_at = excluded.removed_at`);
      await db.query(`${NEW_EPOCH} where list = $1`, [list]);
    },
  );

/** Compares every feed with its list. Loaders and readers can continue; only a repair blocks loaders. */
export const verifyFeeds = (
  url: string,
  options: { repair: boolean; report: (finding: FeedFinding) => void; progress?: (line: string) => void },
): Promise<FeedFinding[]> =>
  connected(url, async (db) => {
    const findings: FeedFinding[] = [];
    const { repair, report, progress = () => undefined } = options;
    for (const list of await feeds(db)) {
      const { rows } = await db.query(
        `select count(*)::int as differences from (${wrongEntries(list)}) as wrong`,
      );
      const { differences } = rows[0];
      if (repair && differences > 0) await rewrite(db, list, progress);
      const finding = { list, differences, repaired: repair && differences > 0 };
      report(finding);
      findings.push(finding);
    }
    return findings;
  });
