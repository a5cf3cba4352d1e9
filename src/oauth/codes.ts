import { Buffer } from "node:buffer";
import type { Context } from "hono";
import { callSessionStore } from "../auth/sessions.ts";
import type { AppEnv } from "../core/context.ts";
import { sha256 } from "../core/sha256.ts";
import type { AuthorizationCode, Grant } from "./authorization-code.ts";

// 256 bits take 43 base64url characters. The last character ends in two unused bits, which must be zero.
const FORMAT = /^[\w-]{42}[AEIMQUYcgkosw048]$/;

const callCode = async <T>(
  c: Context<AppEnv>,
  code: string,
  call: (object: DurableObjectStub<AuthorizationCode>, until: number) => Promise<T>,
): Promise<T> => {
  const name = (await sha256(code)).toString("hex");
  return callSessionStore(c, (until) => call(c.env.CODES.getByName(`code:${name}`), until));
};

/** Creates a code for a grant. @throws Refusal 503 */
export const issueCode = async (c: Context<AppEnv>, grant: Grant): Promise<string> => {
  const code = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
  await callCode(c, code, (object, until) => object.issue(grant, until));
  return code;
};

/** Uses up a code. Returns undefined if it is unknown or expired. @throws Refusal 503 */
export const redeemCode = async (
  c: Context<AppEnv>,
  code: string,
): Promise<{ grant: Grant; isFirst: boolean } | undefined> => {
  if (!FORMAT.test(code)) return undefined;
  const call = crypto.randomUUID();
  return callCode(c, code, (object, until) => object.redeem(call, until));
};
