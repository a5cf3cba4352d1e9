import pg from "pg";
import { connected, givingWay } from "./databases.ts";

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
interface Kept {
  rollup: string;
  source: string;
  keys: string[];
  measures: string[];
}

const catalogue = async (db: pg.Client): Promise<Kept[]> => {
  const { rows } = await db.query("select rollup, source, keys, measures from rollups order by rollup");
  return rows;
};

/** Selects the sums of a rollup, added up over all writers. */
const added = ({ keys, measures }: Kept, relation: string): string => {
  const columns = ["grain", "starts_on", ...keys.map(pg.escapeIdentifier)].join();
  const summed = ["records", ...measures].map(pg.escapeIdentifier);
  return `select ${columns}, 0 as writer, ${summed.map((name) => `sum(${name}) as ${name}`).join()}
    from ${pg.escapeIdentifier(relation)} group by ${columns} having ${summed.map((name) => `sum(${name}) <> 0`).join(" or ")}`;
};

const compare = async (db: pg.Client, kept: Kept): Promise<number> => {
  const keys = ["grain", "starts_on", ...kept.keys].map(pg.escapeIdentifier).join();
  // One statement has one snapshot, so loaders can continue.
  const { rows } = await db.query(`
    with kept as materialized (${added(kept, kept.rollup)}),
      expected as materialized (${added(kept, `${kept.rollup}_expected`)})
    select count(distinct (${keys}))::int as differences
    from ((table kept except table expected) union all (table expected except table kept)) as different`);
  return rows[0].differences;
};

/**
 * Recalculates a rollup if it differs, otherwise merges the rows of its writers. Then sorts the rows. Uses DELETE,
 * not TRUNCATE, so that readers are not blocked.
 */
const rewrite = async (
  db: pg.Client,
  kept: Kept,
  differs: boolean,
  progress: (line: string) => void,
): Promise<void> => {
  const [rollup, expected, source] = [kept.rollup, `${kept.rollup}_expected`, kept.source].map((name) =>
    pg.escapeIdentifier(name),
  );
  await givingWay(
    db,
    () => `The repair of ${kept.rollup}`,
    progress,
    async () => {
      await db.query(`lock table ${source} in share row exclusive mode`);
      if (differs) {
        await db.query(`delete from ${rollup}`);
        await db.query(`insert into ${rollup} select * from ${expected} order by grain, starts_on`);
      } else {
        await db.query(`with gone as (delete from ${rollup} returning *)
        insert into ${rollup} ${added(kept, "gone")} order by grain, starts_on`);
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
    for (const kept of await catalogue(db)) {
      const differences = await compare(db, kept);
      if (repair) await rewrite(db, kept, differences > 0, progress);
      const finding = { rollup: kept.rollup, differences, repaired: repair && differences > 0 };
      report(finding);
      findings.push(finding);
    }
    return findings;
  });
