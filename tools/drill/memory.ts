import { once } from "node:events";
import { residentMiB } from "../local/processes.ts";

/** Memory in MiB after a garbage collection. V8 collects late, so only the memory after a collection shows a leak. */
export interface Memory {
  /** The heap of the isolate that runs the Worker and its Durable Objects. */
  worker: number;
  process: number;
}

/**
 * Collects the garbage of a Worker. An isolate collects only when it is entered, so requests must be running.
 * @param inspector URL of the inspector of its workerd
 */
export const memoryAfterCollection = async (inspector: string, pid: number): Promise<Memory> => {
  const isolates = await (await fetch(`${inspector}/json`)).json();
  const { webSocketDebuggerUrl } =
    (isolates as Record<string, string>[]).find(({ id }) => id === "main") ?? {};
  if (webSocketDebuggerUrl === undefined) throw new Error("the runtime has no isolate of the service");
  const socket = new WebSocket(webSocketDebuggerUrl);
  await once(socket, "open");
  const send = async (id: number, method: string): Promise<{ usedSize: number }> => {
    socket.send(JSON.stringify({ id, method }));
    for (;;) {
      const [{ data }] = await once(socket, "message", { signal: AbortSignal.timeout(20_000) });
      const message = JSON.parse(String(data));
      if (message.id === id) return message.result;
    }
  };
  try {
    await send(1, "HeapProfiler.collectGarbage");
    const { usedSize } = await send(2, "Runtime.getHeapUsage");
    return { worker: usedSize / 2 ** 20, process: residentMiB(pid) };
  } finally {
    socket.close();
  }
};

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

/** MiB per sample in the second half. By then the counters' first window is over. */
export const growthOf = (samples: Memory[], kind: keyof Memory): number =>
  slope(samples.slice(Math.floor(samples.length / 2)).map((one) => one[kind]));
