// @module-tag slow
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { data, Evaluator, Lexer, Parser } from "@actions/expressions";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { connected } from "../../../tools/warehouse/databases.ts";
import { type Database, openMigrated } from "../../support/node/databases.ts";
import { ROOT } from "../../support/node/pages.ts";

interface Step {
  id?: string;
  name?: string;
  uses?: string;
  run?: string;
  if?: string;
  env?: Record<string, string>;
}

const SECRET = /^\$\{\{ secrets\.WAREHOUSE_OWNER_URL \}\}$/;
const stepsIn = (file: string): Step[] =>
  Object.values<{ steps: Step[] }>(parse(readFileSync(join(ROOT, file), "utf8")).jobs).flatMap(
    ({ steps }) => steps,
  );
const WAREHOUSE = ".github/workflows/warehouse.yml";
const steps = stepsIn(WAREHOUSE);
const job: { env: Record<string, string> } = parse(readFileSync(join(ROOT, WAREHOUSE), "utf8")).jobs
  .warehouse;

const folder = mkdtempSync(join(tmpdir(), "workflow-"));
let database: Database;
beforeAll(async () => {
  database = await openMigrated(undefined);
});
afterAll(async () => {
  await database.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs a step as GitHub does, with a value of the secret. */
const runStep = async (name: string, url: string, env: Record<string, string> = {}) => {
  const step = steps.find(({ id, name: title }) => id === name || title === name);
  const outputs = join(folder, "outputs");
  writeFileSync(outputs, "");
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? "exit 9"], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: url, GITHUB_OUTPUT: outputs, ...env },
  });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await exit, output: output + errors, outputs: readFileSync(outputs, "utf8") };
};

type Values = Record<string, string | boolean | object>;

const toData = (value: Values[string]): data.ExpressionData => {
  if (typeof value === "string") return new data.StringData(value);
  if (typeof value === "boolean") return new data.BooleanData(value);
  const pairs = Object.entries(value as Values).map(([key, one]) => ({ key, value: toData(one) }));
  return new data.Dictionary(...pairs);
};

/** The text of an expression, by GitHub's own evaluator. */
const evaluate = (expression: string, contexts: Values): string => {
  const { tokens } = new Lexer(expression.replace(/^\$\{\{(.*)\}\}$/, "$1")).lex();
  const parsed = new Parser(tokens, Object.keys(contexts), []).parse();
  return new Evaluator(parsed, toData(contexts) as data.Dictionary).evaluate().coerceString();
};

/** The named steps that run, with the secret set. */
const stepsThatRun = (event: object, inputs: Values, vars: Values = {}) => {
  const IS_PRUNING = evaluate(job.env.IS_PRUNING ?? "", { github: { event }, inputs });
  const contexts = { steps: { owner: { outputs: { is_set: "true" } } }, env: { IS_PRUNING }, vars };
  return steps.flatMap(({ name, if: condition }) =>
    name && !["", "false"].includes(evaluate(condition ?? "true", contexts)) ? [name] : [],
  );
};

describe(".github/workflows/warehouse.yml", () => {
  it.each<[string, object, Values, Values, string[]]>([
    ["day", { schedule: "23 6 * * *" }, {}, {}, ["verify"]],
    ["month", { schedule: "53 6 1 * *" }, {}, {}, ["prune"]],
    [
      "month, with an access log",
      { schedule: "53 6 1 * *" },
      {},
      { ACCESS_DAYS: "183" },
      ["prune", "prune-accesses"],
    ],
    ["click", {}, { prune: false }, {}, ["verify"]],
    ["click for pruning", {}, { prune: true }, {}, ["prune"]],
  ])("of a %s runs its steps", (_, event, inputs, vars, expected) => {
    expect(stepsThatRun(event, inputs, vars)).toEqual(expected);
  });

  it("says that nothing is checked without the secret, and ends without a failure", async () => {
    const { code, output, outputs } = await runStep("owner", "");
    expect([code, outputs]).toEqual([0, ""]);
    expect(output).toMatch(/^::notice::The secret WAREHOUSE_OWNER_URL is not set/);
    const others = steps.filter(({ id }) => id !== "owner");
    expect(others.filter((step) => !step.if?.startsWith("steps.owner.outputs.is_set"))).toEqual([]);
  });

  it("gives the secret only to steps that use it, as DATABASE_URL", async () => {
    expect((await runStep("owner", database.url)).outputs).toBe("is_set=true\n");
    const withSecret = steps.filter((step) => JSON.stringify(step).includes("secrets."));
    expect(withSecret.map(({ id, name }) => id ?? name)).toEqual([
      "owner",
      "verify",
      "prune",
      "prune-accesses",
    ]);
    expect(withSecret.filter(({ env }) => !SECRET.test(env?.DATABASE_URL ?? ""))).toEqual([]);
    expect(withSecret.filter(({ run }) => run?.includes("secrets."))).toEqual([]);
  });

  it("verifies and prunes a warehouse that is in order", async () => {
    for (const [step, line] of [
      ["verify", "transacoes_rollup: all sums match"],
      ["prune", "vendas_produto: 0 removals deleted"],
      ["prune-accesses", "0 accesses"],
    ] as const) {
      const { code, output } = await runStep(step, database.url, { DAYS: "183" });
      expect([step, code], output).toEqual([step, 0]);
      expect(output.toLowerCase()).toContain(line.toLowerCase());
      expect(output).not.toContain(database.url);
    }
  });

  it("fails with what to do if a sum differs or the database does not answer, without its URL", async () => {
    await connected(database.url, (db) =>
      db.query(
        "insert into transacoes_rollup (grain, starts_on, writer, records, total) values ('all', '2026-01-01', 1, 1, 1)",
      ),
    );
    for (const url of [database.url, "postgres://owner:the-password@127.0.0.1:1/none"]) {
      const { code, output } = await runStep("verify", url);
      expect(code, output).toBe(1);
      expect(output).toMatch(/^::error title=[^:]+::.*docs\/operating\.md, "Rollups that differ"/m);
      for (const part of [url, "the-password"]) expect(output).not.toContain(part);
    }
  });

  it("runs no install script before a step that has the secret", () => {
    const installs = steps.flatMap(
      ({ run = "" }) => run.match(/\bnpm\b[^\n]*\b(?:ci|install|i)\b[^\n]*/g) ?? [],
    );
    expect(installs).toHaveLength(1);
    expect(installs.filter((command) => !command.includes("--ignore-scripts"))).toEqual([]);
  });

  it("uses the same versions of actions as the other workflows", () => {
    const used = globSync(".github/workflows/*.yml", { cwd: ROOT }).map((file) =>
      stepsIn(file).flatMap(({ uses }) => uses ?? []),
    );
    expect(used).toHaveLength(3);
    for (const actions of used) expect([...new Set(actions)].sort()).toEqual([...new Set(used[0])].sort());
  });
});
