import { Buffer } from "node:buffer";

// 256 bits take 43 base64url characters. The last character ends in two unused bits, which must be zero.
const FORMAT = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

/** Returns 256 random bits in base64url, without padding (RFC 4648, 5). */
export const newSecret = (): string =>
  Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");

/** Checks only the format. */
export const isSecret = (text: string): boolean => FORMAT.test(text);
