import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import swagger from "swagger-ui-dist/package.json" with { type: "json" };
import { build } from "vite";
import { SECURITY_HEADERS, SERVICE_WORKER_POLICY } from "../src/platform/http/security-headers.ts";
import { readArguments } from "./arguments.ts";
import { sourcesHash } from "./sources-hash.ts";

const USAGE = `Builds the files for the browser from public/ into dist/public/, if their sources have changed.

  npm ci           runs this as its last step
  npm run node -- tools/assets.ts   runs this again

wrangler also runs this before it bundles the Worker.`;

const ROOT = join(import.meta.dirname, "..");
const SOURCES = join(ROOT, "public");
const OUTPUT = join(ROOT, "dist/public");
/** The hash of the sources. The platform does not serve it. */
const HASH_FILE = ".sha256";
const SERVICE_WORKER = "service-worker";
const BUILT = join(OUTPUT, HASH_FILE);

/** The names of files below /assets change with their content (A2). `!` removes the header of an earlier rule. */
const HEADER_RULES = {
  "/*": Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
  "/assets/*": ["Cache-Control: public, max-age=31536000, immutable"],
  // The policy of a service worker's own file decides what it may request.
  [`/${SERVICE_WORKER}.js`]: [
    "! Content-Security-Policy",
    `Content-Security-Policy: ${SERVICE_WORKER_POLICY}`,
  ],
};

const INPUTS = [
  "package-lock.json",
  "tools/assets.ts",
  "src/platform/http/security-headers.ts",
  "public/**/*.*",
  "docs/*.md",
];

const buildInto = async (folder: string): Promise<void> => {
  await build({
    configFile: false,
    root: SOURCES,
    publicDir: "static",
    logLevel: "warn",
    resolve: { alias: [{ find: /^fflate$/, replacement: join(SOURCES, "painel/zip.ts") }] },
    build: {
      outDir: folder,
      emptyOutDir: true,
      target: "es2022",
      // The policy of the pages does not allow `data:` URLs.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: [
          ...globSync("pages/*.html", { cwd: SOURCES }).map((page) => join(SOURCES, page)),
          join(SOURCES, `worker/${SERVICE_WORKER}.ts`),
        ],
        output: {
          // A service worker keeps its address, and its folder is the widest scope that it may have.
          entryFileNames: ({ name }) => (name === SERVICE_WORKER ? "[name].js" : "assets/[name]-[hash].js"),
          // Some browsers save a `.md` in place of showing it.
          assetFileNames: ({ names: [name = ""] }) =>
            `assets/[name]-[hash]${name.endsWith(".md") ? ".txt" : "[extname]"}`,
        },
      },
    },
  });
  // The path that @hono/swagger-ui gives them. It changes with their version.
  const swaggerFolder = join(folder, `assets/${swagger.version}/swagger-ui-dist`);
  mkdirSync(swaggerFolder, { recursive: true });
  for (const file of ["swagger-ui.css", "swagger-ui-bundle.js"])
    copyFileSync(join(ROOT, "node_modules/swagger-ui-dist", file), join(swaggerFolder, file));
  const rules = Object.entries(HEADER_RULES).map(([path, lines]) => [path, ...lines].join("\n  "));
  writeFileSync(join(folder, "_headers"), `${rules.join("\n")}\n`);
};

const isBuilt = (hash: string) => existsSync(BUILT) && readFileSync(BUILT, "utf8") === hash;

/** Moves a finished folder to its place. Another process may do the same at the same time. */
const publish = (folder: string, hash: string): void => {
  for (let tries = 1; !isBuilt(hash); tries += 1) {
    try {
      rmSync(OUTPUT, { recursive: true, force: true });
      renameSync(folder, OUTPUT);
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
};

/** Builds the files for the browser, unless they are up to date. */
export const buildAssets = async (): Promise<void> => {
  const hash = sourcesHash(ROOT, INPUTS);
  if (isBuilt(hash)) return;
  // vite builds for production unless this says otherwise, as Vitest's `test` does.
  const { NODE_ENV } = process.env;
  process.env.NODE_ENV = "production";
  mkdirSync(join(ROOT, "dist"), { recursive: true });
  const unfinished = mkdtempSync(join(ROOT, "dist/unfinished-"));
  try {
    await buildInto(unfinished);
    writeFileSync(join(unfinished, HASH_FILE), hash);
    writeFileSync(join(unfinished, ".assetsignore"), `${HASH_FILE}\n`);
    publish(unfinished, hash);
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
    rmSync(unfinished, { recursive: true, force: true });
  }
};

if (import.meta.main) {
  readArguments(USAGE, {});
  await buildAssets();
}
