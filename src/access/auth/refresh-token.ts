import { Buffer } from "node:buffer";
import { sha256 } from "../../core/sha256.ts";
import { type Key, type KeyRing, signingKey } from "./keys.ts";

/** Where a session was opened. Its refresh tokens work only there (A12). */
export type SessionKind = "api" | "browser" | "oauth";

/** The signature lets a Worker reject a forged token without calling a Durable Object. */
export interface RefreshToken {
  kind: SessionKind;
  user: string;
  family: string;
  /** 0 at login; each rotation adds 1. */
  sequence: number;
}

/** In seconds (A7). */
export const REFRESH_TOKEN_LIFETIME = 7 * 86_400;

const VERSION = 3;
const KINDS: readonly SessionKind[] = ["api", "browser", "oauth"];
// Byte offsets. A token is encoded in base64url. `mac` is an HMAC-SHA-256 of all bytes before it.
const OFFSET = { key: 1, kind: 2, user: 3, family: 19, sequence: 35, nonce: 39, mac: 46, end: 78 };
const NONCE_BYTES = OFFSET.mac - OFFSET.nonce;

export const newFamily = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("hex");

const randomNonce = () => crypto.getRandomValues(new Uint8Array(NONCE_BYTES));

const seal = async (key: Key, token: RefreshToken, nonce: Uint8Array): Promise<string> => {
  const bytes = new Uint8Array(OFFSET.end);
  const view = new DataView(bytes.buffer);
  view.setUint8(0, VERSION);
  view.setUint8(OFFSET.key, key.id);
  view.setUint8(OFFSET.kind, KINDS.indexOf(token.kind));
  bytes.set(Buffer.from(token.user.replaceAll("-", ""), "hex"), OFFSET.user);
  bytes.set(Buffer.from(token.family, "hex"), OFFSET.family);
  view.setUint32(OFFSET.sequence, token.sequence);
  bytes.set(nonce, OFFSET.nonce);
  const mac = await crypto.subtle.sign("HMAC", await key.refreshToken, bytes.subarray(0, OFFSET.mac));
  bytes.set(new Uint8Array(mac), OFFSET.mac);
  return Buffer.from(bytes).toString("base64url");
};

/** Encodes and signs a token. A random nonce makes tokens of the same family and sequence differ. */
export const sealRefreshToken = (keys: KeyRing, token: RefreshToken): Promise<string> =>
  seal(signingKey(keys), token, randomNonce());

/** A refresh token and its hash. */
export interface Sealed {
  text: string;
  hash: string;
}

/**
 * The tokens that may follow a token, best first: one for each key. For `browser` and `oauth` they are calculated from
 * the token, so that a repeated renewal gets the same one (A12).
 */
export const successorsOf = async (keys: KeyRing, token: RefreshToken, text: string): Promise<Sealed[]> => {
  const next = { ...token, sequence: token.sequence + 1 };
  const sealWith = async (key: Key) => {
    const mac = await crypto.subtle.sign(
      "HMAC",
      await key.refreshToken,
      new TextEncoder().encode(`successor ${text}`),
    );
    return seal(key, next, new Uint8Array(mac, 0, NONCE_BYTES));
  };
  const texts =
    token.kind === "api"
      ? [await sealRefreshToken(keys, next)]
      : await Promise.all([...keys.values()].map(sealWith));
  return Promise.all(texts.map(async (text) => ({ text, hash: await hashRefreshToken(text) })));
};

const formatUuid = (hex: string) => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");

const decode = (bytes: Uint8Array, view: DataView): RefreshToken | undefined => {
  const kind = KINDS[view.getUint8(OFFSET.kind)];
  if (view.getUint8(0) !== VERSION || kind === undefined) return undefined;
  const hex = (start: number) => Buffer.from(bytes.subarray(start, start + 16)).toString("hex");
  return {
    kind,
    user: formatUuid(hex(OFFSET.user)),
    family: hex(OFFSET.family),
    sequence: view.getUint32(OFFSET.sequence),
  };
};

/** Decodes a token of this kind, signed by one of our keys. Returns undefined for any other string. */
export const openRefreshToken = async (
  keys: KeyRing,
  kind: SessionKind,
  text: string,
): Promise<RefreshToken | undefined> => {
  // 78 bytes fill exactly 104 base64url characters, so each token has exactly one encoding.
  if (!/^[\w-]{104}$/.test(text)) return undefined;
  const bytes = new Uint8Array(Buffer.from(text, "base64url"));
  const view = new DataView(bytes.buffer);
  const key = keys.get(view.getUint8(OFFSET.key));
  if (key === undefined) return undefined;
  const isAuthentic = await crypto.subtle.verify(
    "HMAC",
    await key.refreshToken,
    bytes.subarray(OFFSET.mac),
    bytes.subarray(0, OFFSET.mac),
  );
  const token = isAuthentic ? decode(bytes, view) : undefined;
  return token?.kind === kind ? token : undefined;
};

/** Returns the SHA-256 of a token in hex. Only this hash is stored. */
export const hashRefreshToken = async (text: string): Promise<string> => (await sha256(text)).toString("hex");
