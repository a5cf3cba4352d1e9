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

// Each mistake replaces one text in src. The first one was once committed, and all other tests passed.
// Only a server compares enough questions in a minute.
describe.runIf(inject("isServer"))(`the oracle (ORACLE_SEED=${inject("oracleSeed")})`, () => {
  let warehouse: Warehouse;
  beforeAll(async () => {
    // Do not shrink a failing question: that takes too long.
    fc.configureGlobal({ endOnFailure: true });
    warehouse = await openWarehouse(inject("oracleSeed"));
  });

  afterAll(() => warehouse.close());

  it.each(mistakes)("detects that $what", { timeout: 300_000 }, async ({ file, right, wrong }) => {
    const root = mkdtempSync(join(tmpdir(), "mistake-"));
    for (const name of [
      "src",
      "public",
      "tools",
      "wrangler.toml",
      "package.json",
      "package-lock.json",
      "tsconfig.json",
    ])
      cpSync(join(ROOT, name), join(root, name), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    const path = join(root, "src", file);
    const parts = readFileSync(path, "utf8").split(right);
    expect(parts, "the text to change is there once").toHaveLength(2);
    writeFileSync(path, parts.join(wrong));

    const service = await startService(warehouse.url, 8, root);
    try {
      const subject = { db: warehouse.db, service, concurrency: 8 };
      let mismatch: Error | undefined;
      // Some mistakes show only in a range that ends at a row, which not every seed generates.
      for (let attempt = 0; attempt < ATTEMPTS && mismatch === undefined; attempt += 1)
        mismatch = await compareAll(subject, inject("oracleSeed") + attempt, ROUNDS).then(
          () => undefined,
          (error: Error) => error,
        );
      // The response must differ: a statement that fails does not count.
      expect(String(mismatch?.cause), "what differs").toMatch(/\n {2}answered .*\n {2}expected /);
    } finally {
      await service.stop();
      rmSync(root, { recursive: true, force: true });
    }
  });
});
