import { newSecret } from "../../core/random-secret.ts";
import { sha256 } from "../../core/sha256.ts";

/** Random, so that the id of a removed client is never used again (A14). */
export const newClientId = (): string => `client-${crypto.randomUUID()}`;

const CLIENT_ID = /^client-[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Checks only the format: such a client may be unknown or removed. */
export const isRegisteredId = (text: string): boolean => CLIENT_ID.test(text);

export const CLIENT_SECRET_PREFIX = "ocs_";

/** It has 256 random bits, so a fast hash is enough: nobody can guess it from the hash. */
export const newClientSecret = (): string => `${CLIENT_SECRET_PREFIX}${newSecret()}`;

/** Returns the SHA-256 of a secret in hexadecimal. The database stores only this hash. */
export const hashClientSecret = async (secret: string): Promise<string> =>
  (await sha256(secret)).toString("hex");
