// @module-tag server
import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import type { Document } from "../../support/document.ts";
import {
  arbitraryRequests,
  documentedRequests,
  findViolation,
  type GeneratedRequest,
  mcpRequests,
} from "../../support/requests.ts";
import { createBodyValidator } from "../../support/validity.ts";
import { authorization, DEMO, makeAgentToken, readDocument, send, signIn } from "../../support/worker/api.ts";
import { insertEdgeCaseRows } from "../../support/worker/edge-case-rows.ts";

const RUNS = Math.ceil(inject("fuzzRuns") / 3);
// Small batches keep a counterexample short.
const BATCH = 8;

let bearers: string[];
let document: Document;
let violations: ReturnType<typeof createBodyValidator>;

beforeAll(async () => {
  await insertEdgeCaseRows();
  bearers = [authorization(await signIn()).Authorization, `Bearer ${await makeAgentToken(DEMO.email)}`];
  document = await readDocument();
  violations = createBodyValidator(document);
});

const sendAll = async (arbitrary: fc.Arbitrary<GeneratedRequest>) => {
  const property = fc.asyncProperty(
    fc.array(arbitrary, { minLength: BATCH, maxLength: BATCH }),
    async (all) => {
      const complaints = all.map(async (generated) => {
        const response = await send(generated.url, generated.init);
        return findViolation(generated, response.status, await response.text(), violations);
      });
      expect((await Promise.all(complaints)).filter(Boolean)).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(RUNS / BATCH), seed: inject("fuzzSeed") });
};

describe("generated requests", () => {
  it(
    "built from the document get no 5xx, and only bodies that match the schema (I1)",
    { timeout: 1_200_000 },
    () => sendAll(documentedRequests(document, bearers)),
  );

  it(
    "to MCP tools get no 5xx, and only errors in the error shape or the protocol's (M1)",
    { timeout: 1_200_000 },
    () => sendAll(mcpRequests(document, bearers)),
  );

  it("of random bytes get no 5xx, and only errors in the error shape (E1)", { timeout: 1_200_000 }, () =>
    sendAll(arbitraryRequests(bearers)),
  );
});
