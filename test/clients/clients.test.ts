// @module-tag slow
import { execFile } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { hasGenerators } from "../support/node/installed.ts";
import { fences } from "../support/node/pages.ts";
import { accessToken } from "./access-token.ts";

const HERE = import.meta.dirname;
const GENERATED = join(HERE, ".generated");
const bin = (name: string) => join(HERE, "node_modules/.bin", name);
const run = promisify(execFile);

const base = inject("pages");
let token: string;
/** What each client must read: every id once, and a report. */
let expected: { entries: number; distinct: number; visits: number };

beforeAll(async () => {
  token = await accessToken(base);
  const headers = { Authorization: `Bearer ${token}` };
  const summary = await fetch(`${base}/v1/relatorios/resumo`, { headers });
  const { lancamentos, transacoes } = (await summary.json()) as Record<string, { total: number }>;
  const entries = lancamentos?.total ?? Number.NaN;
  expected = { entries, distinct: entries, visits: transacoes?.total ?? Number.NaN };
  const document = await fetch(`${base}/openapi.yaml`, { headers });
  rmSync(GENERATED, { recursive: true, force: true });
  mkdirSync(GENERATED);
  writeFileSync(join(GENERATED, "openapi.yaml"), await document.text());
});

/** Compiles a program that uses a generated client under strict TypeScript and runs it against the service. */
const compileAndRun = async (name: string, program: string) => {
  const file = join(GENERATED, `${name}.ts`);
  writeFileSync(file, program);
  const strict = [
    "--strict",
    "--noUncheckedIndexedAccess",
    "--skipLibCheck",
    "--target",
    "es2022",
    "--module",
    "esnext",
    "--moduleResolution",
    "bundler",
    "--types",
    "node",
  ];
  await run(bin("tsc"), [file, ...strict, "--noEmit", "--allowImportingTsExtensions"], { cwd: HERE }).catch(
    (error: { stdout: string }) => {
      throw new Error(error.stdout);
    },
  );
  const bundle = join(GENERATED, `${name}.mjs`);
  await run("esbuild", [file, "--bundle", "--platform=node", "--format=esm", `--outfile=${bundle}`]);
  const env = { ...process.env, BASE: base, TOKEN: token, SALON_TOKEN: token };
  return (await run("node", [bundle], { env, maxBuffer: 1e8 })).stdout;
};

describe.runIf(hasGenerators)("a generated client", { timeout: 120_000 }, () => {
  it("of openapi-typescript with openapi-fetch compiles and reads every id once, by the program in docs/clients.md", async () => {
    await run(bin("openapi-typescript"), [
      join(GENERATED, "openapi.yaml"),
      "-o",
      join(GENERATED, "schema.d.ts"),
    ]);
    const program = fences.find(
      ({ heading, language }) => heading === "Generate a client" && language === "ts",
    );
    const output = await compileAndRun(
      "fetch",
      `${program?.text.replace("http://127.0.0.1:8787", base)}
const { data: report } = await client.GET("/v1/relatorios/resumo");
console.log("visits", report?.transacoes.total);
`,
    );
    const entries = output.match(/^\d+ \S+$/gm) ?? [];
    const visits = Number(output.match(/^visits (\d+)$/m)?.[1]);
    expect({ entries: entries.length, distinct: new Set(entries).size, visits }).toEqual(expected);
  });

  it("of @hey-api/openapi-ts compiles and reads every id once", async () => {
    await run(bin("openapi-ts"), ["-i", join(GENERATED, "openapi.yaml"), "-o", join(GENERATED, "hey")], {
      cwd: HERE,
    });
    const output = await compileAndRun(
      "hey",
      `import { client } from "./hey/client.gen";
import { listLancamentos, resumo } from "./hey/sdk.gen";
import type { ListLancamentosResponse } from "./hey/types.gen";

client.setConfig({ baseUrl: process.env["BASE"] ?? "", auth: () => process.env["TOKEN"] ?? "" });
const ids: number[] = [];
let after: number | null = 0;
while (after !== null) {
  const answer: { data?: ListLancamentosResponse } = await listLancamentos({ query: { after_id: after, per_page: 200 } });
  if (!answer.data) throw new Error("no page");
  ids.push(...answer.data.data.map((entry) => entry.id));
  after = "next_after_id" in answer.data.pagination ? answer.data.pagination.next_after_id : null;
}
const { data: report } = await resumo();
console.log(JSON.stringify({ entries: ids.length, distinct: new Set(ids).size, visits: report?.transacoes.total }));
`,
    );
    expect(JSON.parse(output)).toEqual(expected);
  });
});
