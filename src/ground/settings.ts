import { Buffer } from "node:buffer";
import { z } from "zod";

declare global {
  interface Env {
    /** Optional, so not among the `required` secrets that wrangler knows types of. */
    PSEUDONYM_KEY?: string;
  }
}

/** A signing secret, and the id by which tokens name it. */
export interface Secret {
  id: number;
  bytes: Uint8Array;
}

const MIN_BYTES = 32;
const ENTRY = /^([1-9]\d{0,2}):([\w-]+)$/;
const ENTRIES = `needs entries "<1-255>:<base64url of ${MIN_BYTES} bytes or more>"`;

const secretOf = (entry: string): Secret | undefined => {
  const [, id, encoded = ""] = ENTRY.exec(entry.trim()) ?? [];
  const bytes = Buffer.from(encoded, "base64url");
  return id === undefined || Number(id) > 255 || bytes.length < MIN_BYTES
    ? undefined
    : { id: Number(id), bytes };
};

/** Signing secrets in the order of the setting, at least one (A4). */
const secrets = z.string({ error: ENTRIES }).transform((text, context): readonly Secret[] => {
  const entries = text.split(",").map(secretOf);
  const known = entries.filter((entry) => entry !== undefined);
  if (known.length < entries.length) context.addIssue({ code: "custom", message: ENTRIES });
  else if (new Set(known.map(({ id }) => id)).size < known.length)
    context.addIssue({ code: "custom", message: "holds one id twice" });
  return known;
});

/** A number of wrangler.toml, or the text that `--var` makes of one. */
const wholeNumber = (min: number) => {
  const error = `must be a whole number of at least ${min}`;
  const digits = z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number);
  return z.union([z.number(), digits], { error }).pipe(z.int({ error }).min(min, { error }));
};

const CONNECTION = "must be a connection string, postgres://<role>:<password>@<host>/<database>";

/** What the driver takes. */
const isConnectionString = (text: string): boolean => {
  const { protocol = "", username, hostname, pathname } = URL.parse(text) ?? {};
  return /^postgres(ql)?:$/.test(protocol) && Boolean(username && hostname && pathname);
};

const ORIGIN = /^(\*|null|[a-z][a-z\d+.-]*:\/\/[^\s/]+)$/;

/** What the Worker is set up with. The docs show each setting as it is described here. */
export const Settings = z.object({
  DATABASE_URL: z
    .string({ error: CONNECTION })
    .refine(isConnectionString, { error: CONNECTION })
    .meta({ kind: "secret", description: "Connection string of the role `salon_api`" }),
  TOKEN_KEYS: secrets.meta({
    kind: "secret",
    description:
      "`<id>:<secret>`, more of them separated by commas; id 1–255, secret base64url of at least 32 bytes. The first signs, all verify",
  }),
  PSEUDONYM_KEY: z
    .preprocess((text) => text || undefined, secrets.optional())
    .meta({
      kind: "secret, optional",
      description:
        "One entry in the form of `TOKEN_KEYS`, and no rotation touches it: names for addresses and e-mails come from it. Without it they come from the key that signs, and flipping keys begins the limits of addresses and e-mails anew, as adding it does once",
    }),
  CORS_ORIGINS: z
    .string()
    .default("*")
    .transform((text) => text.split(",").map((origin) => origin.trim()))
    .refine((origins) => origins.every((origin) => origin === "" || ORIGIN.test(origin)), {
      error: "must be * or origins like https://app.example, separated by commas",
    })
    .meta({
      kind: "var",
      description: "Origins that may read answers in a browser, separated by commas; `*` for all",
    }),
  RATE_LIMIT_GLOBAL: wholeNumber(1).meta({
    kind: "var",
    description: "Requests of one client in any 15 minutes, in all",
  }),
  RATE_LIMIT_AUTH: wholeNumber(1).meta({
    kind: "var",
    description: "Requests of one client to `/auth` in any 15 minutes",
  }),
  REFRESH_LENIENCY_SECONDS: wholeNumber(0).meta({
    kind: "var",
    description: "How long the loser of a refresh race may come late without ending the session",
  }),
  VERSION: z.string().default("local").meta({
    kind: "var",
    description: "Which code it is, as log lines tell it: `npm run deploy` sets it",
  }),
});

export type Settings = z.output<typeof Settings>;

type Given = { [Name in keyof Settings]?: unknown };

/** Settings nothing is served with. The message names them and what they must be, and never what they are. */
export class SettingsError extends Error {
  override name = "SettingsError";
}

/** Reads settings as they are given to the Worker. @throws SettingsError that names all that are wrong */
export const readSettings = (given: Given): Settings => {
  const read = Settings.safeParse(given);
  if (read.success) return read.data;
  throw new SettingsError(
    read.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; "),
  );
};

const NAMES = Settings.keyof().options;
let last: { given: unknown[]; settings: Settings } | undefined;

/** The settings of this isolate, read once for as long as they stay the same. @throws SettingsError */
export const settingsOf = (env: Given): Settings => {
  const given = NAMES.map((name) => env[name]);
  if (last === undefined || given.some((value, i) => value !== last?.given[i]))
    last = { given, settings: readSettings(env) };
  return last.settings;
};
