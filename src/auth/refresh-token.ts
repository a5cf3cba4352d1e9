import { type KeyRing, signingKey } from "./keys.ts";

/**
 * What a refresh token says of itself. On the wire: base64url of version (1 byte), key id (1), the user's identity (16),
 * family (16), sequence (4), nonce (8) and an HMAC-SHA-256 over all of it (32), so that a forged token is refused
 * without waking the object that knows its family.
 */
export interface RefreshToken {
  /** The user's identity, a UUID. */
  user: string;
  /** 32 hex digits. */
  family: string;
  /** 0 for the token of the login, one more with each rotation. */
  sequence: number;
}

const VERSION = 2;
const AT = { key: 1, user: 2, family: 18, sequence: 34, nonce: 38, mac: 46, end: 78 };

/** A new family's name. */
export const newFamily = (): string => crypto.getRandomValues(new Uint8Array(16)).toHex();

/** Writes a token with a nonce of its own: two tokens of the same family and sequence differ. */
export const sealRefreshToken = async (keys: KeyRing, token: RefreshToken): Promise<string> => {
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

/** The fields of a genuine token; undefined for a version this code does not know. */
const read = (bytes: Uint8Array, view: DataView): RefreshToken | undefined => {
  if (view.getUint8(0) !== VERSION) return undefined;
  const hex = (start: number) => bytes.subarray(start, start + 16).toHex();
  return { user: uuid(hex(AT.user)), family: hex(AT.family), sequence: view.getUint32(AT.sequence) };
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
