// @module-tag server
import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import type { Rights } from "../../src/core/rights.ts";
import { compareRights } from "./compare-rights.ts";
import { documentedRequests, SESSIONS, useService } from "./service.ts";
import { runRandomLoaders } from "./storm.ts";

const [seed, rounds, isServer] = [inject("oracleSeed"), inject("oracleRounds"), inject("isServer")];
// Of seven rights, before and after the storm: each list and report gets more than `rounds` questions.
const questions = Math.max(3, Math.ceil(rounds / 10));

/**
 * Parameters that filter nothing, what is compared with plain SQL alone (see compare-rights.ts and closings.ts), and the
 * unit of a cost centre, which needs professionals of all units.
 */
const ELSEWHERE =
  /\?(page|per_page|after_id|after|campos|formato|da_unidade|sem_unidade)$|^relatorios\/(clientes|resultado)\?|^fechamentos/;

const someRights: fc.Arbitrary<Rights> = fc
  .record({
    units: fc.option(fc.subarray(["101", "102", "201", "777", ""], { minLength: 1, maxLength: 3 }), {
      freq: 4,
    }),
    personalData: fc.boolean(),
  })
  .map(({ units, personalData }) => ({ units: units?.toSorted() ?? null, personalData, payments: true }));

describe(`a limited reader gets what an unlimited reader of the reduced database gets (ORACLE_SEED=${seed})`, () => {
  const started = useService();

  const compareAll = async (n: number) => {
    // One unit and several, then random ones. A short run takes the first in one of two calls, and the second in the
    // other. The seed says in which of them the reader may read personal data.
    const fixed: Rights[] = [
      { units: [n === 0 ? "101" : "201"], personalData: (seed >> 1) % 2 === n, payments: true },
      { units: ["", "102", "777"], personalData: (seed >> 1) % 2 === n, payments: true },
    ];
    const random = fc.sample(someRights, { seed: seed + n, numRuns: Math.ceil(rounds / 40) });
    const sample = rounds > 8 ? [...fixed, ...random] : [fixed[(seed + n) % 2] as Rights];
    for (const rights of sample)
      await compareRights(started.warehouse, started.service, rights, { seed, questions });
  };

  it("in every list, record, report and feed (A11)", { timeout: 1_800_000 }, async () => {
    await compareAll(0);
    // A new route or filter is in this list only if it was compared.
    const asked = [...started.service.asked].map((name) =>
      name.replace(/^(?!relatorios\/|alteracoes\/)([^/?]+)\/[^?]*/, "$1/{id}"),
    );
    const compared = [...new Set(asked)].filter((name) => !ELSEWHERE.test(name));
    expect(compared.sort()).toEqual(
      documentedRequests()
        .filter((name) => !ELSEWHERE.test(name))
        .sort(),
    );
  });

  // An embedded Postgres has only one session, for one loader.
  it.runIf(isServer)(
    "in all of them again after writes by many concurrent loaders (A11)",
    { timeout: 1_800_000 },
    async () => {
      const loaders = await Promise.all(Array.from({ length: SESSIONS }, started.warehouse.connect));
      await runRandomLoaders(loaders, seed, 40, true);
      await compareAll(1);
    },
  );
});
