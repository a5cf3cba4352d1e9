import fc from "fast-check";
import { parse } from "yaml";
import type { Document } from "../../test/support/document.ts";
import { byBytes, byDocument, byTools, complaintAbout, type Generated } from "../../test/support/requests.ts";
import { createValidity } from "../../test/support/validity.ts";
import { brokenOf, type Drill, type Line, tally } from "./drill.ts";
import type { Memory } from "./memory.ts";
import type { Service } from "./service.ts";

const AT_ONCE = 8;
const PARTS = 4;
/** A counted request uses about 130 bytes of the Worker's heap for its window of 900 s. Doubled for safety. */
const BYTES_A_REQUEST = 256;
/** Other changes that are no leak: page caches of objects, code compiled late. */
const SLACK_MIB = { worker: 2, process: 8 };
/** The runtime grows by about 20 MiB in its first requests. Below this number, process memory proves nothing. */
const WARM_AFTER = 4000;

/** Sends generated requests, a few in parallel. Checks every answer, and the memory after each part. */
const hammer = async (
  service: Service,
  what: string,
  requests: Generated[],
  violations: ReturnType<typeof createValidity>,
): Promise<Line> => {
  const statuses: number[] = [];
  const complaints: string[] = [];
  const memory: Memory[] = [];
  const look = async (request: Generated) => {
    const { status, body } = await service.ask(request.url, request.init);
    statuses.push(status);
    const complaint =
      status === 0 ? `${request.url}: no answer` : complaintAbout(request, status, body, violations);
    if (complaint) complaints.push(complaint);
  };
  const size = requests.length / PARTS;
  for (let part = 0; part < PARTS; part += 1) {
    const queue = requests.slice(part * size, (part + 1) * size);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let one = queue.pop(); one; one = queue.pop()) await look(one);
      }),
    );
    memory.push(await service.memory.collected());
    console.error(`fuzz: ${statuses.length} of ${requests.length} ${what}`);
  }
  for (const complaint of complaints.slice(0, 5)) console.error(complaint);
  // The first part is a warm-up.
  const [first, last] = [memory.at(0), memory.at(-1)] as [Memory, Memory];
  const hits = ((PARTS - 1) * size * BYTES_A_REQUEST) / 2 ** 20;
  const row = (kind: keyof Memory) => memory.map((one) => one[kind].toFixed(1)).join(", ");
  return {
    did: `${requests.length} requests ${what}`,
    counted: `${tally(statuses)}; ${complaints.length} bad answers; after each quarter, its garbage collected, the Worker's heap holds ${row("worker")} MiB and the process ${row("process")} MiB`,
    broken: brokenOf({
      "no 5xx and no body outside its schema": complaints.length === 0,
      "the Worker's memory is flat": last.worker - first.worker < hits + SLACK_MIB.worker,
      "the process's memory is flat":
        size < WARM_AFTER || last.process - first.process < hits + SLACK_MIB.process,
    }),
  };
};

export const fuzz: Drill = {
  name: "fuzz",
  found:
    "No bad answer so far. Memory seemed to rise, from 370 to 590 MiB: that was garbage of the local runtime's own layers, not yet collected. Once it is collected only the counted hits of the last 900 s stay, so the drill collects it before it looks. It turns red at a leak of 320 bytes a request.",
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
    yield await hammer(service, "to tools", fc.sample(byTools(document, bearers), sample), violations);
    yield await hammer(service, "of random bytes", fc.sample(byBytes(bearers, 0xff), sample), violations);
  },
};
