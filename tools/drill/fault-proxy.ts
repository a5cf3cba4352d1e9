import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

/** A fault in the network between the service and the database. */
export type Fault =
  | { is: "refused" }
  | { is: "frozen" }
  | { is: "slow"; ms: number }
  | { is: "answer"; status: number; body: string }
  | { is: "half" };

/** A proxy in front of the Neon endpoint that fails on demand. */
export interface FaultProxy {
  port: number;
  /** Applies a fault to new requests. `undefined` removes it. */
  breakWith(fault: Fault | undefined): void;
  /** Requests received, requests whose client disconnected before the answer, and open requests. */
  readonly arrived: number;
  readonly disconnected: number;
  readonly open: number;
  close(): Promise<void>;
}

export const startFaultProxy = async (endpointPort: number): Promise<FaultProxy> => {
  let fault: Fault | undefined;
  const counts = { arrived: 0, disconnected: 0, open: 0 };
  const forward = (headers: NodeJS.Dict<string | string[]>, body: Buffer, response: ServerResponse) => {
    const forwarded = request(
      { host: "127.0.0.1", port: endpointPort, path: "/sql", method: "POST", headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, { "content-type": "application/json" });
        answer.pipe(response);
      },
    );
    forwarded.on("error", () => response.destroy());
    response.once("close", () => forwarded.destroy());
    forwarded.end(body);
  };
  const server = createServer(async (incoming, response) => {
    counts.arrived += 1;
    counts.open += 1;
    response.once("close", () => {
      counts.open -= 1;
      if (!response.writableFinished) counts.disconnected += 1;
    });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const current = fault;
    if (current?.is === "refused") return incoming.socket.destroy();
    if (current?.is === "frozen") return;
    if (current?.is === "answer")
      return response.writeHead(current.status, { "content-type": "text/html" }).end(current.body);
    if (current?.is === "half") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
      response.write('{"fields":[{"name":"body","dataTypeID":25}],"rows":[["{\\"da');
      return setTimeout(() => response.destroy(), 20);
    }
    if (current?.is === "slow") await wait(current.ms);
    if (!response.destroyed) forward(incoming.headers, body, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    breakWith: (next) => {
      fault = next;
    },
    get arrived() {
      return counts.arrived;
    },
    get disconnected() {
      return counts.disconnected;
    },
    get open() {
      return counts.open;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
