import { hkdfSync } from "node:crypto";
import type { Secret, Settings } from "../ground/settings.ts";

/** One signing secret and what is derived from it. The id travels in tokens; the secret never does. */
export interface Key {
  id: number;
  accessToken: ReturnType<typeof derive>;
  refreshToken: ReturnType<typeof derive>;
  /** For names of things that must not be told: addresses, e-mails. */
  pseudonym: ReturnType<typeof derive>;
}

/** Our keys by id, in the order of the setting: the first signs, all verify. */
export type KeyRing = ReadonlyMap<number, Key>;

const derive = (secret: Uint8Array, purpose: string) => {
  const bytes = hkdfSync("sha256", secret, new Uint8Array(), `salon-erp-data-service ${purpose}`, 32);
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["sign", "verify"]);
};

const rings = new WeakMap<readonly Secret[], KeyRing>();

/** The keys of a setting, derived once per isolate. */
export const keyRing = (secrets: readonly Secret[]): KeyRing => {
  const known = rings.get(secrets);
  if (known !== undefined) return known;
  const keys = secrets.map(({ id, bytes }): [number, Key] => [
    id,
    {
      id,
      accessToken: derive(bytes, "access token"),
      refreshToken: derive(bytes, "refresh token"),
      pseudonym: derive(bytes, "pseudonym"),
    },
  ]);
  const ring = new Map(keys);
  rings.set(secrets, ring);
  return ring;
};

/** The keys that name what must not be told: of a setting that no rotation touches, else those that sign. */
export const pseudonymKeys = ({ PSEUDONYM_KEY, TOKEN_KEYS }: Settings): KeyRing =>
  keyRing(PSEUDONYM_KEY ?? TOKEN_KEYS);

/** The key that signs. */
export const signingKey = (keys: KeyRing): Key => {
  const [first] = keys.values();
  if (first === undefined) throw new Error("TOKEN_KEYS is empty");
  return first;
};
