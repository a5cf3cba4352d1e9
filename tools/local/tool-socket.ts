import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Session } from "./neon-endpoint/sessions.ts";

const PROTOCOL_3 = 196_608;
/** The types of the messages that the server answers with ReadyForQuery: Query, Sync and FunctionCall. */
const AWAITS_READY = new Set(["Q", "S", "F"].map((type) => type.charCodeAt(0)));
const READY_FOR_QUERY = "Z".charCodeAt(0);
const IDLE = "I".charCodeAt(0);
const ROLLBACK = Buffer.from("Q\0\0\0\rROLLBACK\0", "latin1");

/** The socket in a folder, under the name that Postgres clients expect. */
export const socketIn = (folder: string): string => join(folder, ".s.PGSQL.5432");

/** The connection string of the socket in a folder. */
export const socketUrl = (folder: string): string =>
  `postgres://postgres@${encodeURIComponent(folder)}:5432/postgres?sslmode=disable`;

/**
 * Finds the end of a message. The first message of a client has no type before its length.
 * @returns undefined if the message is not complete
 */
const endOf = (bytes: Buffer, start: number, lengthAt = start + 1): number | undefined => {
  if (bytes.length < lengthAt + 4) return undefined;
  const end = lengthAt + Math.max(4, bytes.readInt32BE(lengthAt));
  return bytes.length < end ? undefined : end;
};

/** Splits what a client sends into parts that the server answers with one ReadyForQuery each. */
async function* partsOf(client: Socket): AsyncGenerator<Buffer> {
  let received: Buffer = Buffer.alloc(0);
  let start = 0;
  let isStarted = false;
  for await (const chunk of client) {
    received = Buffer.concat([received, chunk]);
    for (;;) {
      const end = endOf(received, start, isStarted ? start + 1 : start);
      if (end === undefined) break;
      // Other first messages cancel a statement, which the embedded Postgres cannot do, or ask for encryption.
      if (!isStarted && received.readInt32BE(4) !== PROTOCOL_3) return;
      const isWhole = !isStarted || AWAITS_READY.has(received[start] ?? 0);
      isStarted = true;
      start = end;
      if (!isWhole) continue;
      yield received.subarray(0, end);
      received = received.subarray(end);
      start = 0;
    }
  }
}

/** Connects to Postgres for a client. @returns sends a part, and returns the transaction status after its answer */
const relayTo = (upstream: Socket, client: Socket) => {
  let received: Buffer = Buffer.alloc(0);
  let settle: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined;
  upstream.on("error", () => undefined);
  upstream.on("close", () => settle?.reject(new Error("Postgres closed the connection.")));
  upstream.on("data", (chunk: Buffer) => {
    client.write(chunk);
    received = Buffer.concat([received, chunk]);
    for (let end = endOf(received, 0); end !== undefined; end = endOf(received, 0)) {
      if (received[0] === READY_FOR_QUERY) settle?.resolve(received[5] ?? 0);
      received = received.subarray(end);
    }
  });
  return (part: Buffer) =>
    new Promise<number>((resolve, reject) => {
      settle = { resolve, reject };
      upstream.write(part);
    });
};

/** Waits for the session as long as the client does. The pool itself gives up after some seconds. */
const waitForTurn = async (client: Socket, takeTurn: () => Promise<Session>): Promise<Session> => {
  for (;;) {
    try {
      return await takeTurn();
    } catch (error) {
      if (client.destroyed || !(error as Error).message.startsWith("timeout exceeded")) throw error;
    }
  }
};

/** Serves one client, and rolls back the transaction that it leaves open. */
const serve = async (client: Socket, postgres: string, takeTurn: () => Promise<Session>): Promise<void> => {
  const upstream = connect(postgres);
  const send = relayTo(upstream, client);
  let turn: Session | undefined;
  try {
    for await (const part of partsOf(client)) {
      turn ??= await waitForTurn(client, takeTurn);
      if (client.destroyed) break;
      if ((await send(part)) !== IDLE) continue;
      turn.release("changed");
      turn = undefined;
    }
  } finally {
    if (turn) await send(ROLLBACK).catch(() => undefined);
    turn?.release("changed");
    upstream.destroy();
    client.destroy();
  }
};

export interface ToolSocket {
  close(): Promise<void>;
}

/**
 * Lets tools use the embedded Postgres while the service uses it. Each client gets the only session for a statement, or
 * for a transaction from its begin to its end, and starts with the owner's role and settings.
 * @param folder where the socket is: who may enter it is the owner
 * @param postgres socket of the embedded Postgres
 * @param takeTurn waits for the session, as the owner
 */
export const startToolSocket = async (
  folder: string,
  postgres: string,
  takeTurn: () => Promise<Session>,
): Promise<ToolSocket> => {
  const clients = new Map<Socket, Promise<void>>();
  const server = createServer((client) => {
    client.on("error", () => undefined);
    const served = serve(client, postgres, takeTurn).catch(() => undefined);
    clients.set(client, served);
    void served.then(() => clients.delete(client));
  });
  server.listen(socketIn(folder));
  await once(server, "listening");
  return {
    close: async () => {
      server.close();
      const ended = [...clients.values()];
      for (const client of clients.keys()) client.destroy();
      await Promise.all(ended);
    },
  };
};
