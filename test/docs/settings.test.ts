import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { DEFINITIONS, readSettings } from "../../src/core/settings.ts";
import { SETTINGS } from "../../tools/local/runtime.ts";

const ROOT = join(import.meta.dirname, "../..");

it("the docs list every setting as the code describes it", () => {
  const rows = Object.entries(DEFINITIONS).map(
    ([name, { kind, description }]) => `| \`${name}\` | ${kind} | ${description} |`,
  );
  const table = ["| Name | Kind | Meaning |", "|---|---|---|", ...rows].join("\n");
  const docs = globSync(["README.md", "docs/*.md"], { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), "utf8"),
  );
  const shown = docs.join("\n").match(/^\| Name \| Kind \| Meaning \|\n(?:\|.*\n?)+/gm) ?? [];
  expect(shown.map((text) => text.trim())).toEqual([table]);
});

it("wrangler.toml names every setting, as a var with a valid value or as a secret", () => {
  const { vars, secrets } = readConfig({ config: join(ROOT, "wrangler.toml") });
  const named = (wanted: string) =>
    Object.entries(DEFINITIONS).flatMap(([name, { kind }]) => (kind === wanted ? [name] : []));
  expect(Object.keys(vars).sort()).toEqual(named("var").sort());
  expect(secrets?.required).toEqual(named("secret"));
  const { TOKEN_KEYS } = SETTINGS;
  readSettings({ ...vars, TOKEN_KEYS, DATABASE_URL: "postgres://salon_api:-@127.0.0.1/none" });
});
