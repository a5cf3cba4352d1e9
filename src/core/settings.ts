import { Buffer } from "node:buffer";

declare global {
  interface Env {
    /** Optional: wrangler generates types for required secrets only. */
    PSEUDONYM_KEY?: string;
  }
}

export interface Secret {
  id: number;
  bytes: Uint8Array<ArrayBuffer>;
}

const MIN_BYTES = 32;
const ENTRY = /^([1-9]\d{0,2}):([\w-]+)$/;
const ENTRIES = `must be entries "<1-255>:<base64url of ${MIN_BYTES} bytes or more>", separated by commas`;

const secretOf = (entry: string): Secret | undefined => {
  const [, id, encoded = ""] = ENTRY.exec(entry.trim()) ?? [];
  const bytes = Buffer.from(encoded, "base64url");
  return id === undefined || Number(id) > 255 || bytes.length < MIN_BYTES
    ? undefined
    : { id: Number(id), bytes };
};

/** An invalid setting. The message continues the sentence "<name> …". */
class Rule extends Error {}

const secrets = (given: unknown): readonly Secret[] => {
  const entries = typeof given === "string" ? given.split(",").map(secretOf) : [undefined];
  const known = entries.filter((entry) => entry !== undefined);
  if (known.length < entries.length) throw new Rule(ENTRIES);
  if (new Set(known.map(({ id }) => id)).size < known.length) throw new Rule("contains an id twice");
  return known;
};

/** wrangler.toml gives a number; `--var` gives text. */
const number =
  (digits: RegExp, rule: string, fits: (value: number) => boolean) =>
  (given: unknown): number => {
    const value = typeof given === "string" && digits.test(given) ? Number(given) : given;
    if (typeof value !== "number" || !fits(value)) throw new Rule(rule);
    return value;
  };

const wholeNumber = (min: number) =>
  number(
    /^\d{1,15}$/,
    `must be a whole number of at least ${min}`,
    (value) => Number.isSafeInteger(value) && value >= min,
  );

const fraction = number(
  /^[01](\.\d{1,9})?$/,
  "must be a number from 0 to 1",
  (value) => value >= 0 && value <= 1,
);

const connectionString = (given: unknown): string => {
  const text = typeof given === "string" ? given : "";
  const { protocol = "", username, hostname, pathname } = URL.parse(text) ?? {};
  if (/^postgres(ql)?:$/.test(protocol) && username && hostname && pathname) return text;
  throw new Rule("must be a connection string, postgres://<role>:<password>@<host>/<database>");
};

const ORIGIN = /^(\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/]+)$/;

const origins = (given: unknown = "*"): string[] => {
  const all = String(given)
    .split(",")
    .map((origin) => origin.trim());
  if (all.every((origin) => origin === "" || ORIGIN.test(origin))) return all;
  throw new Rule("must be * or origins like https://app.example, separated by commas");
};

interface Setting {
  kind: "secret" | "secret, optional" | "var";
  description: string;
  read: (given: unknown) => unknown;
}

/** The docs show this table. Without a schema library, because the Durable Objects would load it too. */
export const DEFINITIONS = {
  DATABASE_URL: {
    kind: "secret",
    description: "Connection string of the role `salon_api`",
    read: connectionString,
  },
  TOKEN_KEYS: {
    kind: "secret",
    description:
      "One or more keys `<id>:<secret>`, separated by commas. The id is 1–255, the secret base64url of at least 32 bytes. The first key signs, all keys verify",
    read: secrets,
  },
  PSEUDONYM_KEY: {
    kind: "secret, optional",
    description:
      "One key in the format of `TOKEN_KEYS`. Pseudonyms of addresses and e-mails are computed with it. Without it they are computed with the key that signs, and changing that key resets the limits of addresses and e-mails. Adding this key resets them once",
    read: (given: unknown) => (given ? secrets(given) : undefined),
  },
  CORS_ORIGINS: {
    kind: "var",
    description: "Origins whose pages may read responses, separated by commas; `*` for all",
    read: origins,
  },
  RATE_LIMIT_GLOBAL: {
    kind: "var",
    description: "Maximum number of requests of one client in any 15 minutes",
    read: wholeNumber(1),
  },
  RATE_LIMIT_AUTH: {
    kind: "var",
    description: "Maximum number of requests of one client to `/auth` in any 15 minutes",
    read: wholeNumber(1),
  },
  REFRESH_LENIENCY_SECONDS: {
    kind: "var",
    description:
      "For how many seconds after a renewal the spent refresh token gets a 401 without ending the session, if it comes from the same address",
    read: wholeNumber(0),
  },
  LOG_SAMPLE_RATE: {
    kind: "var",
    description:
      "Fraction of the successful requests that is logged, 0 to 1. Failed requests (4xx and 5xx) are always logged",
    read: (given: unknown = 1) => fraction(given),
  },
  VERSION: {
    kind: "var",
    description: "Version of the code, shown in log lines. `npm run deploy` sets it",
    read: (given: unknown = "local") => String(given),
  },
} satisfies Record<string, Setting>;

export type Settings = {
  [Name in keyof typeof DEFINITIONS]: ReturnType<(typeof DEFINITIONS)[Name]["read"]>;
};

type Given = { [Name in keyof Settings]?: unknown };

/** The message names the invalid settings and their rules, never their values. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

const NAMES = Object.keys(DEFINITIONS) as (keyof Settings)[];

export const readSettings = (given: Given): Settings => {
  const wrong: string[] = [];
  const read = NAMES.map((name) => {
    try {
      return [name, DEFINITIONS[name].read(given[name])];
    } catch (error) {
      if (!(error instanceof Rule)) throw error;
      wrong.push(`${name} ${error.message}`);
      return [name, undefined];
    }
  });
  if (wrong.length > 0) throw new SettingsError(wrong.join("; "));
  return Object.fromEntries(read) as Settings;
};

let last: { given: unknown[]; settings: Settings } | undefined;

/** Caches the settings until they change. @throws SettingsError */
export const settingsOf = (env: Given): Settings => {
  const given = NAMES.map((name) => env[name]);
  if (last === undefined || given.some((value, i) => value !== last?.given[i]))
    last = { given, settings: readSettings(env) };
  return last.settings;
};
