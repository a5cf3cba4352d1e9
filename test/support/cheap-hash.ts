import { Buffer } from "node:buffer";
import { randomBytes, scryptSync } from "node:crypto";

/** A password hash with minimal cost parameters, so that tests run fast. */
export const cheapHash = (password: string): string => {
  const salt = randomBytes(16);
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replaceAll("=", "");
  return `$scrypt$ln=1,r=1,p=1$${text(salt)}$${text(scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 }))}`;
};
