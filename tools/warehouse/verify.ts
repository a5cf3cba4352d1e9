import pg from "pg";
import { connected, retryWhenLocked } from "./databases.ts";

export interface Finding {
  rollup: string;
  /** Number of sums that differ or exist on one side only. */
  differences: number;
  repaired: boolean;
}

interface Options {
  repair: boolean;
  report: (finding: Finding) => void;
  /** Receives a line when a repair has to wait. */
  progress?: (line: string) => void;
}

/** A row of the table `rollups` (migrations). */
interface Rollup {
  rollup: string;
  source: string;
  keys: string[];
  measures: string[];
}

const allRollups = async (db: pg.Client): Promise<Rollup[]> => {
  const { rows } = await db.query("select rollup, source, keys, measures from rollups order by rollup");
  return rows;
};

/** Selects the sums of a rollup, added up over all writers. */
const totalsOf = ({ keys, measures }: Rollup, relation: string): string => {
  const columns = ["grain", "starts_on", ...keys.map(pg.escapeIdentifier)].join();
  const names = ["records", ...measures].map(pg.escapeIdentifier);
  return `select ${columns}, 0 as writer, ${names.map((name) => `sum(${name}) as ${name}`).join()}
    from ${pg.escapeIdentifier(relation)} group by ${columns} having ${names.map((name) => `sum(${name}) <> 0`).join(" or ")}`;
};

const countDifferences = async (db: pg.Client, rollup: Rollup): Promise<number> => {
  const keys = ["grain", "starts_on", ...rollup.keys].map(pg.escapeIdentifier).join();
  // One statement has one snapshot, so loaders can continue.
  const { rows } = await db.query(`
    with stored as materialized (${totalsOf(rollup, rollup.rollup)}),
      expected as materialized (${totalsOf(rollup, `${rollup.rollup}_expected`)})
    select count(distinct (${keys}))::int as differences
    from ((table stored except table expected) union all (table expected except table stored)) as different`);
  return rows[0].differences;
};

/**
 * Recalculates a rollup if it differs, otherwise merges the rows of its writers. Then sorts the rows. Uses DELETE,
 * not TRUNCATE, so that readers are not blocked.
 */
const rewrite = async (
  db: pg.Client,
  stored: Rollup,
  differs: boolean,
  progress: (line: string) => void,
): Promise<void> => {
  const [rollup, expected, source] = [stored.rollup, `${stored.rollup}_expected`, stored.source].map((name) =>
    pg.escapeIdentifier(name),
  );
  await retryWhenLocked(
    db,
    () => `The repair of ${stored.rollup}`,
    progress,
    async () => {
      await db.query(`lock table ${source} in share row exclusive mode`);
      if (differs) {
        await db.query(`delete from ${rollup}`);
        await db.query(`insert into ${rollup} select * from ${expected} order by grain, starts_on`);
      } else {
        await db.query(`with deleted as (delete from ${rollup} returning *)
        insert into ${rollup} ${totalsOf(stored, "deleted")} order by grain, starts_on`);
      }
    },
  );
  await db.query(`vacuum analyze ${rollup}`);
};

/**
 * Compares every rollup with its table, each in one snapshot, so that loaders can continue.
 * @param repair recalculates rollups that differ, and merges and sorts the rows of all others; this blocks loaders of
 *   the table, but not readers
 */
export const verifyRollups = (
  url: string,
  { repair, report, progress = () => undefined }: Options,
): Promise<Finding[]> =>
  connected(url, async (db) => {
    const findings: Finding[] = [];
    for (const rollup of await allRollups(db)) {
      const differences = await countDifferences(db, rollup);
      if (repair) await rewrite(db, rollup, differences > 0, progress);
      const finding = { rollup: rollup.rollup, differences, repaired: repair && differences > 0 };
      report(finding);
      findings.push(finding);
    }
    return findings;
  });
