import { isSecret, newSecret } from "../../core/random-secret.ts";
import { sha256 } from "../../core/sha256.ts";

export const AGENT_TOKEN_PREFIX = "agt_";

export const newAgentToken = (): string => `${AGENT_TOKEN_PREFIX}${newSecret()}`;

/** Checks only the format: a well-formed token can still be unknown. */
export const isAgentToken = (text: string): boolean =>
  text.startsWith(AGENT_TOKEN_PREFIX) && isSecret(text.slice(AGENT_TOKEN_PREFIX.length));

/** Returns the SHA-256 of a token in hexadecimal. The database stores only this hash. */
export const hashAgentToken = async (token: string): Promise<string> => (await sha256(token)).toString("hex");
