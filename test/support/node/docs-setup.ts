import { appendFileSync } from "node:fs";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { openDocsFolder, SERVICE_LOG } from "./pages.ts";

/** Starts one `npm start` that all tests of commands and programs in the docs share. */
const setup = async (project: TestProject) => {
  const { folder, base, service, stop } = await openDocsFolder();
  const log = join(folder, SERVICE_LOG);
  appendFileSync(log, service.output);
  for (const stream of [service.child.stdout, service.child.stderr])
    stream?.on("data", (chunk: Buffer) => appendFileSync(log, chunk));
  project.provide("docs", { folder, base });
  return stop;
};

export default setup;
