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
  /** Requests received, and requests whose client disconnected before the answer. */
  readonly arrived: number;
  readonly left: number;
  readonly open: number;
  close(): Promise<void>;
}

export const startFaultProxy = async (endpointPort: number): Promise<FaultProxy> => {
  let fault: Fault | undefined;
  const counts = { arrived: 0, left: 0, open: 0 };
  const forward = (headers: NodeJS.Dict<string | string[]>, body: Buffer, response: ServerResponse) => {
    const onward = request(
      { host: "127.0.0.1", port: endpointPort, path: "/sql", method: "POST", headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, { "content-type": "application/json" });
        answer.pipe(response);
      },
    );
    onward.on("error", () => response.destroy());
    response.once("close", () => onward.destroy());
    onward.end(body);
  };
  const server = createServer(async (incoming, response) => {
    counts.arrived += 1;
    counts.open += 1;
    response.once("close", () => {
      counts.open -= 1;
      if (!response.writableFinished) counts.left += 1;
    });
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(chunks);
    const now = fault;
    if (now?.is === "refused") return incoming.socket.destroy();
    if (now?.is === "frozen") return;
    if (now?.is === "answer")
      return response.writeHead(now.status, { "content-type": "text/html" }).end(now.body);
    if (now?.is === "half") {
      response.writeHead(200, { "content-type": "application/json", "content-length": "5000" });
      response.write('{"fields":[{"name":"body","dataTypeID":25}],"rows":[["{\\"da');
      return setTimeout(() => response.destroy(), 20);
    }
    if (now?.is === "slow") await wait(now.ms);
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
    get left() {
      return counts.left;
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
