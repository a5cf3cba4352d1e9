import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";

describe("wrangler.toml", () => {
  const { assets, observability, secrets, triggers, vars } = readConfig({
    config: join(import.meta.dirname, "../../wrangler.toml"),
  });

  it("enables our log lines and disables those of the platform, which contain URLs and headers (E9)", () => {
    expect(observability).toEqual({
      enabled: true,
      redact_query_string: true,
      logs: { enabled: true, invocation_logs: false },
      traces: { enabled: false },
    });
  });

  it("runs the watch every 15 minutes (W1)", () => {
    expect(triggers.crons).toEqual(["*/15 * * * *"]);
  });

  it("lets the platform serve all static files but the pages (A2)", () => {
    expect(assets).toMatchObject({ directory: "./dist/public", run_worker_first: ["/pages/*"] });
  });

  it("declares DATABASE_URL and TOKEN_KEYS as required secrets, and no secret as a var", () => {
    expect(secrets?.required).toEqual(["DATABASE_URL", "TOKEN_KEYS"]);
    for (const secret of ["DATABASE_URL", "TOKEN_KEYS", "PSEUDONYM_KEY", "ALERT_WEBHOOK", "HEARTBEAT_URL"])
      expect(vars).not.toHaveProperty(secret);
  });
});
