import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unstable_readConfig as readConfig } from "wrangler";

describe("what wrangler.toml deploys", () => {
  const { observability, secrets, vars } = readConfig({
    config: join(import.meta.dirname, "../../wrangler.toml"),
  });

  it("keeps our log lines, and none of the platform's own, which hold URLs and headers (E9)", () => {
    expect(observability).toEqual({
      enabled: true,
      redact_query_string: true,
      logs: { enabled: true, invocation_logs: false },
      traces: { enabled: false },
    });
  });

  it("asks for secrets as secrets", () => {
    expect(secrets?.required).toEqual(["DATABASE_URL", "TOKEN_KEYS"]);
    for (const secret of ["DATABASE_URL", "TOKEN_KEYS", "PSEUDONYM_KEY"])
      expect(vars).not.toHaveProperty(secret);
  });
});
