import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * `npm start`: runs the service in its own process group and leaves no process behind. The service exits when its
 * stdin, a pipe from this process, closes. This process kills the group when the service exits.
 */
const temporary = mkdtempSync(join(tmpdir(), "salon-"));
const service = spawn(
  process.execPath,
  [join(import.meta.dirname, "service.ts"), temporary, ...process.argv.slice(2)],
  // `TMPDIR` is removed at the end, so only `.data/` persists.
  { detached: true, stdio: ["pipe", "inherit", "inherit"], env: { ...process.env, TMPDIR: temporary } },
);
const end = () => service.stdin.destroy();

service.stdin.on("error", () => undefined);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
// If npm is killed, this process receives no signal, but its parent process id changes.
if (process.env.npm_lifecycle_event) {
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && end(), 1000).unref();
}

service.once("exit", (code) => {
  try {
    process.kill(-Number(service.pid), "SIGKILL");
  } catch {
    // No process of the group is left.
  }
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code ?? 1);
});
