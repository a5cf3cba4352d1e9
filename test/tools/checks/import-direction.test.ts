import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../../..");

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
  ["core/above.ts", "platform/db/any.ts", false],
  ["core/outside.ts", "../tools/any.ts", false],
  ["app.ts", "../test/any.ts", false],
  ["platform/db/any.ts", "core/any.ts", true],
  ["platform/http/beside.ts", "platform/db/any.ts", false],
  ["platform/http/later.ts", "platform/db/any.ts", false],
  ["access/audit/any.ts", "platform/db/any.ts", true],
  ["access/audit/above.ts", "api/v1/fields.ts", false],
  ["access/limits/any.ts", "platform/db/any.ts", true],
  ["access/limits/above.ts", "access/auth/any.ts", false],
  ["access/auth/later.ts", "platform/db/any.ts", true],
  ["access/auth/above.ts", "api/v1/fields.ts", false],
  ["access/oauth/beside.ts", "api/v1/fields.ts", false],
  ["extensions/pages/beside.ts", "api/openapi/any.ts", false],
  ["extensions/watch/any.ts", "api/v1/fields.ts", true],
  ["extensions/watch/token.ts", "access/auth/any.ts", true],
  ["extensions/watch/beside.ts", "extensions/mcp/any.ts", false],
  ["api/openapi/any.ts", "api/v1/fields.ts", true],
  ["api/openapi/later.ts", "app.ts", false],
  ["api/openapi/above.ts", "extensions/mcp/any.ts", false],
  ["extensions/mcp/any.ts", "api/openapi/any.ts", true],
  ["api/v1/above.ts", "api/openapi/any.ts", false],
  ["api/v1/shared-table.ts", "api/v1/profissionais/table.ts", true],
  ["api/v1/shared-query.ts", "api/v1/profissionais/queries.ts", false],
  ["api/v1/produtos/schemas.ts", "api/v1/fields.ts", true],
  ["api/v1/produtos/queries.ts", "api/v1/profissionais/table.ts", true],
  ["api/v1/produtos/table.ts", "api/v1/profissionais/schemas.ts", false],
  ["api/v1/produtos/routes.ts", "api/v1/profissionais/queries.ts", false],
  ["api/v1/relatorios/queries.ts", "api/v1/profissionais/queries.ts", true],
  ["api/v1/alteracoes/schemas.ts", "api/v1/profissionais/schemas.ts", true],
  ["api/v1/relatorios/routes.ts", "api/v1/profissionais/routes.ts", false],
  ["api/v1/relatorios/sources/any.ts", "api/v1/profissionais/queries.ts", false],
  ["../public/painel/page.ts", "../public/session.ts", true],
  ["../public/painel/table.ts", "api/v1/fields.ts", false],
  // Two files of one folder that import each other.
  ["platform/db/one.ts", "platform/db/other.ts", false],
  ["platform/db/other.ts", "platform/db/one.ts", false],
];

it("the linter rejects an import from a folder above, beside or outside, also of a type and in a dynamic import", () => {
  const forbidden = CASES.filter(([, , isAllowed]) => !isAllowed).map(([from]) => from);
  expect(rejectedFiles(CASES.map(([from, to]) => [from, to]))).toEqual(forbidden.sort());
});
