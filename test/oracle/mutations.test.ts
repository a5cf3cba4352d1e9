// @module-tag server
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parseSync } from "vite";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import type { Rights } from "../../src/core/rights.ts";
import { copyCheckout } from "../../tools/local/checkout.ts";
import { marksIn, plantMistake, WORKER_MISTAKES } from "../support/node/mistakes.ts";
import { compareClosings } from "./closings.ts";
import { compareAll, compareList, comparePanel, compareReports } from "./compare.ts";
import { compareRights } from "./compare-rights.ts";
import { type Asks, compareGeneralRandomly, generalReaders } from "./general/compare-general.ts";
import { SOURCES } from "./general/sources.ts";
import byKind from "./mistakes.json" with { type: "json" };
import { LISTS } from "./questions.ts";
import { type Service, startService } from "./service.ts";
import { openWarehouse, type Warehouse } from "./warehouse.ts";

/** Few, so that what comes last is asked soon, too. */
const ROUNDS = 25;
/** Of the panel and of each general report. */
const GENERAL_ROUNDS = 50;
const ATTEMPTS = 24;
const RIGHTS: Rights = { units: ["101", "102"], personalData: false, payments: true };

/** What finds a mistake. */
type Kind = keyof typeof byKind;

interface Mistake {
  mark: string;
  /** The only source in which the mistake is looked for. By default that of the file, or all of them. */
  source?: string;
  wrong: string;
  /** What questions to general reports that find the mistake have in common: among any, they are too rare. */
  asks?: Asks;
  /** The same of questions to a list. */
  filters?: Record<string, string>;
  /** In general reports and the panel, only readers without personal data get another answer. */
  isOfHidden?: boolean;
}
const mistakes = Object.entries<Record<string, Mistake>>(byKind).flatMap(([kind, ofKind]) =>
  Object.entries(ofKind).map(([what, mistake]) => ({ what, ...mistake, kind: kind as Kind })),
);

const SRC = join(import.meta.dirname, "../../src");
const marks = globSync("**/*.ts", { cwd: SRC }).flatMap((file) => {
  const code = readFileSync(join(SRC, file), "utf8");
  return marksIn(code).map((mark) => ({ mark, file, code }));
});
const placeOf = ({ mark }: Mistake) => {
  const place = marks.find((one) => one.mark === mark);
  if (place === undefined) throw new Error(`No line in src is marked "mistake: ${mark}".`);
  return place;
};

const sourcesOf = (mistake: Mistake) => {
  const { source = /sources\/(\w+)\.ts$/.exec(placeOf(mistake).file)?.[1] } = mistake;
  const own = Object.entries(SOURCES).filter(([name]) => name === source);
  return own.length > 0 ? Object.fromEntries(own) : SOURCES;
};

/** The lists in which a mistake shows; undefined if it may show in reports, too. */
const listsOf = (mistake: Mistake) => {
  const { file } = placeOf(mistake);
  const [, list = ""] = /v1\/([\w-]+)\/queries\.ts$/.exec(file) ?? [];
  if (list in LISTS) return [list];
  return /db\/(lists|parts)\.ts$/.test(file) ? Object.keys(LISTS) : undefined;
};

/** A short run plants every seventh mistake, from one that the seed chooses. */
const STEP = inject("oracleRounds") > 8 ? 1 : 7;
const planted = mistakes.filter((_, n) => n % STEP === inject("oracleSeed") % STEP);

it("has mistakes for each mark in src, and each mark once", () => {
  const expected = new Set([...mistakes, ...WORKER_MISTAKES].map(({ mark }) => mark));
  expect(marks.map(({ mark }) => mark).toSorted()).toEqual([...expected].toSorted());
});

// A short run plants few of them, so it would not notice that the formatter has split a marked line.
it.each(mistakes)("a mistake replaces a whole line: $what", (mistake) => {
  const { file, code } = placeOf(mistake);
  expect(parseSync(file, plantMistake(code, mistake)).errors).toEqual([]);
});

// Each mistake replaces one line of src. The first one was once committed, and all other tests passed.
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

  const readersOf = async (service: Service, { isOfHidden = false }: Mistake) =>
    (await generalReaders(service)).filter(({ rights }) => !(isOfHidden && rights.personalData));

  const comparisons: Record<Kind, (service: Service, seed: number, mistake: Mistake) => Promise<void>> = {
    rights: (service, seed) => compareRights(warehouse, service, RIGHTS, { seed, questions: 8 }),
    // The other lists and reports would take most of the time.
    general: async (service, seed, mistake) =>
      compareGeneralRandomly(warehouse.db, await readersOf(service, mistake), {
        seed,
        rounds: GENERAL_ROUNDS,
        sources: sourcesOf(mistake),
        asks: mistake.asks,
      }),
    panel: async (service, seed, mistake) =>
      comparePanel({ warehouse, service }, seed, GENERAL_ROUNDS, await readersOf(service, mistake)),
    closings: (service, seed) => compareClosings(warehouse, service, { seed, rounds: 2, hasCopy: true }),
    other: async (service, seed, mistake) => {
      const subject = { warehouse, service };
      if (placeOf(mistake).file.includes("v1/relatorios/")) return compareReports(subject, seed, ROUNDS);
      const lists = listsOf(mistake);
      for (const list of lists ?? [])
        await compareList(subject, list, { seed, rounds: ROUNDS, filters: mistake.filters });
      if (lists === undefined) await compareAll(subject, seed, ROUNDS);
    },
  };

  /** Some mistakes show only in a range that ends at a row, which not every seed generates. */
  const findMismatch = async (service: Service, mistake: Mistake & { kind: Kind }) => {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const comparison = comparisons[mistake.kind](service, inject("oracleSeed") + attempt, mistake);
      const mismatch = await comparison.then(
        () => undefined,
        (error: Error) => error,
      );
      if (mismatch) return mismatch;
    }
    return undefined;
  };

  it.each(planted)("detects that $what", { timeout: 300_000 }, async (mistake) => {
    const root = mkdtempSync(join(tmpdir(), "mistake-"));
    copyCheckout(root);
    const { file, code } = placeOf(mistake);
    writeFileSync(join(root, "src", file), plantMistake(code, mistake));

    const service = await startService(warehouse.url, 8, root);
    try {
      const mismatch = await findMismatch(service, mistake);
      // An answer must differ. Of lists and records, a statement that fails does not count.
      expect(String(mismatch?.cause ?? mismatch), "what differs").toMatch(/\n {2}answered .*\n {2}expected /);
    } finally {
      await service.stop();
      rmSync(root, { recursive: true, force: true });
    }
  });
});
