import { copyFileSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { readArguments } from "./arguments.ts";

const USAGE = `Copies the libraries for the browser from node_modules to src/assets, from which the service serves files.

  npm ci                            runs this as its last step
  npm run node -- tools/assets.ts   runs this again`;

const ROOT = join(import.meta.dirname, "..");

/** Files to copy, by package. Symlinks would be lost in archives and on some systems. */
const LIBRARIES = {
  "swagger-ui-dist": ["favicon-32x32.png", "swagger-ui-bundle.js", "swagger-ui.css"],
  uplot: ["dist/uPlot.iife.min.js", "dist/uPlot.min.css"],
};

readArguments(USAGE, {});
for (const [name, files] of Object.entries(LIBRARIES)) {
  const folder = join(ROOT, "src/assets", name);
  rmSync(folder, { recursive: true, force: true });
  for (const file of files) {
    const copy = join(folder, file.replace("dist/", ""));
    mkdirSync(dirname(copy), { recursive: true });
    copyFileSync(join(ROOT, "node_modules", name, file), copy);
  }
}
