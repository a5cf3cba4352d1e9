// @module-tag server
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { connected } from "../../tools/warehouse/databases.ts";
import { openMigrated } from "../support/node/databases.ts";

const SCRIPT = join(import.meta.dirname, "../../tools/warehouse/cli.ts");

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

const verify = (url: string, ...options: string[]): Promise<Run> =>
  promisify(execFile)("node", [SCRIPT, "verify", ...options], {
    env: { ...process.env, DATABASE_URL: url },
  }).then(
    (output) => ({ code: 0, ...output }),
    (failed: Run) => failed,
  );

/** Changes a migrated database, and passes its URL to `use`. */
const withChange = async (change: string, use: (url: string) => Promise<void>): Promise<void> => {
  const database = await openMigrated(process.env.TEST_DATABASE_URL);
  try {
    await connected(database.url, (db) => db.query(change));
    await use(database.url);
  } finally {
    await database.close();
  }
};

describe("npm run warehouse -- verify", () => {
  it("finds every rollup and change feed of the code in a migrated database", () =>
    withChange("", async (url) => {
      const { code, stdout } = await verify(url);
      expect(code, stdout).toBe(0);
      expect(stdout).not.toMatch(/missing|lacks|unknown|also has/);
    }));

  it.each([
    [
      "a missing rollup",
      "select drop_rollup('servicos_profissional_rollup')",
      "servicos_profissional_rollup: missing",
    ],
    [
      "a rollup that the code does not know",
      `create table extra_rollup (like jobs_log_rollup including all);
       select create_rollup('jobs_log', 'extra_rollup', '{job_name, status}', '{}',
         'select id, created_at as at, current_date as day, job_name, status from ROWS')`,
      "extra_rollup: unknown to this checkout",
    ],
    [
      "a rollup without a measure",
      "update rollups set measures = array_remove(measures, 'valor_total') where rollup = 'vendas_produto_rollup'",
      "vendas_produto_rollup: lacks valor_total",
    ],
    [
      "a rollup with a measure that the code does not know",
      `alter table jobs_log_rollup add other numeric; alter view jobs_log_rollup_expected rename to hidden;
       create view jobs_log_rollup_expected as select *, 0 as other from hidden;
       update rollups set measures = '{other}' where rollup = 'jobs_log_rollup'`,
      "jobs_log_rollup: other is unknown to this checkout",
    ],
    [
      "a missing change feed",
      "delete from change_feeds where list = 'lancamentos'",
      "lancamentos_changes: missing",
    ],
  ])("reports %s and exits with 1", (_, change, line) =>
    withChange(change, async (url) => {
      const { code, stdout, stderr } = await verify(url);
      expect(stdout.split("\n"), stderr).toContain(line);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /\nThe facts, rollups and change feeds are not those of this checkout\. Run npm run db:migrate in the checkout that is deployed\.\n$/,
        ),
      ]);
    }),
  );
});
