import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * `npm start`: runs the service in a process group of its own and sees that nothing of it stays behind. Whichever of
 * the two ends first, by whatever means: the service lives by the pipe that is its input, and its group is killed when
 * it has ended.
 */
const temporary = mkdtempSync(join(tmpdir(), "salon-"));
const service = spawn(
  process.execPath,
  [join(import.meta.dirname, "service.ts"), temporary, ...process.argv.slice(2)],
  // Nothing it keeps outside `.data/` survives it.
  { detached: true, stdio: ["pipe", "inherit", "inherit"], env: { ...process.env, TMPDIR: temporary } },
);
const end = () => service.stdin.destroy();

service.stdin.on("error", () => undefined);
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, end);
// npm cannot tell that it was killed: its script has another parent then.
if (process.env.npm_lifecycle_event) {
  const npm = process.ppid;
  setInterval(() => process.ppid !== npm && end(), 1000).unref();
}

service.once("exit", (code) => {
  try {
    process.kill(-Number(service.pid), "SIGKILL");
  } catch {
    // Nothing of the group is left.
  }
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  process.exit(code ?? 1);
});
