import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, expect, it } from "vitest";

const ROOT = join(import.meta.dirname, "../..");

/** The folders from which each folder of `src/` may import, besides itself. */
const ALLOWED_IMPORTS: Record<string, string[]> = {
  core: [],
  db: ["core"],
  http: ["core"],
  objects: ["core"],
  limits: ["core", "db", "http", "objects"],
  auth: ["core", "db", "http", "objects", "limits"],
  health: ["core", "db", "http", "objects", "limits", "auth"],
  "v1/transacoes": ["core", "db", "http", "objects", "limits", "auth"],
  docs: ["core", "db", "http", "objects", "limits", "auth", "health", "v1/transacoes"],
  pages: ["core", "db", "http", "objects", "limits", "auth"],
  oauth: ["core", "db", "http", "objects", "limits", "auth"],
  watch: ["core", "db", "v1/transacoes"],
  mcp: ["core", "db", "http", "objects", "limits", "auth", "health", "v1/transacoes", "docs"],
};

const checkout = mkdtempSync(join(tmpdir(), "imports-"));
afterAll(() => rmSync(checkout, { recursive: true, force: true }));

/** Lints files with one import each. Returns the files with a forbidden import. */
const rejectedFiles = (imports: [from: string, to: string][]): string[] => {
  for (const name of ["biome.json", ".gitignore"]) cpSync(join(ROOT, name), join(checkout, name));
  symlinkSync(join(ROOT, "node_modules"), join(checkout, "node_modules"));
  for (const [from, to] of imports) {
    const path = join(checkout, "src", from);
    const specifier = relative(dirname(from), to).replace(/^(?!\.)/, "./");
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

it("the linter rejects an import from a folder above, beside or outside, also of a type and in a dynamic import", () => {
  const between = Object.keys(ALLOWED_IMPORTS).flatMap((from) =>
    [...Object.keys(ALLOWED_IMPORTS), ""]
      .filter((to) => to !== from)
      .map((to) => ({
        from: `${from}/to-${to.replace("/", "-") || "app"}.ts`,
        to: join(to, to === "" ? "app.ts" : "any.ts"),
        isAllowed: ALLOWED_IMPORTS[from]?.includes(to) ?? false,
      })),
  );
  const showing = ["relatorios", "alteracoes"].flatMap((folder) =>
    ["table", "schemas", "queries", "routes"].map((file) => ({
      from: `v1/${folder}/to-${file}.ts`,
      to: `v1/profissionais/${file}.ts`,
      isAllowed: file !== "routes",
    })),
  );
  const cases = [
    ...between,
    ...showing,
    { from: "v1/produtos/queries.ts", to: "v1/profissionais/table.ts", isAllowed: true },
    { from: "v1/produtos/schemas.ts", to: "v1/fields.ts", isAllowed: true },
    { from: "v1/produtos/table.ts", to: "v1/profissionais/schemas.ts", isAllowed: false },
    { from: "v1/produtos/routes.ts", to: "v1/profissionais/queries.ts", isAllowed: false },
    { from: "v1/shared-table.ts", to: "v1/profissionais/table.ts", isAllowed: true },
    { from: "v1/shared-query.ts", to: "v1/profissionais/queries.ts", isAllowed: false },
    { from: "core/outside.ts", to: "../tools/any.ts", isAllowed: false },
    { from: "app.ts", to: "../test/any.ts", isAllowed: false },
    { from: "http/later.ts", to: "db/any.ts", isAllowed: false },
    { from: "docs/later.ts", to: "app.ts", isAllowed: false },
    { from: "auth/later.ts", to: "db/any.ts", isAllowed: true },
    { from: "../public/painel/page.ts", to: "../public/session.ts", isAllowed: true },
    { from: "../public/painel/table.ts", to: "v1/fields.ts", isAllowed: false },
    // Two files of one folder that import each other.
    { from: "db/one.ts", to: "db/other.ts", isAllowed: false },
    { from: "db/other.ts", to: "db/one.ts", isAllowed: false },
  ];
  // Two cases of the same name would overwrite each other.
  expect(new Set(cases.map(({ from }) => from)).size).toBe(cases.length);
  expect(rejectedFiles(cases.map(({ from, to }) => [from, to]))).toEqual(
    cases
      .filter(({ isAllowed }) => !isAllowed)
      .map(({ from }) => from)
      .sort(),
  );
});
