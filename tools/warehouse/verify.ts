import pg from "pg";
import { connected, givingWay } from "./databases.ts";

/** What a comparison of one rollup with its table found. */
export interface Finding {
  rollup: string;
  /** Sums that differ, or are there on one side only. */
  differences: number;
  repaired: boolean;
}

interface Options {
  repair: boolean;
  /** Is told what was found, rollup by rollup. */
  report: (finding: Finding) => void;
  /** Is told what a repair waits for. */
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

/** The sums as they add up, whoever wrote them, as a select of the rollup's columns. */
const added = ({ keys, measures }: Kept, relation: string): string => {
  const columns = ["grain", "starts_on", ...keys.map(pg.escapeIdentifier)].join();
  const summed = ["records", ...measures].map(pg.escapeIdentifier);
  return `select ${columns}, 0 as writer, ${summed.map((name) => `sum(${name}) as ${name}`).join()}
    from ${pg.escapeIdentifier(relation)} group by ${columns} having ${summed.map((name) => `sum(${name}) <> 0`).join(" or ")}`;
};

const compare = async (db: pg.Client, kept: Kept): Promise<number> => {
  const keys = ["grain", "starts_on", ...kept.keys].map(pg.escapeIdentifier).join();
  // One statement is one snapshot: loaders may go on meanwhile.
  const { rows } = await db.query(`
    with kept as materialized (${added(kept, kept.rollup)}),
      expected as materialized (${added(kept, `${kept.rollup}_expected`)})
    select count(distinct (${keys}))::int as differences
    from ((table kept except table expected) union all (table expected except table kept)) as different`);
  return rows[0].differences;
};

/**
 * Counts a rollup anew where it differs, else adds up what its writers have left side by side, and puts its rows in
 * order. Readers go on: the old rows are deleted and not truncated, and nothing is locked against them.
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
 * Compares every sum with its table, each rollup in one snapshot, so that loaders may go on meanwhile.
 * @param repair counts those that differ anew, folds what several writers left and puts the rows in order; loaders of
 *   that table wait until it is done, readers do not
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
