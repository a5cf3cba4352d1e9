// @module-tag server
import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { authorization, DEMO, makeAgentToken, readDocument, send, signIn } from "./support/api.ts";
import type { Document } from "./support/document.ts";
import { insertEdgeCaseRows } from "./support/edge-case-rows.ts";
import { byBytes, byDocument, byTools, complaintAbout, type Generated } from "./support/requests.ts";
import { createValidity } from "./support/validity.ts";

const RUNS = Math.ceil(inject("fuzzRuns") / 2);
// Small steps keep a failing case short.
const BATCH = 8;

let bearers: string[];
let document: Document;
let violations: ReturnType<typeof createValidity>;

beforeAll(async () => {
  await insertEdgeCaseRows();
  bearers = [authorization(await signIn()).Authorization, `Bearer ${await makeAgentToken(DEMO.email)}`];
  document = await readDocument();
  violations = createValidity(document);
});

const sendAll = async (arbitrary: fc.Arbitrary<Generated>) => {
  const property = fc.asyncProperty(
    fc.array(arbitrary, { minLength: BATCH, maxLength: BATCH }),
    async (all) => {
      const complaints = all.map(async (generated) => {
        const response = await send(generated.url, generated.init);
        return complaintAbout(generated, response.status, await response.text(), violations);
      });
      expect((await Promise.all(complaints)).filter(Boolean)).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: Math.ceil(RUNS / BATCH), seed: inject("fuzzSeed") });
};

describe("generated requests", () => {
  it("that know the document: no 5xx, and no body outside its schema (I1)", { timeout: 1_200_000 }, () =>
    sendAll(byDocument(document, bearers)),
  );

  it(
    "to tools: no 5xx, and every refusal in the error shape or the protocol's (M1)",
    { timeout: 1_200_000 },
    () => sendAll(byTools(document, bearers)),
  );

  it("of random bytes: no 5xx, and every refusal in the error shape (E1)", { timeout: 1_200_000 }, () =>
    sendAll(byBytes(bearers, 0x7e)),
  );
});
