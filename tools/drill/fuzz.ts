import fc from "fast-check";
import { parse } from "yaml";
import type { Document } from "../../test/support/document.ts";
import {
  arbitraryRequests,
  documentedRequests,
  findViolation,
  type GeneratedRequest,
  mcpRequests,
} from "../../test/support/requests.ts";
import { createBodyValidator } from "../../test/support/validity.ts";
import { type Drill, failedOf, type TestResult, tally } from "./drill.ts";
import type { Memory } from "./memory.ts";
import type { Service } from "./service.ts";

const AT_ONCE = 8;
const PARTS = 4;
/** A counted request keeps at most this much of the Worker's heap for its window of 900 s. */
const BYTES_PER_REQUEST = 256;
/** Other growth that is not a leak: page caches of objects, code compiled late. */
const SLACK_MIB = { worker: 2, process: 8 };
/** The runtime grows by about 20 MiB in its first requests. Below this number, process memory proves nothing. */
const WARM_AFTER = 4000;

/** Sends generated requests, a few in parallel. Checks every answer, and the memory after each part. */
const sendAll = async (
  service: Service,
  what: string,
  requests: GeneratedRequest[],
  violations: ReturnType<typeof createBodyValidator>,
): Promise<TestResult> => {
  const statuses: number[] = [];
  const complaints: string[] = [];
  const memory: Memory[] = [];
  const sendOne = async (request: GeneratedRequest) => {
    const { status, body } = await service.ask(request.url, request.init);
    statuses.push(status);
    const complaint =
      status === 0 ? `${request.url}: no response` : findViolation(request, status, body, violations);
    if (complaint) complaints.push(complaint);
  };
  const size = requests.length / PARTS;
  for (let part = 0; part < PARTS; part += 1) {
    const queue = requests.slice(part * size, (part + 1) * size);
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let request = queue.pop(); request; request = queue.pop()) await sendOne(request);
      }),
    );
    memory.push(await service.memory.collected());
    console.error(`fuzz: ${statuses.length} of ${requests.length} ${what}`);
  }
  for (const complaint of complaints.slice(0, 5)) console.error(complaint);
  // The first part is a warm-up.
  const [first, last] = [memory.at(0), memory.at(-1)] as [Memory, Memory];
  const allowance = ((PARTS - 1) * size * BYTES_PER_REQUEST) / 2 ** 20;
  const row = (kind: keyof Memory) => memory.map((one) => one[kind].toFixed(1)).join(", ");
  return {
    action: `${requests.length} requests ${what}`,
    outcome: `${tally(statuses)}; ${complaints.length} invalid responses; after a garbage collection at the end of each quarter: Worker heap ${row("worker")} MiB, process ${row("process")} MiB`,
    failed: failedOf({
      "no 5xx, no 401 with a valid token, and every body matches its schema": complaints.length === 0,
      "the Worker's heap does not leak": last.worker - first.worker < allowance + SLACK_MIB.worker,
      "the process does not leak":
        size < WARM_AFTER || last.process - first.process < allowance + SLACK_MIB.process,
    }),
  };
};

export const fuzz: Drill = {
  name: "fuzz",
  findings:
    "No invalid response. Memory seemed to grow from 370 to 590 MiB. That was garbage of the local runtime, not yet collected. After a collection only the counted requests of the last 900 s remain, so the drill collects garbage before it measures. Later the local runtime served static files, too, and the garbage of those isolates looked like a leak: now the drill collects the garbage of every isolate that a request passes.",
  async *run(service, { short }) {
    let bearers = await service.readers();
    const { body } = await service.ask("/openapi.yaml", { headers: { Authorization: bearers[0] ?? "" } });
    const document = parse(body) as Document;
    const violations = createBodyValidator(document);
    const sample = { numRuns: short ? 1000 : 20_000, seed: Date.now() % 2 ** 31 };
    console.error(`fuzz: seed ${sample.seed}`);
    yield await sendAll(
      service,
      "generated from the OpenAPI document",
      fc.sample(documentedRequests(document, bearers), sample),
      violations,
    );
    // A token is valid for 15 minutes, which is enough for 20,000 requests.
    bearers = await service.readers();
    yield await sendAll(
      service,
      "to the MCP tools",
      fc.sample(mcpRequests(document, bearers), sample),
      violations,
    );
    bearers = await service.readers();
    yield await sendAll(
      service,
      "of random bytes",
      fc.sample(arbitraryRequests(bearers, 0xff), sample),
      violations,
    );
  },
};
