import type { Secret, Settings } from "../../core/settings.ts";

export interface Key {
  id: number;
  accessToken: ReturnType<typeof derive>;
  refreshToken: ReturnType<typeof derive>;
  authorizationCode: ReturnType<typeof derive>;
  pseudonym: ReturnType<typeof derive>;
}

/** Keys by id, in the order of the setting: the first signs, all verify. */
export type KeyRing = ReadonlyMap<number, Key>;

/** HKDF (RFC 5869) gives each purpose its own key, so an access token never verifies as a refresh token. */
const derive = async (secret: Uint8Array<ArrayBuffer>, purpose: string) => {
  const base = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveKey"]);
  const info = new TextEncoder().encode(`salon-erp-data-service ${purpose}`);
  const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  const hmac = { name: "HMAC", hash: "SHA-256", length: 256 };
  return crypto.subtle.deriveKey(hkdf, base, hmac, false, ["sign", "verify"]);
};

const rings = new WeakMap<readonly Secret[], KeyRing>();

export const keyRing = (secrets: readonly Secret[]): KeyRing => {
  const cached = rings.get(secrets);
  if (cached !== undefined) return cached;
  const keys = secrets.map(({ id, bytes }): [number, Key] => [
    id,
    {
      id,
      accessToken: derive(bytes, "access token"),
      refreshToken: derive(bytes, "refresh token"),
      authorizationCode: derive(bytes, "authorization code"),
      pseudonym: derive(bytes, "pseudonym"),
    },
  ]);
  const ring = new Map(keys);
  rings.set(secrets, ring);
  return ring;
};

/** Without `PSEUDONYM_KEY`, rotating `TOKEN_KEYS` resets the limits per address and e-mail. */
export const pseudonymKeys = ({ PSEUDONYM_KEY, TOKEN_KEYS }: Settings): KeyRing =>
  keyRing(PSEUDONYM_KEY ?? TOKEN_KEYS);

export const signingKey = (keys: KeyRing): Key => {
  const [first] = keys.values();
  if (first === undefined) throw new Error("TOKEN_KEYS is empty");
  return first;
};
