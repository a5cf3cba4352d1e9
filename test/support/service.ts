import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

const SCRIPT = join(import.meta.dirname, "../../tools/local/start.ts");

/** A port nobody listens on. */
export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

export interface Service {
  child: ChildProcess;
  /** Everything it has printed so far. */
  output: string;
  /** Its exit code, once it has ended. */
  exit: Promise<number | null>;
}

/** Runs `npm start` in a folder of its own. */
export const start = (folder: string, env: Record<string, string>, args: string[] = []): Service => {
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

/** Waits for the banner. */
export const untilReady = async (service: Service): Promise<void> => {
  while (!service.output.includes("Ctrl-C ends it.")) {
    if (service.child.exitCode !== null) throw new Error(`it ended instead of starting:\n${service.output}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

/** The same on a port of its own, ready to be asked, until it is stopped; the folder goes with it. */
export const serveIn = async (folder: string, args: string[] = []) => {
  const port = await freePort();
  const service = start(folder, { PORT: String(port) }, args);
  await untilReady(service);
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

export type Served = Awaited<ReturnType<typeof serveIn>>;
