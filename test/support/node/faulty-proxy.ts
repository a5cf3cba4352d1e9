import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Starts a proxy to the service that answers one request with 429 and may corrupt the token of another.
 * @param cutAfter the bytes after which the answers break off, one after the other
 */
export const startFaultyProxy = async (base: string, { expires = true, cutAfter = [] as number[] } = {}) => {
  let pages = 0;
  const cuts = [...cutAfter];
  const faults = { busy: 0, expired: 0, cut: 0 };
  const pipeAndCut = (upstream: IncomingMessage, outgoing: ServerResponse, bytes: number) => {
    let sent = 0;
    upstream.on("data", (chunk: Buffer) => {
      if (sent >= bytes) return;
      outgoing.write(chunk.subarray(0, bytes - sent));
      sent += chunk.length;
      if (sent < bytes) return;
      faults.cut += 1;
      upstream.destroy();
      outgoing.destroy();
    });
    upstream.on("end", () => outgoing.end());
  };
  const proxy = createServer((incoming, outgoing) => {
    if (incoming.url?.includes("after_id=")) pages += 1;
    const headers = { ...incoming.headers };
    if (pages === 3 && faults.busy === 0) {
      faults.busy += 1;
      outgoing.writeHead(429, { "Retry-After": "1", "Content-Type": "application/json" });
      outgoing.end('{"error":"Too Many Requests","message":"wait"}');
      return;
    }
    if (expires && pages === 5 && faults.expired === 0) {
      faults.expired += 1;
      headers.authorization = `${headers.authorization}x`;
    }
    const onward = request(base + incoming.url, { method: incoming.method, headers }, (upstream) => {
      outgoing.writeHead(upstream.statusCode ?? 500, upstream.headers);
      const bytes = incoming.url?.includes("after_id=") ? cuts.shift() : undefined;
      if (bytes === undefined) upstream.pipe(outgoing);
      else pipeAndCut(upstream, outgoing, bytes);
    });
    onward.on("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => proxy.close(resolve));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, faults, close };
};
