import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer().once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });

/**
 * A free port below 32768. From there up, Linux assigns ports to other programs, also between the stop of a service and
 * its next start.
 */
export const freePort = async (): Promise<number> => {
  for (let tries = 0; tries < 100; tries += 1) {
    const port = randomInt(20_000, 30_000);
    if (await isFree(port)) return port;
  }
  throw new Error("No free port between 20000 and 30000 on 127.0.0.1.");
};
