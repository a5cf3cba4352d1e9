import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";

const TOOLS = join(import.meta.dirname, "../../../tools");

/** Waits until a process ends. */
export const resultOf = async (child: ChildProcessWithoutNullStreams) => {
  const exit = once(child, "exit");
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await exit)[0] as number, output, errors };
};

interface Surroundings {
  cwd?: string;
  env?: Record<string, string>;
  stdin?: string;
}

/** Runs a tool to its end. */
export const runTool = (tool: string, args: string[], { cwd, env, stdin = "" }: Surroundings = {}) => {
  const child = spawn("node", [resolve(TOOLS, tool), ...args], { cwd, env: { ...process.env, ...env } });
  // Ignore EPIPE: a tool that rejects its arguments exits without reading.
  child.stdin.on("error", () => undefined);
  child.stdin.end(stdin);
  return resultOf(child);
};
