import pg from "pg";

/** What a comparison of one rollup with its table found. */
export interface Finding {
  rollup: string;
  /** Sums that differ, or are there on one side only. */
  differences: number;
  repaired: boolean;
}

/** The rollups of a database, by the views that count them anew (migrations). */
const rollupsOf = async (db: pg.Client) => {
  const { rows } = await db.query(`
    select left(table_name, -length('_expected')) as rollup,
      string_agg(quote_ident(column_name), ', ' order by ordinal_position)
        filter (where column_name not in ('writer', 'records', 'total')) as keys,
      bool_or(column_name = 'total') as totals
    from information_schema.columns where table_schema = 'public' and table_name like '%\\_rollup\\_expected'
    group by table_name order by table_name`);
  return rows as { rollup: string; keys: string; totals: boolean }[];
};

/**
 * Compares every sum with its table, each rollup in one snapshot, so that loaders may go on meanwhile.
 * @param repair counts those that differ anew; loaders of that table wait until it is done
 */
export const verifyRollups = async (
  url: string,
  { repair, report }: { repair: boolean; report: (finding: Finding) => void },
): Promise<Finding[]> => {
  const db = new pg.Client({ connectionString: url });
  await db.connect();
  try {
    const findings: Finding[] = [];
    for (const { rollup, keys, totals } of await rollupsOf(db)) {
      const total = totals ? "sum(total)" : "0";
      const sums = (relation: string) =>
        `select ${keys}, sum(records), ${total} from ${relation} group by ${keys} having sum(records) <> 0 or ${total} <> 0`;
      const [kept, expected] = [sums(rollup), sums(`${rollup}_expected`)];
      const { rows } = await db.query(`
        with kept as materialized (${kept}), expected as materialized (${expected})
        select count(distinct (${keys}))::int as differences
        from ((table kept except table expected) union all (table expected except table kept)) as different`);
      const { differences } = rows[0];
      const repaired = repair && differences > 0;
      if (repaired) {
        await db.query("begin");
        // A view's lock is a lock on its table.
        await db.query(`lock table ${rollup}_expected in share row exclusive mode`);
        await db.query(`delete from ${rollup}`);
        await db.query(`insert into ${rollup} select * from ${rollup}_expected order by grain, starts_on`);
        await db.query("commit");
      }
      const finding = { rollup, differences, repaired };
      report(finding);
      findings.push(finding);
    }
    return findings;
  } finally {
    await db.end();
  }
};
