import { existsSync } from "node:fs";
import { join } from "node:path";

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const hasChromium = existsSync(CHROMIUM);
export const hasGenerators = existsSync(join(import.meta.dirname, "../clients/node_modules"));

/** Which tests the project `browser` skips, and why. */
export const skipped: string[] = [
  ...(hasChromium
    ? []
    : [`the tests of /docs and /painel need Chromium at ${CHROMIUM} (CHROMIUM names another place)`]),
  ...(hasGenerators
    ? []
    : ["the tests of generated clients need their generators (npm --prefix test/clients ci)"]),
];
