// @module-tag server
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { compareAll, type Subject } from "./compare.ts";
import { startService } from "./service.ts";
import { storm } from "./storm.ts";
import { openWarehouse, type Warehouse } from "./warehouse.ts";

const [seed, rounds, isServer] = [inject("oracleSeed"), inject("oracleRounds"), inject("isServer")];

let warehouse: Warehouse;
let subject: Subject;

beforeAll(async () => {
  warehouse = await openWarehouse(seed);
  // An embedded Postgres has one session.
  const sessions = isServer ? 8 : 1;
  subject = { db: warehouse.db, service: await startService(warehouse.url, sessions), atOnce: sessions };
});
afterAll(async () => {
  await subject.service.stop();
  await warehouse.close();
});

describe(`an oracle that knows nothing of the sums agrees (ORACLE_SEED=${seed} ORACLE_ROUNDS=${rounds})`, () => {
  it("with every list, page, walk and report", { timeout: 1_800_000 }, async () => {
    await compareAll(subject, seed, rounds);
  });

  it("and again after a storm of loaders", { timeout: 1_800_000 }, async () => {
    const loaders = await Promise.all(Array.from({ length: isServer ? 8 : 1 }, warehouse.connect));
    const done = await storm(loaders, seed, isServer ? 40 : 60, isServer);
    expect(done.size, "kinds of write that ran").toBeGreaterThan(20);
    expect(await warehouse.differing()).toEqual([]);
    await compareAll(subject, seed + 1, rounds);
  });
});
