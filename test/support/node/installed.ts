import { existsSync, globSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

// The headless shell has the same engine and no windows, which saves a quarter of the time. Nightly tests use Chromium.
const CHROMIUMS = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;
export const CHROMIUM = process.env.CHROMIUM ?? CHROMIUMS.find((path) => existsSync(path)) ?? CHROMIUMS[0];
export const hasChromium = existsSync(CHROMIUM);
export const hasGenerators = existsSync(join(import.meta.dirname, "../../clients/node_modules"));
/** The program that opens files for Excel; undefined if it is not installed. */
export const LIBREOFFICE = ["soffice", "libreoffice"]
  .flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)))
  .find((program) => existsSync(program));
/** A folder with `initdb` and `pg_ctl`. Debian does not put it on the PATH. */
export const POSTGRES_PROGRAMS = globSync(
  [...(process.env.PATH ?? "").split(delimiter), "/usr/lib/postgresql/*/bin"].map((at) => join(at, "initdb")),
)
  .map(dirname)
  .find((folder) => existsSync(join(folder, "pg_ctl")));

/** Which tests each project skips, and why. */
export const skipped: Record<string, string[]> = {
  docs: LIBREOFFICE ? [] : ["the tests of Excel files need LibreOffice (apt-get install libreoffice-calc)"],
  tools: POSTGRES_PROGRAMS
    ? []
    : ["the test of a replica needs the programs of a PostgreSQL server (apt-get install postgresql)"],
  browser: [
    ...(hasChromium
      ? []
      : [`the tests of /docs and /painel need Chromium at ${CHROMIUM} (CHROMIUM names another place)`]),
    ...(hasGenerators
      ? []
      : ["the tests of generated clients need their generators (npm --prefix test/clients ci)"]),
  ],
};
