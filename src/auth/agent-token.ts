import { Buffer } from "node:buffer";
import { sha256 } from "../core/sha256.ts";

export const AGENT_TOKEN_PREFIX = "agt_";

// 256 bits take 43 base64url characters. The last character ends in two unused bits, which must be zero.
const FORMAT = /^agt_[\w-]{42}[AEIMQUYcgkosw048]$/;

export const newAgentToken = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `${AGENT_TOKEN_PREFIX}${Buffer.from(bytes).toString("base64url")}`;
};

/** Checks only the format: a well-formed token can still be unknown. */
export const isAgentToken = (text: string): boolean => FORMAT.test(text);

/** Returns the SHA-256 of a token in hexadecimal. The database stores only this hash. */
export const hashAgentToken = async (token: string): Promise<string> => {
  return (await sha256(token)).toString("hex");
};
