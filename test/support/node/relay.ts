import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import pg from "pg";

/** A TCP relay to Postgres that can cut connections. */
export interface Relay {
  /** The database's connection string through the relay. */
  url: string;
  /** Cuts a connection when these bytes pass. `undefined` turns cutting off. */
  cutAt(bytes: string | undefined): void;
  close(): Promise<void>;
}

/** Starts a relay to the Postgres of a connection string. @param host where the relay listens */
export const startRelay = async (url: string, host = "127.0.0.1"): Promise<Relay> => {
  const upstream = new pg.Client({ connectionString: url });
  const open = new Set<Socket>();
  let cut: string | undefined;
  const server = createServer((client) => {
    const socket = upstream.host.startsWith("/")
      ? connect(`${upstream.host}/.s.PGSQL.${upstream.port}`)
      : connect(upstream.port, upstream.host);
    for (const [one, other] of [
      [client, socket],
      [socket, client],
    ] as const) {
      open.add(one);
      one
        .on("error", () => undefined)
        .on("close", () => {
          open.delete(one);
          other.destroy();
        });
    }
    client.on("data", (chunk) => {
      if (cut !== undefined && chunk.includes(cut)) client.destroy();
      else socket.write(chunk);
    });
    socket.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const relayed = new URL(url);
  relayed.host = `${host}:${(server.address() as AddressInfo).port}`;
  return {
    url: relayed.href,
    cutAt: (bytes) => {
      cut = bytes;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
