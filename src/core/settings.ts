import { Buffer } from "node:buffer";
import { isLoopback } from "./hosts.ts";

export interface Secret {
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
}

const MIN_BYTES = 32;
const KEY_ENTRY = /^([1-9]\d{0,2}):([\w-]+)$/;
const KEY_FORMAT = `"<1-255>:<base64url of ${MIN_BYTES} bytes or more>"`;

const secretOf = (entry: string): Secret | undefined => {
  const [, id, encoded = ""] = KEY_ENTRY.exec(entry.trim()) ?? [];
  const bytes = Buffer.from(encoded, "base64url");
  return id === undefined || Number(id) > 255 || bytes.length < MIN_BYTES
    ? undefined
    : { id: Number(id), bytes };
};

/** Thrown for an invalid setting. The message completes "<name> …". */
class InvalidSetting extends Error {}

const parseKeys = (raw: unknown): readonly Secret[] => {
  const entries = typeof raw === "string" ? raw.split(",").map(secretOf) : [undefined];
  const keys = entries.filter((entry) => entry !== undefined);
  if (keys.length < entries.length)
    throw new InvalidSetting(`must be entries ${KEY_FORMAT}, separated by commas`);
  if (new Set(keys.map(({ id }) => id)).size < keys.length) throw new InvalidSetting("contains an id twice");
  return keys;
};

const optional =
  <T>(parse: (raw: unknown) => T) =>
  (raw: unknown): T | undefined =>
    raw ? parse(raw) : undefined;

const parseKey = (raw: unknown): readonly Secret[] => {
  const keys = parseKeys(raw);
  if (keys.length > 1) throw new InvalidSetting(`must be one entry ${KEY_FORMAT}`);
  return keys;
};

/** Returns a parser. A variable in wrangler.toml is a number; one of `--var` is a string. */
const numberParser =
  (digits: RegExp, rule: string, isValid: (value: number) => boolean) =>
  (raw: unknown): number => {
    const value = typeof raw === "string" && digits.test(raw) ? Number(raw) : raw;
    if (typeof value !== "number" || !isValid(value)) throw new InvalidSetting(rule);
    return value;
  };

const integerParser = (min: number) =>
  numberParser(
    /^\d{1,15}$/,
    `must be an integer of at least ${min}`,
    (value) => Number.isSafeInteger(value) && value >= min,
  );

const parseFraction = numberParser(
  /^[01](\.\d{1,9})?$/,
  "must be a number from 0 to 1",
  (value) => value >= 0 && value <= 1,
);

const parseConnectionString = (raw: unknown): string => {
  const text = typeof raw === "string" ? raw : "";
  const { protocol = "", username, hostname, pathname } = URL.parse(text) ?? {};
  if (/^postgres(ql)?:$/.test(protocol) && username && hostname && pathname) return text;
  throw new InvalidSetting("must be a connection string, postgres://<role>:<password>@<host>/<database>");
};

/** Null for a wrong value: the service then serves without recording, and says so (A15). */
const parseAuditUrl = (raw: unknown): string | null => {
  try {
    return parseConnectionString(raw);
  } catch {
    return null;
  }
};

const entriesOf = (raw: unknown): string[] =>
  String(raw)
    .split(",")
    .map((entry) => entry.trim());

const ORIGIN = /^(\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/]+)$/;

const parseOrigins = (raw: unknown = "*"): string[] => {
  const origins = entriesOf(raw);
  if (origins.every((origin) => origin === "" || ORIGIN.test(origin))) return origins;
  throw new InvalidSetting("must be * or origins like https://app.example, separated by commas");
};

/** Hosts of Claude, ChatGPT and VS Code. wrangler.toml has the same list. */
const DEFAULT_HOSTS = "claude.ai,claude.com,chatgpt.com,vscode.dev,insiders.vscode.dev";
const HOST = /^[a-z\d-]+(\.[a-z\d-]+)*(:\d{1,5})?$/;

const parseHosts = (raw: unknown = DEFAULT_HOSTS): string[] => {
  const hosts = entriesOf(raw).filter((host) => host !== "");
  // A URL never shows the default port.
  if (hosts.every((host) => HOST.test(host) && !host.endsWith(":443"))) return hosts;
  throw new InvalidSetting("must be hosts like claude.ai in lower case, without :443, separated by commas");
};

const CONTACT = /^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]\S*|tel:\+[\d-]+)$/;

const parseContact = (raw: unknown): string => {
  if (CONTACT.test(String(raw))) return String(raw);
  throw new InvalidSetting("must be one URI: mailto:<e-mail>, https://… or tel:+…");
};

const EMAIL = /^[^\s\p{Cc}@,;:<>()"]+@[^\s\p{Cc}@,;:<>()"]+\.[^\s\p{Cc}@,;:<>()".]+$/u;

const parseEmail = (raw: unknown): string => {
  const address = String(raw);
  if (address.length <= 254 && EMAIL.test(address)) return address;
  throw new InvalidSetting("must be one e-mail address, without a name");
};

const parseOperatorUrl = (raw: unknown): string => {
  const url = URL.parse(String(raw));
  const isEncrypted = url?.protocol === "https:";
  const isOnLoopback = url?.protocol === "http:" && isLoopback(url.hostname);
  if (url && (isEncrypted || isOnLoopback) && !url.username && !url.password) return url.href;
  throw new InvalidSetting(
    "must be a URL that begins with https:// (http:// for loopback only), without user and password",
  );
};

/** The version of code that was not deployed. */
export const LOCAL_VERSION = "local";

interface Setting {
  kind: "secret" | "secret, optional" | "var" | "var, optional";
  description: string;
  /** @throws InvalidSetting */
  read: (raw: unknown) => unknown;
}

/** The docs show this table. No schema library: the Durable Objects would load it too. */
export const DEFINITIONS = {
  DATABASE_URL: {
    kind: "secret",
    description: "Connection string of the role `salon_api`",
    read: parseConnectionString,
  },
  TOKEN_KEYS: {
    kind: "secret",
    description:
      "One or more keys `<id>:<secret>`, separated by commas. The id is 1–255, the secret base64url of " +
      "at least 32 bytes. The first key signs, all keys verify",
    read: parseKeys,
  },
  PSEUDONYM_KEY: {
    kind: "secret, optional",
    description:
      "One key in the format of `TOKEN_KEYS`. It computes the pseudonyms (HMACs) of addresses and " +
      "e-mails. If it is omitted, the first key of `TOKEN_KEYS` computes them. A change of the key that " +
      "computes them resets the limits per address and e-mail",
    read: optional(parseKey),
  },
  ALERT_WEBHOOK: {
    kind: "secret, optional",
    description:
      "URL that receives a message when the data becomes late or a job fails, and when that ends: see " +
      "[alerts](operating.md#alerts)",
    read: optional(parseOperatorUrl),
  },
  HEARTBEAT_URL: {
    kind: "secret, optional",
    description: "URL that is requested every 15 minutes while there is no problem",
    read: optional(parseOperatorUrl),
  },
  SUMMARY_WEBHOOK: {
    kind: "secret, optional",
    description:
      "URL that receives a message with the figures of the day, in the evening: see " +
      "[daily summary](operating.md#daily-summary)",
    read: optional(parseOperatorUrl),
  },
  AUDIT_DATABASE_URL: {
    kind: "secret, optional",
    description:
      "Connection string of the role `salon_audit`, which [records who read personal " +
      "data](operating.md#access-log). Without it, nothing is recorded",
    read: optional(parseAuditUrl),
  },
  CORS_ORIGINS: {
    kind: "var",
    description: "Origins whose pages may read responses, separated by commas; `*` for all",
    read: parseOrigins,
  },
  OAUTH_CLIENT_HOSTS: {
    kind: "var",
    description:
      "Hosts of assistants that may [connect by OAuth](agents.md#assistants-that-sign-in-by-themselves), " +
      "separated by commas; empty for none. The default is those of Claude, ChatGPT and VS Code",
    read: parseHosts,
  },
  RATE_LIMIT_GLOBAL: {
    kind: "var",
    description: "Maximum number of requests of one client in any 15 minutes",
    read: integerParser(1),
  },
  RATE_LIMIT_AUTH: {
    kind: "var",
    description: "Maximum number of requests of one client to `/auth` in any 15 minutes",
    read: integerParser(1),
  },
  REFRESH_LENIENCY_SECONDS: {
    kind: "var",
    description:
      "Seconds after a renewal during which the old refresh token, sent from the same address, gets a " +
      "401 without ending the session",
    read: integerParser(0),
  },
  JOB_LATE_SECONDS: {
    kind: "var",
    description: "Seconds after its last success at which a job counts as late, for alerts",
    read: (raw: unknown = 10_800) => integerParser(1)(raw),
  },
  SECURITY_CONTACT: {
    kind: "var, optional",
    description:
      "Contact for security reports, a URI such as `mailto:security@example.com`. " +
      "`/.well-known/security.txt` shows it; without it, that path is a 404",
    read: optional(parseContact),
  },
  SUMMARY_EMAIL: {
    kind: "var, optional",
    description: "E-mail address that receives the [daily summary](operating.md#daily-summary)",
    read: optional(parseEmail),
  },
  SUMMARY_FROM: {
    kind: "var, optional",
    description: "Its sender: an address at a domain that sends with Cloudflare's Email Service",
    read: optional(parseEmail),
  },
  LOG_SAMPLE_RATE: {
    kind: "var",
    description:
      "Fraction of successful requests to log, 0 to 1. Failed requests (4xx and 5xx) are always logged",
    read: (raw: unknown = 1) => parseFraction(raw),
  },
  VERSION: {
    kind: "var",
    description:
      "Version of the code, shown in log lines. `npm run deploy` sets it. With `local`, the service " +
      "accepts plain http on private addresses",
    read: (raw: unknown = LOCAL_VERSION) => String(raw),
  },
} satisfies Record<string, Setting>;

export type Settings = {
  [Name in keyof typeof DEFINITIONS]: ReturnType<(typeof DEFINITIONS)[Name]["read"]>;
};

type Optional = {
  [Name in keyof Settings]: (typeof DEFINITIONS)[Name]["kind"] extends `${string}optional` ? Name : never;
}[keyof Settings];

declare global {
  // wrangler generates types only for required secrets and for the vars of wrangler.toml.
  interface Env extends Partial<Record<Optional, string>> {}
}

type RawSettings = { [Name in keyof Settings]?: unknown };

/** The message names the invalid settings and their rules, never their values. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

const NAMES = Object.keys(DEFINITIONS) as (keyof Settings)[];

/** Each of these needs the other. */
const PAIR = ["SUMMARY_EMAIL", "SUMMARY_FROM"] as const;

/** @throws SettingsError */
export const readSettings = (raw: RawSettings): Settings => {
  const problems: string[] = [];
  const entries = NAMES.map((name) => {
    try {
      return [name, DEFINITIONS[name].read(raw[name])];
    } catch (error) {
      if (!(error instanceof InvalidSetting)) throw error;
      problems.push(`${name} ${error.message}`);
      return [name, undefined];
    }
  });
  const [missing] = PAIR.filter((name) => !raw[name]);
  const present = PAIR.find((name) => name !== missing);
  if (missing && raw[present as keyof Settings])
    problems.push(`${missing} must be set, because ${present} is`);
  if (problems.length > 0) throw new SettingsError(problems.join("; "));
  return Object.fromEntries(entries) as Settings;
};

let cached: { values: unknown[]; settings: Settings } | undefined;

/** Caches the settings until they change. @throws SettingsError */
export const settingsOf = (env: RawSettings): Settings => {
  const values = NAMES.map((name) => env[name]);
  if (cached === undefined || values.some((value, i) => value !== cached?.values[i]))
    cached = { values, settings: readSettings(env) };
  return cached.settings;
};
