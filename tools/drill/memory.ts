import { setTimeout as wait } from "node:timers/promises";
import type { Client } from "chrome-remote-interface";
import type { Miniflare } from "miniflare";
import { childrenNamed, residentMiB } from "../local/processes.ts";

const PATIENCE_MS = 20_000;

/** Memory in MiB after a garbage collection. */
export interface Memory {
  /** The heap of the isolate that runs the Worker and its Durable Objects. */
  worker: number;
  /** The whole process, including the local runtime's own isolates and caches. */
  process: number;
}

/** The least-squares slope of equally spaced values. */
const slope = (values: number[]): number => {
  const mid = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [above, below] = values.reduce(
    ([a, b], value, i) => [a + (i - mid) * (value - mean), b + (i - mid) ** 2],
    [0, 0],
  );
  return below === 0 ? 0 : above / below;
};

/**
 * Formats the first and last value, and the slope of the second half. By then the counters' first window is over.
 * @param apart minutes between two samples
 */
export const course = (samples: Memory[], kind: keyof Memory, apart: number): string => {
  const values = samples.map((one) => one[kind]);
  const perMinute = slope(values.slice(values.length / 2)) / apart;
  return `${values.at(0)?.toFixed(1)} to ${values.at(-1)?.toFixed(1)} MiB (${perMinute.toFixed(2)} per minute in the second half)`;
};

/** The local runtime's own isolates that a read passes: four before the Worker, and one after it. */
const RUNTIME_ISOLATES = [
  "/core:entry",
  "/assets:rpc-proxy:",
  "/assets:router:",
  "/assets:assets-service:",
  "/outbound:0",
];

/** Inspector URLs of the isolates a request passes: the Worker first, then those of the runtime. */
const inspectorsOf = async (runtime: Miniflare): Promise<string[]> => {
  const { host } = await runtime.getInspectorURL();
  const targets = (await (await fetch(`http://${host}/json`)).json()) as { webSocketDebuggerUrl: string }[];
  return ["/core:user:", ...RUNTIME_ISOLATES].map((name) => {
    const target = targets.find(({ webSocketDebuggerUrl }) => webSocketDebuggerUrl.includes(name));
    if (target === undefined) throw new Error(`the runtime has no isolate ${name}`);
    return target.webSocketDebuggerUrl;
  });
};

/**
 * Watches the memory of the most recently started runtime. V8 collects garbage late, so a process grows during its
 * first tens of thousands of requests. Only the memory after a collection shows a leak.
 * @param enter sends a request that reads the database; an isolate collects only when it is entered
 */
export const watchMemory = (runtime: Miniflare, enter: () => Promise<unknown>) => {
  const pid = childrenNamed("workerd").at(-1) ?? 0;

  const collect = async (ends: number): Promise<Memory> => {
    // Imported here, so that the command line can report a missing package.
    const { default: inspect } = await import("chrome-remote-interface");
    const isolates: Client[] = [];
    try {
      for (const target of await inspectorsOf(runtime)) isolates.push(await inspect({ target, local: true }));
      let isCollected = false;
      const collected = Promise.all(
        isolates.map((isolate) => isolate.send("HeapProfiler.collectGarbage")),
      ).finally(() => {
        isCollected = true;
      });
      while (!isCollected && performance.now() < ends) await Promise.race([enter(), collected]);
      if (!isCollected)
        throw new Error(
          `the runtime did not collect its garbage; perhaps a read does not pass ${RUNTIME_ISOLATES.join(", ")}`,
        );
      await collected;
      const [worker] = isolates as [Client];
      const { usedSize } = await worker.send("Runtime.getHeapUsage");
      return { worker: usedSize / 2 ** 20, process: residentMiB(pid) };
    } finally {
      for (const isolate of isolates) isolate.close();
    }
  };

  return {
    /** Resident memory of the whole process, including garbage. */
    residentMiB: () => residentMiB(pid),
    /** @throws if no collection finishes within twenty seconds */
    collected: async (): Promise<Memory> => {
      const ends = performance.now() + PATIENCE_MS;
      for (;;) {
        try {
          return await collect(ends);
        } catch (error) {
          // The inspector sometimes closes a new connection.
          if (performance.now() > ends) throw error;
          await wait(200);
        }
      }
    },
  };
};
