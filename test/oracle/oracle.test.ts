// @module-tag server
import { describe, expect, inject, it } from "vitest";
import { compareAll } from "./compare.ts";
import { documentedRequests, SESSIONS, useService } from "./service.ts";
import { runRandomLoaders } from "./storm.ts";

const [seed, rounds, isServer] = [inject("oracleSeed"), inject("oracleRounds"), inject("isServer")];

/** Single records, feeds (feed.test.ts), closings (closings.ts), the list without pages (test/api/v1/lists.test.ts), and parameters. */
const ELSEWHERE = /\{|alteracoes|fechamentos|^estabelecimentos$|\?/;

describe(`the service equals an oracle that reads no rollup (ORACLE_SEED=${seed} ORACLE_ROUNDS=${rounds})`, () => {
  const started = useService();

  it("in every list, page, cursor and report (L1–L4, L9, R1–R3, R7, R9, R10, R20–R27, F1)", {
    timeout: 1_800_000,
  }, async () => {
    await compareAll(started, seed, rounds);
    // The figures of a new list or report need plain SQL in this folder.
    const asked = [...started.service.asked].filter((name) => !ELSEWHERE.test(name));
    expect(asked.sort()).toEqual(
      documentedRequests()
        .filter((name) => !ELSEWHERE.test(name))
        .sort(),
    );
  });

  it("in all of them again after writes by many concurrent loaders (L1–L4, L9, R1–R3, R7, R9, R10, R20–R27, F1)", {
    timeout: 1_800_000,
  }, async () => {
    const { warehouse } = started;
    const loaders = await Promise.all(Array.from({ length: SESSIONS }, warehouse.connect));
    const executed = await runRandomLoaders(loaders, seed, isServer ? 40 : 60, isServer);
    expect(executed.size, "kinds of write that ran").toBeGreaterThan(20);
    expect(await warehouse.differingSums()).toEqual([]);
    await compareAll(started, seed + 1, rounds);
  });
});
