import { type KeyRing, signingKey } from "./keys.ts";

/** The signature lets a Worker reject a forged token without calling a Durable Object. */
export interface RefreshToken {
  user: string;
  family: string;
  /** 0 at login; each rotation adds 1. */
  sequence: number;
}

const VERSION = 2;
// Byte offsets. A token is encoded in base64url. `mac` is an HMAC-SHA-256 of all bytes before it.
const OFFSET = { key: 1, user: 2, family: 18, sequence: 34, nonce: 38, mac: 46, end: 78 };

export const newFamily = (): string => crypto.getRandomValues(new Uint8Array(16)).toHex();

/** Encodes and signs a token. A random nonce makes tokens of the same family and sequence differ. */
export const sealRefreshToken = async (keys: KeyRing, token: RefreshToken): Promise<string> => {
  const key = signingKey(keys);
  const bytes = new Uint8Array(OFFSET.end);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint8(OFFSET.key, key.id);
  bytes.set(Uint8Array.fromHex(token.user.replaceAll("-", "")), OFFSET.user);
  bytes.set(Uint8Array.fromHex(token.family), OFFSET.family);
  view.setUint32(OFFSET.sequence, token.sequence);
  crypto.getRandomValues(bytes.subarray(OFFSET.nonce, OFFSET.mac));
  const mac = await crypto.subtle.sign("HMAC", await key.refreshToken, bytes.subarray(0, OFFSET.mac));
  bytes.set(new Uint8Array(mac), OFFSET.mac);
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
};

const formatUuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

const decode = (bytes: Uint8Array, view: DataView): RefreshToken | undefined => {
  if (view.getUint8(0) !== VERSION) return undefined;
  const hex = (start: number) => bytes.subarray(start, start + 16).toHex();
  return {
    user: formatUuid(hex(OFFSET.user)),
    family: hex(OFFSET.family),
    sequence: view.getUint32(OFFSET.sequence),
  };
};

/** Decodes a token signed by one of our keys. Returns undefined for any other string. */
export const openRefreshToken = async (keys: KeyRing, text: string): Promise<RefreshToken | undefined> => {
  // 78 bytes fill exactly 104 base64url characters, so each token has exactly one encoding.
  if (!/^[\w-]{104}$/.test(text)) return undefined;
  const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
  const view = new DataView(bytes.buffer);
  const key = keys.get(view.getUint8(OFFSET.key));
  if (key === undefined) return undefined;
  const isAuthentic = await crypto.subtle.verify(
    "HMAC",
    await key.refreshToken,
    bytes.subarray(OFFSET.mac),
    bytes.subarray(0, OFFSET.mac),
  );
  return isAuthentic ? decode(bytes, view) : undefined;
};

/** Returns the SHA-256 of a token in hex. Only this hash is stored. */
export const hashRefreshToken = async (text: string): Promise<string> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toHex();
