import { Buffer } from "node:buffer";

/** Returns the SHA-256 of a text in UTF-8. */
export const sha256 = async (text: string): Promise<Buffer> =>
  Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
