// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { connected } from "../../../tools/warehouse/databases.ts";
import { type Database, openMigrated } from "../../support/node/databases.ts";
import { runTool } from "../../support/node/run-tool.ts";

let database: Database;
const verify = () => runTool("warehouse/cli.ts", ["verify"], { env: { DATABASE_URL: database.url } });

beforeAll(async () => {
  database = await openMigrated(process.env.TEST_DATABASE_URL);
});
afterAll(() => database.close());

describe("npm run warehouse -- verify", () => {
  it("finds every rollup and change feed of the code in a migrated database", async () => {
    const { code, output } = await verify();
    expect(code, output).toBe(0);
    expect(output).not.toMatch(/missing|lacks|unknown|also has/);
  });

  it("reports missing, unknown and other rollups and change feeds, and exits with 1", async () => {
    const changes = [
      "select drop_rollup('servicos_profissional_rollup')",
      `create table extra_rollup (like jobs_log_rollup including all);
       select create_rollup('jobs_log', 'extra_rollup', '{job_name, status}', '{}',
         'select id, created_at as at, current_date as day, job_name, status from ROWS')`,
      "update rollups set measures = array_remove(measures, 'valor_total') where rollup = 'vendas_produto_rollup'",
      `alter table jobs_log_rollup add other numeric; alter view jobs_log_rollup_expected rename to hidden;
       create view jobs_log_rollup_expected as select *, 0 as other from hidden;
       update rollups set measures = '{other}' where rollup = 'jobs_log_rollup'`,
      "delete from change_feeds where list = 'lancamentos'",
    ];
    await connected(database.url, (db) => db.query(changes.join(";")));
    const { code, output, errors } = await verify();
    expect(output.split("\n"), errors).toEqual(
      expect.arrayContaining([
        "servicos_profissional_rollup: missing",
        "extra_rollup: unknown to this checkout",
        "vendas_produto_rollup: lacks valor_total",
        "jobs_log_rollup: other is unknown to this checkout",
        "lancamentos_changes: missing",
      ]),
    );
    expect([code, errors]).toEqual([
      1,
      expect.stringMatching(
        /\nThe facts, rollups and change feeds are not those of this checkout\. Run npm run db:migrate in the checkout that is deployed\.\n$/,
      ),
    ]);
  });
});
