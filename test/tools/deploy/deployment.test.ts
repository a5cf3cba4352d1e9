import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";
import { COMPATIBILITY } from "../../../tools/local/runtime.ts";
import { ROOT } from "../../support/node/pages.ts";

describe("wrangler.toml", () => {
  const { assets, observability, secrets, send_email, triggers, vars } = readConfig({
    config: join(import.meta.dirname, "../../../wrangler.toml"),
  });

  it("enables our log lines and disables those of the platform, which contain URLs and headers (E9)", () => {
    expect(observability).toEqual({
      enabled: true,
      redact_query_string: true,
      logs: { enabled: true, invocation_logs: false },
      traces: { enabled: false },
    });
  });

  it("binds the platform's e-mail, with no address, so that a second Worker has it too (W2, O2)", () => {
    expect(send_email).toEqual([{ name: "EMAIL" }]);
    expect([vars.SUMMARY_EMAIL, vars.SUMMARY_FROM]).toEqual([undefined, undefined]);
  });

  it("runs the watch every 15 minutes (W1)", () => {
    expect(triggers.crons).toEqual(["*/15 * * * *"]);
  });

  it("has a date and flags that the runtime accepts without a warning", () => {
    const folder = mkdtempSync(join(tmpdir(), "flags-"));
    const { date, flags } = COMPATIBILITY;
    const worker = `(
      modules = [(name = "main.js", esModule = "export default { test() {} };")],
      compatibilityDate = ${JSON.stringify(date)}, compatibilityFlags = ${JSON.stringify(flags)}
    )`;
    writeFileSync(
      join(folder, "config.capnp"),
      `using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (services = [(name = "main", worker = .main)]);
      const main :Workerd.Worker = ${worker};`,
    );
    try {
      const runtime = join(ROOT, "node_modules/workerd/bin/workerd");
      const { status, output } = spawnSync(runtime, ["test", "config.capnp"], {
        cwd: folder,
        encoding: "utf8",
      });
      expect(status).toBe(0);
      expect(output.join("")).not.toMatch(/compatibility/i);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("lets the platform serve all static files but the pages (A2)", () => {
    expect(assets).toMatchObject({ directory: "./dist/public", run_worker_first: ["/pages/*"] });
  });

  it("declares DATABASE_URL and TOKEN_KEYS as required secrets, and no secret as a var", () => {
    expect(secrets?.required).toEqual(["DATABASE_URL", "TOKEN_KEYS"]);
    for (const secret of [
      "DATABASE_URL",
      "TOKEN_KEYS",
      "PSEUDONYM_KEY",
      "ALERT_WEBHOOK",
      "HEARTBEAT_URL",
      "SUMMARY_WEBHOOK",
    ])
      expect(vars).not.toHaveProperty(secret);
  });
});
