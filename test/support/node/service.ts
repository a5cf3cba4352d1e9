import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../../tools/local/ports.ts";

const SCRIPT = join(import.meta.dirname, "../../../tools/local/start.ts");

export interface Service {
  child: ChildProcess;
  output: string;
  exit: Promise<number | null>;
}

/** Runs `npm start` in the given folder. */
export const spawnService = (folder: string, env: Record<string, string>, args: string[] = []): Service => {
  const child = spawn("node", [SCRIPT, ...args], {
    cwd: folder,
    env: { ...process.env, DATABASE_URL: "", ...env },
  });
  const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const service: Service = { child, output: "", exit };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      service.output += chunk.toString();
    });
  }
  return service;
};

/** Waits for the startup banner. @throws if the service exits first */
export const waitUntilReady = async (service: Service): Promise<void> => {
  while (!service.output.includes("Ctrl-C ends it.")) {
    if (service.child.exitCode !== null) throw new Error(`it ended instead of starting:\n${service.output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

/** Starts a service on a free port and waits until it is ready. Stopping it also removes the folder. */
export const startServiceIn = async (folder: string, args: string[] = []) => {
  const port = await freePort();
  const service = spawnService(folder, { PORT: String(port) }, args);
  await waitUntilReady(service);
  return {
    base: `http://127.0.0.1:${port}`,
    service,
    stop: async () => {
      service.child.kill("SIGTERM");
      await service.exit;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

export type RunningService = Awaited<ReturnType<typeof startServiceIn>>;
