// @module-tag server
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Rights } from "../../src/core/rights.ts";
import { copyCheckout } from "../../tools/local/checkout.ts";
import { compareAll, comparePanel } from "./compare.ts";
import { compareRights } from "./compare-rights.ts";
import { compareGeneralRandomly, generalReaders } from "./general/compare-general.ts";
import { SOURCES } from "./general/sources/index.ts";
import mistakes from "./mistakes.json" with { type: "json" };
import { type Service, startService } from "./service.ts";
import { openWarehouse, type Warehouse } from "./warehouse.ts";

const ROUNDS = 100;
/** Of the panel and of each general report. */
const GENERAL_ROUNDS = 200;
const ATTEMPTS = 6;
const RIGHTS: Rights = { units: ["101", "102"], personalData: false, payments: true };

/** What finds a mistake. */
type Kind = "isOfRights" | "isGeneral" | "isOfPanel" | "isOther";
const kindOf = (mistake: object): Kind =>
  (["isOfRights", "isGeneral", "isOfPanel"] as const).find((kind) => kind in mistake) ?? "isOther";

interface Place {
  file: string;
  /** The only source in which the mistake is looked for. By default that of the file, or all of them. */
  source?: string | undefined;
}
const sourcesOf = ({ file, source = /sources\/(\w+)\.ts$/.exec(file)?.[1] }: Place) => {
  const own = Object.entries(SOURCES).filter(([name]) => name === source);
  return own.length > 0 ? Object.fromEntries(own) : SOURCES;
};

/** A short run plants every seventh mistake, from one that the seed chooses. */
const STEP = inject("oracleRounds") > 8 ? 1 : 7;
const planted = mistakes.filter((_, n) => n % STEP === inject("oracleSeed") % STEP);

// A short run plants few of them, so it would not notice a text that has changed.
it.each(mistakes)("a mistake replaces a text that is in src once: $what", ({ file, right }) => {
  const text = readFileSync(join(import.meta.dirname, "../../src", file), "utf8");
  expect(text.split(right)).toHaveLength(2);
});

// Each mistake replaces one text in src. The first one was once committed, and all other tests passed.
// Only a server compares enough questions in a minute.
describe.runIf(inject("isServer"))(`the oracle (ORACLE_SEED=${inject("oracleSeed")})`, () => {
  let warehouse: Warehouse;
  beforeAll(async () => {
    // Do not shrink a failing question: that takes too long.
    fc.configureGlobal({ endOnFailure: true });
    warehouse = await openWarehouse(inject("oracleSeed"));
  });

  afterAll(async () => {
    fc.resetConfigureGlobal();
    await warehouse.close();
  });

  const comparisons: Record<Kind, (service: Service, seed: number, place: Place) => Promise<void>> = {
    isOfRights: (service, seed) =>
      compareRights(warehouse, service, RIGHTS, { sessions: 8, seed, questions: 8 }),
    // The other lists and reports would take most of the time.
    isGeneral: async (service, seed, place) =>
      compareGeneralRandomly(warehouse.db, await generalReaders(service), {
        seed,
        rounds: GENERAL_ROUNDS,
        sources: sourcesOf(place),
      }),
    isOfPanel: (service, seed) =>
      comparePanel({ db: warehouse.db, service, concurrency: 8 }, seed, GENERAL_ROUNDS),
    isOther: (service, seed) => compareAll({ db: warehouse.db, service, concurrency: 8 }, seed, ROUNDS),
  };

  /** Some mistakes show only in a range that ends at a row, which not every seed generates. */
  const findMismatch = async (service: Service, kind: Kind, place: Place): Promise<Error | undefined> => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const seed = inject("oracleSeed") + attempt;
      const comparison = comparisons[kind](service, seed, place);
      const mismatch = await comparison.then(
        () => undefined,
        (error: Error) => error,
      );
      if (mismatch) return mismatch;
    }
    return undefined;
  };

  it.each(planted)("detects that $what", { timeout: 300_000 }, async ({ file, right, wrong, ...mistake }) => {
    const root = mkdtempSync(join(tmpdir(), "mistake-"));
    copyCheckout(root);
    const path = join(root, "src", file);
    const parts = readFileSync(path, "utf8").split(right);
    expect(parts, "the text to change is there once").toHaveLength(2);
    writeFileSync(path, parts.join(wrong));

    const service = await startService(warehouse.url, 8, root);
    try {
      const mismatch = await findMismatch(service, kindOf(mistake), { file, ...mistake });
      // The response must differ: a statement that fails does not count.
      expect(String(mismatch?.cause ?? mismatch), "what differs").toMatch(/\n {2}answered .*\n {2}expected /);
    } finally {
      await service.stop();
      rmSync(root, { recursive: true, force: true });
    }
  });
});
