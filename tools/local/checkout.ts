import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** Copies what the Worker is bundled from, to change it. The files for the browser are not built again. */
export const copyCheckout = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  for (const name of ["src", "alerts.toml", "package.json", "tsconfig.json", "dist/public"])
    cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const config = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  writeFileSync(join(folder, "wrangler.toml"), config.replace(/^\[build\]\n.*\n/m, ""));
};
