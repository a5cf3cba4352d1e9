import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

const checkout = mkdtempSync(join(tmpdir(), "imports-"));
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

/** Lints files with one import each. Returns the files with a forbidden import. */
const rejectedFiles = (imports: [from: string, to: string][]): string[] => {
  for (const name of ["biome.json", ".gitignore"]) cpSync(join(ROOT, name), join(checkout, name));
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  for (const [from, to] of imports) {
    const path = join(checkout, "src", from);
    const specifier = relative(dirname(path), join(checkout, "src", to)).replace(/^(?!\.)/, "./");
    mkdirSync(dirname(path), { recursive: true });
    const isLoadedLater = from.endsWith("/later.ts");
    writeFileSync(
      path,
      isLoadedLater
        ? `export const load = () => import("${specifier}");\n`
        : `import type { A } from "${specifier}";\n\nexport type B = A;\n`,
    );
  }
  const { stdout } = spawnSync("biome", ["lint", "--reporter=github", "--max-diagnostics=none"], {
    cwd: checkout,
    encoding: "utf8",
  });
  return [
    ...stdout.matchAll(/title=lint\/(?:style\/noRestrictedImports|suspicious\/noImportCycles),file=([^,]*)/g),
  ]
    .map(([, file = ""]) => relative(join(checkout, "src"), file))
    .sort();
};

/** An import, and whether `biome.json` allows it. */
const CASES: [from: string, to: string, isAllowed: boolean][] = [
  ["core/above.ts", "db/any.ts", false],
  ["core/outside.ts", "../tools/any.ts", false],
  ["app.ts", "../test/any.ts", false],
  ["db/any.ts", "core/any.ts", true],
  ["http/beside.ts", "db/any.ts", false],
  ["http/later.ts", "db/any.ts", false],
  ["audit/any.ts", "db/any.ts", true],
  ["audit/above.ts", "v1/fields.ts", false],
  ["limits/any.ts", "db/any.ts", true],
  ["limits/above.ts", "auth/any.ts", false],
  ["auth/later.ts", "db/any.ts", true],
  ["auth/above.ts", "v1/fields.ts", false],
  ["oauth/beside.ts", "v1/fields.ts", false],
  ["pages/beside.ts", "docs/any.ts", false],
  ["watch/any.ts", "v1/fields.ts", true],
  ["watch/token.ts", "auth/any.ts", true],
  ["watch/beside.ts", "mcp/any.ts", false],
  ["docs/any.ts", "v1/fields.ts", true],
  ["docs/later.ts", "app.ts", false],
  ["docs/above.ts", "mcp/any.ts", false],
  ["mcp/any.ts", "docs/any.ts", true],
  ["v1/above.ts", "docs/any.ts", false],
  ["v1/shared-table.ts", "v1/profissionais/table.ts", true],
  ["v1/shared-query.ts", "v1/profissionais/queries.ts", false],
  ["v1/produtos/schemas.ts", "v1/fields.ts", true],
  ["v1/produtos/queries.ts", "v1/profissionais/table.ts", true],
  ["v1/produtos/table.ts", "v1/profissionais/schemas.ts", false],
  ["v1/produtos/routes.ts", "v1/profissionais/queries.ts", false],
  ["v1/relatorios/queries.ts", "v1/profissionais/queries.ts", true],
  ["v1/alteracoes/schemas.ts", "v1/profissionais/schemas.ts", true],
  ["v1/relatorios/routes.ts", "v1/profissionais/routes.ts", false],
  ["v1/relatorios/sources/any.ts", "v1/profissionais/queries.ts", false],
  ["../public/painel/page.ts", "../public/session.ts", true],
  ["../public/painel/table.ts", "v1/fields.ts", false],
  // Two files of one folder that import each other.
  ["db/one.ts", "db/other.ts", false],
  ["db/other.ts", "db/one.ts", false],
];

it("the linter rejects an import from a folder above, beside or outside, also of a type and in a dynamic import", () => {
  const forbidden = CASES.filter(([, , isAllowed]) => !isAllowed).map(([from]) => from);
  expect(rejectedFiles(CASES.map(([from, to]) => [from, to]))).toEqual(forbidden.sort());
});
