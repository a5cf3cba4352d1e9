import { type AddressInfo, connect, createServer } from "node:net";
import { Transform } from "node:stream";

/** Starts a TCP proxy that makes a round trip longer by `ms`: half of it on each way. */
export const startDelayProxy = async (port: number, ms: number) => {
  const delayed = () =>
    new Transform({
      transform(chunk, _, done) {
        setTimeout(() => this.push(chunk), ms / 2);
        done();
      },
      flush: (done) => {
        setTimeout(done, ms / 2);
      },
    });
  // Half-open, because what is delayed is written after the other side has ended.
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const service = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    client.pipe(delayed()).pipe(service);
    service.pipe(delayed()).pipe(client);
    for (const [one, other] of [
      [client, service],
      [service, client],
    ] as const)
      one.on("error", () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => server.close(),
  };
};
