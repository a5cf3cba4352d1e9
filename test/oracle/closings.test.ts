// @module-tag server
import { expect, inject, it } from "vitest";
import { verifyClosings } from "../../tools/warehouse/closings.ts";
import { compareClosings } from "./closings.ts";
import { useService } from "./service.ts";

const [seed, isServer] = [inject("oracleSeed"), inject("isServer")];
const started = useService();

it(`closed months equal plain SQL over a copy of the tables at the closing, after random writes (F2, ORACLE_SEED=${seed})`, {
  timeout: 600_000,
}, async () => {
  const { warehouse, service } = started;
  await compareClosings(warehouse, service, { seed, rounds: 4, hasCopy: isServer });
  expect((await verifyClosings(warehouse.db)).changed).toEqual([]);
});
