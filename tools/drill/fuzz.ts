import fc from "fast-check";
import { parse } from "yaml";
import type { Document } from "../../test/support/document.ts";
import { byBytes, byDocument, complaintAbout, type Generated } from "../../test/support/requests.ts";
import { createValidity } from "../../test/support/validity.ts";
import { brokenOf, type Drill, type Line, quantile, tally } from "./drill.ts";
import type { Service } from "./service.ts";

const AT_ONCE = 8;

/** Sends generated requests, a few at once, and looks at every answer and at the memory. */
const hammer = async (
  service: Service,
  what: string,
  requests: Generated[],
  violations: ReturnType<typeof createValidity>,
): Promise<Line> => {
  const statuses: number[] = [];
  const complaints: string[] = [];
  const memory: number[] = [];
  for (let i = 0; i < requests.length; i += AT_ONCE) {
    await Promise.all(
      requests.slice(i, i + AT_ONCE).map(async (request) => {
        const { status, body } = await service.ask(request.url, request.init);
        statuses.push(status);
        const complaint =
          status === 0 ? `${request.url}: no answer` : complaintAbout(request, status, body, violations);
        if (complaint) complaints.push(complaint);
      }),
    );
    memory.push(service.memoryMiB());
    if (i % 2000 === 0) console.error(`fuzz: ${i} of ${requests.length} ${what}`);
  }
  // The first quarter warms up.
  const quarter = Math.floor(memory.length / 4);
  const [early, late] = [memory.slice(quarter, 2 * quarter), memory.slice(-quarter)].map((part) =>
    quantile(part, 0.5),
  );
  for (const complaint of complaints.slice(0, 5)) console.error(complaint);
  return {
    did: `${requests.length} requests ${what}`,
    counted: `${tally(statuses)}; ${complaints.length} bad answers; memory ${early?.toFixed(0)} MiB in the second quarter, ${late?.toFixed(0)} in the last`,
    broken: brokenOf({
      "no 5xx and no body outside its schema": complaints.length === 0,
      "memory flat": (late ?? 0) - (early ?? 0) < 32,
    }),
  };
};

export const fuzz: Drill = {
  name: "fuzz",
  found:
    "No bad answer so far. Memory of the local process, which holds Worker, objects and their caches, rises from a cold start until about 590 MiB.",
  async *run(service, { short }) {
    const bearers = await service.readers();
    const { body } = await service.ask("/openapi.yaml", { headers: { Authorization: bearers[0] ?? "" } });
    const document = parse(body) as Document;
    const violations = createValidity(document);
    const sample = { numRuns: short ? 1000 : 20_000, seed: Date.now() % 2 ** 31 };
    console.error(`fuzz: seed ${sample.seed}`);
    yield await hammer(
      service,
      "that know the document",
      fc.sample(byDocument(document, bearers), sample),
      violations,
    );
    yield await hammer(service, "of random bytes", fc.sample(byBytes(bearers, 0xff), sample), violations);
  },
};
