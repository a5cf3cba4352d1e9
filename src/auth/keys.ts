import { hkdfSync } from "node:crypto";

/** One signing secret and what is derived from it. The id travels in tokens; the secret never does. */
export interface Key {
  id: number;
  accessToken: Promise<CryptoKey>;
  refreshToken: Promise<CryptoKey>;
  /** For names of things that must not be told: addresses, e-mails. */
  pseudonym: Promise<CryptoKey>;
}

/** Our keys by id, in the order of the setting: the first signs, all verify. */
export type KeyRing = ReadonlyMap<number, Key>;

const ENTRY = /^([1-9]\d{0,2}):([\w-]+)$/;
const MIN_BYTES = 32;

const derive = (secret: Uint8Array, purpose: string): Promise<CryptoKey> => {
  const bytes = hkdfSync("sha256", secret, new Uint8Array(), `salon-erp-data-service ${purpose}`, 32);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
};

const parse = (setting: string): KeyRing => {
  const keys = setting.split(",").map((entry): [number, Key] => {
    const [, id, encoded] = ENTRY.exec(entry.trim()) ?? [];
    const secret = encoded === undefined ? undefined : Buffer.from(encoded, "base64url");
    if (secret === undefined || Number(id) > 255 || secret.length < MIN_BYTES) {
      throw new Error(`TOKEN_KEYS needs entries "<1-255>:<base64url of ${MIN_BYTES} bytes or more>"`);
    }
    const key = {
      id: Number(id),
      accessToken: derive(secret, "access token"),
      refreshToken: derive(secret, "refresh token"),
      pseudonym: derive(secret, "pseudonym"),
    };
    return [key.id, key];
  });
  if (new Set(keys.map(([id]) => id)).size !== keys.length) throw new Error("TOKEN_KEYS holds one id twice");
  return new Map(keys);
};

let ring: { setting: string; keys: KeyRing } | undefined;

/**
 * The keys of the `TOKEN_KEYS` setting, read once per isolate.
 * @throws Error when the setting is malformed or a secret is shorter than 32 bytes: nothing is served then (A4)
 */
export const keyRing = (setting: string): KeyRing => {
  if (ring?.setting !== setting) ring = { setting, keys: parse(setting) };
  return ring.keys;
};

/** The key that signs. */
export const signingKey = (keys: KeyRing): Key => {
  const [first] = keys.values();
  if (first === undefined) throw new Error("TOKEN_KEYS is empty");
  return first;
};
