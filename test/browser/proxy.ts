import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** Forwards to a service: it can be stopped, can hold or leave out answers, and can send another version of a file. */
export const openProxy = async (base: string) => {
  /** Replaces a text in the bodies of the paths that match. */
  let change: { path: RegExp; from: string; to: string } | undefined;
  let isSilent = false;
  let held: { path: string; onAnswer: (release: () => void) => void } | undefined;
  const server = createServer((incoming, outgoing) => {
    if (isSilent) return;
    const { url = "", method, headers } = incoming;
    const path = change ? url.replace(change.to, change.from) : url;
    const { "accept-encoding": _, ...others } = headers;
    const forwarded = request(new URL(path, base), { method, headers: others }, async (answer) => {
      const body = await buffer(answer);
      const { onAnswer } = held?.path === url ? held : {};
      if (onAnswer) await new Promise<void>(onAnswer);
      const isChanged = change?.path.test(url) ?? false;
      const { "content-length": __, "transfer-encoding": ___, ...kept } = answer.headers;
      outgoing.writeHead(answer.statusCode ?? 500, kept);
      outgoing.end(isChanged && change ? String(body).replaceAll(change.from, change.to) : body);
    });
    forwarded.on("error", () => outgoing.destroy());
    incoming.pipe(forwarded);
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    /** From now on, the file of the path `from` has the path `to`, and `path` names it so. */
    rename: (path: RegExp, from: string, to: string) => {
      change = { path, from, to };
    },
    /** Resolves when the service has answered a request for the path, to what sends the answer. */
    hold: (path: string) =>
      new Promise<() => void>((resolve) => {
        held = {
          path,
          onAnswer: (release) => {
            held = undefined;
            resolve(release);
          },
        };
      }),
    fallSilent: () => {
      isSilent = true;
    },
    stop,
    start: () => listen(port),
  };
};
