// @module-tag server
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { compareAll } from "./compare.ts";
import mistakes from "./mistakes.json" with { type: "json" };
import { startService } from "./service.ts";
import { openWarehouse, type Warehouse } from "./warehouse.ts";

const ROOT = join(import.meta.dirname, "../..");
const ROUNDS = 100;
const ATTEMPTS = 6;

// Mistakes one could make, each as the text it changes. The first was made once, and 962 tests were green over it.
// Only a server asks and answers so many questions in a minute.
describe.runIf(inject("isServer"))(`the oracle finds (ORACLE_SEED=${inject("oracleSeed")})`, () => {
  let warehouse: Warehouse;
  beforeAll(async () => {
    // Which question fails is known; the shortest one is not worth the time.
    fc.configureGlobal({ endOnFailure: true });
    warehouse = await openWarehouse(inject("oracleSeed"));
  });

  afterAll(() => warehouse.close());

  it.each(mistakes)("$what", { timeout: 300_000 }, async ({ file, right, wrong }) => {
    const root = mkdtempSync(join(tmpdir(), "mistake-"));
    for (const name of ["src", "wrangler.toml", "package.json", "tsconfig.json"])
      cpSync(join(ROOT, name), join(root, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    const path = join(root, "src/db", file);
    const parts = readFileSync(path, "utf8").split(right);
    expect(parts, "the text to change is there once").toHaveLength(2);
    writeFileSync(path, parts.join(wrong));

    const service = await startService(warehouse.url, 8, root);
    try {
      const subject = { db: warehouse.db, service, atOnce: 8 };
      let found: Error | undefined;
      // Some mistakes need a range that ends at a row: not every seed has one among its questions.
      for (let attempt = 0; attempt < ATTEMPTS && found === undefined; attempt += 1)
        found = await compareAll(subject, inject("oracleSeed") + attempt, ROUNDS).then(
          () => undefined,
          (error: Error) => error,
        );
      // A wrong answer, and not merely a statement that fails.
      expect(String(found?.cause), "what differs").toMatch(/\n {2}answered .*\n {2}expected /);
    } finally {
      await service.stop();
      rmSync(root, { recursive: true, force: true });
    }
  });
});
