import pg from "pg";
import { connected, retryWhenLocked } from "./databases.ts";

export interface Finding {
  /** The table of facts, or the rollup. */
  table: string;
  /** Number of rows whose facts differ, or of sums that differ or exist on one side only. */
  differences: number;
  repaired: boolean;
}

interface Options {
  repair: boolean;
  report: (finding: Finding) => void;
  /** Receives a line when a repair has to wait. */
  progress?: (line: string) => void;
}

/** A row of the table `facts` (migrations). */
interface Facts {
  facts: string;
  source: string;
}

const allFacts = async (db: pg.Client): Promise<Facts[]> => {
  const { rows } = await db.query("select facts, source from facts order by facts");
  return rows;
};

const countDifferentFacts = async (db: pg.Client, facts: string): Promise<number> => {
  const [stored, expected] = [facts, `${facts}_expected`].map((name) => pg.escapeIdentifier(name));
  const { rows } = await db.query(`
    with stored as materialized (table ${stored}), expected as materialized (table ${expected})
    select count(distinct id)::int as differences
    from ((table stored except all table expected) union all (table expected except all table stored)) as different`);
  return rows[0].differences;
};

/** Writes all facts of a table again. Their rollups follow. */
const rewriteFacts = async (
  db: pg.Client,
  { facts, source }: Facts,
  progress: (line: string) => void,
): Promise<void> => {
  const [stored, expected, rows] = [facts, `${facts}_expected`, source].map((name) =>
    pg.escapeIdentifier(name),
  );
  await retryWhenLocked(
    db,
    () => `The repair of ${facts}`,
    progress,
    async () => {
      await db.query(`lock table ${rows} in share row exclusive mode`);
      await db.query(`delete from ${stored}`);
      await db.query(`insert into ${stored} table ${expected}`);
    },
  );
  await db.query(`vacuum analyze ${stored}`);
};

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
 * Compares all facts and every rollup with their tables, each in one snapshot, so that loaders can continue.
 * @param repair recalculates what differs, and merges and sorts the rows of all other rollups; this blocks loaders of
 *   the table, but not readers
 */
export const verifySums = (
  url: string,
  { repair, report, progress = () => undefined }: Options,
): Promise<Finding[]> =>
  connected(url, async (db) => {
    const findings: Finding[] = [];
    const add = (table: string, differences: number) => {
      const finding = { table, differences, repaired: repair && differences > 0 };
      report(finding);
      findings.push(finding);
    };
    // Rollups sum facts: facts come first.
    for (const facts of await allFacts(db)) {
      const differences = await countDifferentFacts(db, facts.facts);
      if (repair && differences > 0) await rewriteFacts(db, facts, progress);
      add(facts.facts, differences);
    }
    for (const rollup of await allRollups(db)) {
      const differences = await countDifferences(db, rollup);
      if (repair) await rewrite(db, rollup, differences > 0, progress);
      add(rollup.rollup, differences);
    }
    return findings;
  });
