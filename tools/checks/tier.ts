// Runs the steps of a tier side by side. Each line of their output starts with the step's name.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import concurrently, { type CloseEvent } from "concurrently";
import { fail, readArguments } from "../arguments.ts";
import { TIERS } from "./tiers.ts";

const USAGE = `Runs a tier of checks: ${Object.keys(TIERS).join(", ")}.

  npm run check                       all steps of the tier fast
  npm run check:full -- docs manager   two steps of the tier full

The table at the end has the time and the exit code of each step. The end of each failed step's output follows.`;

/** How many characters of a failed step's output follow the table. */
const TAIL_LENGTH = 6000;

const { positionals } = readArguments(USAGE, { allowPositionals: true });
const [name = "", ...chosen] = positionals;
const tier = TIERS[name] ?? fail(`Unknown tier: ${name}.\n\n${USAGE}`);
const unknown = chosen.filter((step) => !Object.hasOwn(tier.steps, step));
if (unknown.length > 0)
  fail(`The tier ${name} has no step ${unknown.join(", ")}. It has ${Object.keys(tier.steps).join(", ")}.`);

if (spawnSync("node", ["tools/checks/doctor.ts", name], { stdio: "inherit" }).status !== 0) process.exit(1);

// The steps share the databases that tests copy. Files that an interrupted step leaves are deleted, too.
const folder = mkdtempSync(join(tmpdir(), "tier-"));
const temporary = join(folder, "tmp");
// Tests start programs as other users.
chmodSync(folder, 0o711);
mkdirSync(temporary);
chmodSync(temporary, 0o1777);
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
Object.assign(process.env, {
  TEST_RUN_FOLDER: folder,
  TMPDIR: temporary,
  NODE_COMPILE_CACHE: join(process.cwd(), "node_modules/.cache/node"),
});
// concurrently passes a signal on to its commands, and ends as if nothing had happened.
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }))
  process.once(signal, () => process.once("exit", () => process.exit(code)));

const withServer = (command: string) =>
  tier.hasServer ? `. tools/checks/test-server.sh && ${command}` : command;
const commands = Object.entries(tier.steps)
  .filter(([step]) => chosen.length === 0 || chosen.includes(step))
  .map(([step, command]) => ({ name: step, command: withServer(command) }));
const { commands: steps, result } = concurrently(commands, {
  prefix: "name",
  maxProcesses: tier.atOnce,
  timings: true,
  teardown: tier.hasServer ? [withServer("node test/support/node/drop-databases.ts")] : [],
});
// Vitest names the failed tests at the end of its output.
const tails: Record<string, string> = {};
for (const step of steps)
  for (const stream of [step.stdout, step.stderr])
    stream.subscribe((text) => {
      tails[step.name] = `${tails[step.name] ?? ""}${text}`.slice(-TAIL_LENGTH);
    });
await result.catch((ended: CloseEvent[]) => {
  process.exitCode = 1;
  for (const { command, exitCode } of ended)
    if (exitCode !== 0) console.error(`\n${command.name} failed:\n${tails[command.name] ?? ""}`);
});
