import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** A fault in the network between the service and the database. A number is a delay in ms. */
export type Fault = "refused" | "frozen" | number;

/** Starts a proxy in front of the Neon endpoint that fails on demand. */
export const startFaultProxy = async (endpointPort: number) => {
  let fault: Fault | undefined;
  const counts = { arrived: 0, open: 0 };
  const server = createServer(async (incoming, response) => {
    counts.arrived += 1;
    counts.open += 1;
    response.once("close", () => {
      counts.open -= 1;
    });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    if (fault === "refused") return incoming.socket.destroy();
    if (fault === "frozen") return;
    if (fault !== undefined) await wait(fault);
    if (response.destroyed) return;
    const { headers } = incoming;
    const forwarded = request(
      { host: "127.0.0.1", port: endpointPort, path: "/sql", method: "POST", headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, { "content-type": "application/json" });
        answer.pipe(response);
      },
    );
    forwarded.on("error", () => response.destroy());
    response.once("close", () => forwarded.destroy());
    forwarded.end(Buffer.concat(chunks));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    /** Applies a fault to new requests. `undefined` removes it. */
    breakWith: (next: Fault | undefined) => {
      fault = next;
    },
    /** Requests received, and open requests. */
    counts,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
