import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { readSettings, settingsOf } from "../../src/core/settings.ts";
import { expectError } from "../support/worker/api.ts";
import { logged } from "../support/worker/captured-logs.ts";
import { createClient } from "../support/worker/client.ts";

const OTHER = `1:${"A".repeat(43)}`;

describe("a setting", () => {
  it.each([
    ["DATABASE_URL", undefined, /^DATABASE_URL must be a connection string, postgres:/],
    ["DATABASE_URL", "postgres://salon_api:secret-words@host", /^DATABASE_URL must be a connection string/],
    ["DATABASE_URL", "https://salon_api:secret-words@host/db", /^DATABASE_URL must be a connection string/],
    ["DATABASE_URL", "secret-words", /^DATABASE_URL must be a connection string/],
    [
      "TOKEN_KEYS",
      undefined,
      /^TOKEN_KEYS must be entries "<1-255>:<base64url of 32 bytes or more>", separated by commas$/,
    ],
    ["TOKEN_KEYS", "1:secret-words", /^TOKEN_KEYS must be entries/],
    ["TOKEN_KEYS", `${OTHER},`, /^TOKEN_KEYS must be entries/],
    ["TOKEN_KEYS", `${OTHER},${OTHER}`, /^TOKEN_KEYS contains an id twice$/],
    ["PSEUDONYM_KEY", "1:secret-words", /^PSEUDONYM_KEY must be entries/],
    [
      "PSEUDONYM_KEY",
      `${OTHER},2:${"A".repeat(43)}`,
      /^PSEUDONYM_KEY must be one entry "<1-255>:<base64url of 32 bytes or more>"$/,
    ],
    ["CORS_ORIGINS", "https://app.example/", /^CORS_ORIGINS must be \* or origins like/],
    ["CORS_ORIGINS", "app.example", /^CORS_ORIGINS must be \* or origins like/],
    ["RATE_LIMIT_GLOBAL", 0, /^RATE_LIMIT_GLOBAL must be an integer of at least 1$/],
    ["RATE_LIMIT_AUTH", "", /^RATE_LIMIT_AUTH must be an integer of at least 1$/],
    ["RATE_LIMIT_AUTH", undefined, /^RATE_LIMIT_AUTH must be an integer of at least 1$/],
    ["RATE_LIMIT_AUTH", 1.5, /^RATE_LIMIT_AUTH must be an integer of at least 1$/],
    ["LOG_SAMPLE_RATE", "half", /^LOG_SAMPLE_RATE must be a number from 0 to 1$/],
    ["LOG_SAMPLE_RATE", "", /^LOG_SAMPLE_RATE must be a number from 0 to 1$/],
    ["LOG_SAMPLE_RATE", "10", /^LOG_SAMPLE_RATE must be a number from 0 to 1$/],
    ["LOG_SAMPLE_RATE", 1.01, /^LOG_SAMPLE_RATE must be a number from 0 to 1$/],
    ["LOG_SAMPLE_RATE", -0.1, /^LOG_SAMPLE_RATE must be a number from 0 to 1$/],
    ["LOG_SAMPLE_RATE", Number.NaN, /^LOG_SAMPLE_RATE must be a number from 0 to 1$/],
    ["JOB_LATE_SECONDS", "0", /^JOB_LATE_SECONDS must be an integer of at least 1$/],
    ["ALERT_WEBHOOK", "secret-words", /^ALERT_WEBHOOK must be a URL that begins with https:/],
    [
      "ALERT_WEBHOOK",
      "http://hooks.example/secret-words",
      /^ALERT_WEBHOOK must be a URL that begins with https:/,
    ],
    [
      "ALERT_WEBHOOK",
      "http://127.0.0.1.example/secret-words",
      /^ALERT_WEBHOOK must be a URL that begins with https:/,
    ],
    [
      "ALERT_WEBHOOK",
      "https://me:secret-words@hooks.example/",
      /^ALERT_WEBHOOK must be a URL that begins with https:/,
    ],
    [
      "ALERT_WEBHOOK",
      "https://:secret-words@hooks.example/",
      /^ALERT_WEBHOOK must be a URL .*without user and password$/,
    ],
    [
      "HEARTBEAT_URL",
      "ftp://hooks.example/secret-words",
      /^HEARTBEAT_URL must be a URL that begins with https:/,
    ],
    [
      "SUMMARY_WEBHOOK",
      "http://hooks.example/secret-words",
      /^SUMMARY_WEBHOOK must be a URL that begins with https:/,
    ],
    ["SUMMARY_FROM", "secret-words", /^SUMMARY_FROM must be one e-mail address, without a name/],
    ["SUMMARY_FROM", "secret-words@example", /^SUMMARY_FROM must be one e-mail address, without a name/],
    [
      "SUMMARY_FROM",
      "Ana <secret-words@x.example>",
      /^SUMMARY_FROM must be one e-mail address, without a name/,
    ],
    ["SUMMARY_FROM", "a@x.example,secret-words@x.example", /^SUMMARY_FROM must be one e-mail address/],
    ["SUMMARY_EMAIL", `secret-words@${"a".repeat(250)}.example`, /^SUMMARY_EMAIL must be one e-mail address/],
    ["SUMMARY_EMAIL", "secret-words\n@example.com", /^SUMMARY_EMAIL must be one e-mail address/],
    ["SUMMARY_EMAIL", "secret-words@example.com", /^SUMMARY_FROM must be set, because SUMMARY_EMAIL is$/],
    ["SUMMARY_FROM", "secret-words@example.com", /^SUMMARY_EMAIL must be set, because SUMMARY_FROM is$/],
    ["SECURITY_CONTACT", "secret-words@example.com", /^SECURITY_CONTACT must be one URI: mailto:/],
    [
      "SECURITY_CONTACT",
      "https://x.example\nExpires: secret-words",
      /^SECURITY_CONTACT must be one URI: mailto:/,
    ],
    ["REFRESH_LENIENCY_SECONDS", "ten", /^REFRESH_LENIENCY_SECONDS must be an integer of at least 0$/],
  ])(
    "%s: %j is rejected with a message that states the name and the rule, but not the value (E9)",
    (name, value, message) => {
      const read = () => readSettings({ ...env, [name]: value });
      expect(read).toThrow(message);
      expect(read).not.toThrow(/secret-words|AAAA/);
    },
  );

  it.each([
    ["RATE_LIMIT_GLOBAL", "500", 500],
    ["RATE_LIMIT_GLOBAL", 500, 500],
    ["REFRESH_LENIENCY_SECONDS", "0", 0],
    ["LOG_SAMPLE_RATE", undefined, 1],
    ["LOG_SAMPLE_RATE", "0.05", 0.05],
    ["LOG_SAMPLE_RATE", 0, 0],
    ["VERSION", undefined, "local"],
    ["JOB_LATE_SECONDS", undefined, 10_800],
    ["ALERT_WEBHOOK", undefined, undefined],
    ["ALERT_WEBHOOK", "", undefined],
    ["ALERT_WEBHOOK", "https://hooks.example/a?b=c", "https://hooks.example/a?b=c"],
    ["HEARTBEAT_URL", "http://127.0.0.1:9000/", "http://127.0.0.1:9000/"],
    ["HEARTBEAT_URL", "http://[::1]:9000/", "http://[::1]:9000/"],
    ["SECURITY_CONTACT", undefined, undefined],
    ["SECURITY_CONTACT", "https://example.com/security", "https://example.com/security"],
    ["CORS_ORIGINS", undefined, ["*"]],
    ["CORS_ORIGINS", "", [""]],
    [
      "CORS_ORIGINS",
      "https://a.example, http://localhost:5173",
      ["https://a.example", "http://localhost:5173"],
    ],
    [
      "OAUTH_CLIENT_HOSTS",
      undefined,
      ["claude.ai", "claude.com", "chatgpt.com", "vscode.dev", "insiders.vscode.dev"],
    ],
    ["OAUTH_CLIENT_HOSTS", "", []],
    ["PSEUDONYM_KEY", "", undefined],
    ["PSEUDONYM_KEY", undefined, undefined],
  ] as const)("%s: %j is read as %j", (name, value, expected) => {
    expect(readSettings({ ...env, [name]: value })[name]).toEqual(expected);
  });

  it("SUMMARY_EMAIL and SUMMARY_FROM are read together (W2)", () => {
    const addresses = {
      SUMMARY_EMAIL: "ana.souza+resumo@example.com.br",
      SUMMARY_FROM: "resumo@example.com",
    };
    expect(readSettings({ ...env, ...addresses })).toMatchObject(addresses);
    expect(readSettings({ ...env, SUMMARY_EMAIL: "", SUMMARY_FROM: "" })).toMatchObject({
      SUMMARY_EMAIL: undefined,
    });
  });

  it("is parsed once, and again when it changes", () => {
    const read = settingsOf(env);
    expect(settingsOf({ ...env })).toBe(read);
    expect(settingsOf({ ...env, RATE_LIMIT_AUTH: 7 }).RATE_LIMIT_AUTH).toBe(7);
    expect(settingsOf(env)).toEqual(read);
  });

  it("that is invalid makes every response a 500, and the log names it (E9)", async () => {
    const { send } = createClient({ TOKEN_KEYS: "1:secret-words", RATE_LIMIT_AUTH: 0 });
    for (const [path, method] of [
      ["/health", "GET"],
      ["/llms.txt", "GET"],
      ["/v1/lancamentos", "OPTIONS"],
    ] as const) {
      const response = await send(path, { method });
      await expectError(response, 500, "Internal Server Error", /^An internal error occurred\..* request id/);
      const line = logged.at(-1) ?? "";
      expect(JSON.parse(line)).toMatchObject({
        error: "SettingsError",
        settings:
          'TOKEN_KEYS must be entries "<1-255>:<base64url of 32 bytes or more>", separated by commas; RATE_LIMIT_AUTH must be an integer of at least 1',
      });
      expect(line).not.toContain("secret-words");
    }
  });
});
