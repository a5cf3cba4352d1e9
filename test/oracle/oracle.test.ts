// @module-tag server
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { parse } from "yaml";
import { compareAll, type Subject } from "./compare.ts";
import { type Reader, type Service, startService } from "./service.ts";
import { runRandomLoaders } from "./storm.ts";
import { openWarehouse, type Warehouse } from "./warehouse.ts";

const [seed, rounds, isServer] = [inject("oracleSeed"), inject("oracleRounds"), inject("isServer")];

/** Single records, the change feeds (feed.test.ts) and the list without pages (test/v1/lists.test.ts). */
const ELSEWHERE = /\{id\}|alteracoes|\/estabelecimentos$/;

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
  it("in every list, page, cursor and report (L1–L4, L9, R1–R3, R7, R9, R10, R20–R24, F1)", {
    timeout: 1_800_000,
  }, async () => {
    await compareAll(subject, seed, rounds);
  });

  // The figures of a new list or report need plain SQL in this folder.
  it("asks every list and report in the document, so that a new one needs expected figures (L1, R1)", async () => {
    const asked = new Set<string>();
    const noting = ({ read, request }: Reader): Reader => ({
      request: (path, ...rest) => {
        asked.add(path);
        return request(path, ...rest);
      },
      read: (path, ...rest) => {
        asked.add(path);
        return read(path, ...rest);
      },
    });
    const service: Service = {
      ...subject.service,
      ...noting(subject.service),
      as: async (rights) => noting(await subject.service.as(rights)),
    };
    await compareAll({ ...subject, service }, seed, 1);
    const snapshot = readFileSync(join(import.meta.dirname, "../docs/openapi.snapshot.yaml"), "utf8");
    const documented = Object.keys(parse(snapshot).paths).flatMap((path) =>
      path.startsWith("/v1/") && !ELSEWHERE.test(path) ? [path.replace("/v1/", "")] : [],
    );
    expect([...asked].sort()).toEqual(documented.sort());
  });

  it("in all of them again after writes by many concurrent loaders (L1–L4, L9, R1–R3, R7, R9, R10, R20–R24, F1)", {
    timeout: 1_800_000,
  }, async () => {
    const loaders = await Promise.all(Array.from({ length: isServer ? 8 : 1 }, warehouse.connect));
    const executed = await runRandomLoaders(loaders, seed, isServer ? 40 : 60, isServer);
    expect(executed.size, "kinds of write that ran").toBeGreaterThan(20);
    expect(await warehouse.differingSums()).toEqual([]);
    await compareAll(subject, seed + 1, rounds);
  });
});
