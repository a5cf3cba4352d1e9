// @module-tag server
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { compareAll, type Subject } from "./compare.ts";
import { startService } from "./service.ts";
import { runRandomLoaders } from "./storm.ts";
import { openWarehouse, type Warehouse } from "./warehouse.ts";

const [seed, rounds, isServer] = [inject("oracleSeed"), inject("oracleRounds"), inject("isServer")];

let warehouse: Warehouse;
let subject: Subject;

beforeAll(async () => {
  warehouse = await openWarehouse(seed);
  // An embedded Postgres has one session.
  const sessions = isServer ? 8 : 1;
  subject = { db: warehouse.db, service: await startService(warehouse.url, sessions), concurrency: sessions };
});
afterAll(async () => {
  await subject.service.stop();
  await warehouse.close();
});

describe(`the service equals an oracle that reads no rollup (ORACLE_SEED=${seed} ORACLE_ROUNDS=${rounds})`, () => {
  it("in every list, page, cursor and report (L1–L4, L9, R1–R16, F1)", {
    timeout: 1_800_000,
  }, async () => {
    await compareAll(subject, seed, rounds);
  });

  it("in all of them again after writes by many concurrent loaders (L1–L4, L9, R1–R16, F1)", {
    timeout: 1_800_000,
  }, async () => {
    const loaders = await Promise.all(Array.from({ length: isServer ? 8 : 1 }, warehouse.connect));
    const executed = await runRandomLoaders(loaders, seed, isServer ? 40 : 60, isServer);
    expect(executed.size, "kinds of write that ran").toBeGreaterThan(20);
    expect(await warehouse.differingRollups()).toEqual([]);
    await compareAll(subject, seed + 1, rounds);
  });
});
