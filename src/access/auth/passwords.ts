import { Buffer } from "node:buffer";
import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";

// OWASP's scrypt parameters for p = 5 (16 MiB of memory). Workers limit N·r·p to 2^20.
const COST = { ln: 14, r: 8, p: 5 };
const MAX_WORK = 2 ** 20;

export const MAX_PASSWORD_BYTES = 256;

const SALT_BYTES = 16;
const HASH_BYTES = 32;

const PHC = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22,86})\$([A-Za-z0-9+/]{43})$/;

const toBase64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replaceAll("=", "");

const scrypt = (password: string, salt: Uint8Array, { ln, r, p }: typeof COST): Buffer => {
  const N = 2 ** ln;
  return scryptSync(password, salt, HASH_BYTES, { N, r, p, maxmem: 256 * N * r });
};

/** A PHC string contains its parameters, so that stored hashes stay valid when `COST` changes. */
const formatPhc = ({ ln, r, p }: typeof COST, salt: Uint8Array, hash: Uint8Array): string =>
  `$scrypt$ln=${ln},r=${r},p=${p}$${toBase64(salt)}$${toBase64(hash)}`;

/** Returns a PHC string. Hashes the password as typed, without Unicode normalization (NFKC). */
export const hashPassword = (password: string): string => {
  const salt = randomBytes(SALT_BYTES);
  return formatPhc(COST, salt, scrypt(password, salt, COST));
};

/** Compares in constant time. @throws if the hash has another format or its parameters cost too much work */
export const verifyPassword = (password: string, hash: string): boolean => {
  const [, ln, r, p, salt, expected] = PHC.exec(hash) ?? [];
  if (salt === undefined || expected === undefined)
    throw new Error("the stored password hash has an unknown format");
  const cost = { ln: Number(ln), r: Number(r), p: Number(p) };
  if (2 ** cost.ln * cost.r * cost.p > MAX_WORK)
    throw new Error("the stored password hash exceeds the work limit");
  return timingSafeEqual(
    scrypt(password, Buffer.from(salt, "base64"), cost),
    Buffer.from(expected, "base64"),
  );
};

/** Verified when the account does not exist, so that the response takes the same time (A5). */
export const DECOY_HASH = formatPhc(COST, new Uint8Array(SALT_BYTES), new Uint8Array(HASH_BYTES));
