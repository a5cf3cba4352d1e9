import { createHash, randomBytes } from "node:crypto";

/** What tells an agent token from any other text. */
export const AGENT_TOKEN_PREFIX = "agt_";

// 256 bits are 43 characters, of which the last has two bits to spare: they are zero, as they are written.
const FORM = /^agt_[\w-]{42}[AEIMQUYcgkosw048]$/;

/** A token nobody has had and nobody can guess (A10). */
export const newAgentToken = (): string => `${AGENT_TOKEN_PREFIX}${randomBytes(32).toString("base64url")}`;

/** Whether a text could be an agent token. */
export const isAgentToken = (text: string): boolean => FORM.test(text);

/** What is stored of a token, and what it is looked for by. */
export const hashAgentToken = (token: string): string => createHash("sha256").update(token).digest("hex");
