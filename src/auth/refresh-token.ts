import { type KeyRing, signingKey } from "./keys.ts";

/**
 * What a refresh token says of itself. On the wire: base64url of version (1 byte), key id (1), the user's identity (16),
 * family (16), sequence (4), nonce (8) and an HMAC-SHA-256 over all of it (32), so that a forged token is refused
 * without waking the object that knows its family.
 */
export interface RefreshToken {
  /** The user's identity; in a token of the release before, of version 1, the user's row. */
  user: string | number;
  /** 32 hex digits. */
  family: string;
  /** 0 for the token of the login, one more with each rotation. */
  sequence: number;
}

const VERSION = 2;
const AT = { key: 1, user: 2, family: 18, sequence: 34, nonce: 38, mac: 46, end: 78 };
/** Version 1 had the row (8 bytes) and a longer nonce; whatever it wrote has ended seven days after it last ran. */
const AT_1 = { family: 10, sequence: 26 };

/** A new family's name. */
export const newFamily = (): string => crypto.getRandomValues(new Uint8Array(16)).toHex();

/** Writes a token with a nonce of its own: two tokens of the same family and sequence differ. */
export const sealRefreshToken = async (
  keys: KeyRing,
  token: RefreshToken & { user: string },
): Promise<string> => {
  const key = signingKey(keys);
  const bytes = new Uint8Array(AT.end);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint8(AT.key, key.id);
  bytes.set(Uint8Array.fromHex(token.user.replaceAll("-", "")), AT.user);
  bytes.set(Uint8Array.fromHex(token.family), AT.family);
  view.setUint32(AT.sequence, token.sequence);
  crypto.getRandomValues(bytes.subarray(AT.nonce, AT.mac));
  const mac = await crypto.subtle.sign("HMAC", await key.refreshToken, bytes.subarray(0, AT.mac));
  bytes.set(new Uint8Array(mac), AT.mac);
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
};

const uuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

/** What the bytes of a genuine token say. */
const read = (bytes: Uint8Array, view: DataView): RefreshToken | undefined => {
  const hex = (start: number) => bytes.subarray(start, start + 16).toHex();
  switch (view.getUint8(0)) {
    case VERSION:
      return { user: uuid(hex(AT.user)), family: hex(AT.family), sequence: view.getUint32(AT.sequence) };
    case 1:
      return {
        user: Number(view.getBigUint64(AT.user)),
        family: hex(AT_1.family),
        sequence: view.getUint32(AT_1.sequence),
      };
  }
};

/** Reads a token one of our keys has signed; undefined for any other text. */
export const openRefreshToken = async (keys: KeyRing, text: string): Promise<RefreshToken | undefined> => {
  // 78 bytes are exactly 104 characters, without spare bits: no two texts are the same token.
  if (!/^[\w-]{104}$/.test(text)) return undefined;
  const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
  const view = new DataView(bytes.buffer);
  const key = keys.get(view.getUint8(AT.key));
  if (key === undefined) return undefined;
  const genuine = await crypto.subtle.verify(
    "HMAC",
    await key.refreshToken,
    bytes.subarray(AT.mac),
    bytes.subarray(0, AT.mac),
  );
  return genuine ? read(bytes, view) : undefined;
};

/** What is stored of a token. */
export const hashRefreshToken = async (text: string): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
