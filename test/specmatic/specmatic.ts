import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "yaml";
import type { Document } from "../support/document.ts";

const JAR = join(import.meta.dirname, "node_modules/specmatic/specmatic.jar");

/** Only the companions of a parameter are mandatory, and the service does not need them with every value. */
const IS_EXPECTED = /which is a mandatory query param, is not sent has FAILED$/m;

/** The request, the response and the reason, without records and headers: one of them is the token. */
const summarize = (block: string) =>
  block
    .split("\n")
    .filter((line) => line.trim() !== "" && !/^ {4}[A-Z][\w-]+: |^ {9}/.test(line))
    .join("\n");

/**
 * Sends generated requests to a service: valid ones that it must answer as the document says, and invalid ones that it
 * must reject with a documented 4xx.
 */
export const runSpecmatic = async (documents: Document[], base: string, token: string) => {
  const folder = mkdtempSync(join(tmpdir(), "specmatic-"));
  try {
    const files = documents.map((_, index) => `documents/${index}.json`);
    mkdirSync(join(folder, "documents"));
    for (const [index, file] of files.entries())
      writeFileSync(join(folder, file), JSON.stringify(documents[index]));
    const settings = {
      version: 2,
      contracts: [{ provides: files }],
      security: { OpenAPI: { securitySchemes: { bearer: { type: "bearer", token } } } },
      test: { resiliencyTests: { enable: "all" }, timeoutInMilliseconds: 60_000 },
    };
    writeFileSync(join(folder, "specmatic.yaml"), stringify(settings), { mode: 0o600 });
    const log = join(folder, "log");
    const child = spawn("java", ["-Xmx2g", "-jar", JAR, "test", `--testBaseURL=${base}`], {
      cwd: folder,
      env: { ...process.env, SPECMATIC_DISABLE_TELEMETRY: "true" },
      stdio: ["ignore", openSync(log, "w"), "inherit"],
    });
    await once(child, "close");
    const output = readFileSync(log, "utf8");
    const [, requests, failed, errors] =
      /^Tests run: (\d+), .+, Failures: (\d+), .+, Errors: (\d+)$/m.exec(output) ?? [];
    const failures = output.split(/^-{20}$/m).filter((block) => / has FAILED$/m.test(block));
    // Without its licence, for example, it fails before it sends a request.
    if (failures.length !== Number(failed) + Number(errors))
      throw new Error(`Specmatic did not run:\n${output.slice(-2000)}`);
    const findings = failures.filter((block) => !IS_EXPECTED.test(block)).map(summarize);
    return { requests: Number(requests), findings };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
