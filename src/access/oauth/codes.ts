import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { isSecret, newSecret } from "../../core/random-secret.ts";
import { sha256 } from "../../core/sha256.ts";
import { callSessionStore } from "../auth/sessions.ts";
import type { AuthorizationCode, Grant } from "./authorization-code.ts";

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
  const code = newSecret();
  await callCode(c, code, (object, until) => object.issue(grant, until));
  return code;
};

/** Uses up a code. Returns undefined if it is unknown or expired. @throws Refusal 503 */
export const redeemCode = async (
  c: Context<AppEnv>,
  code: string,
): Promise<{ grant: Grant; isFirst: boolean } | undefined> => {
  if (!isSecret(code)) return undefined;
  const call = crypto.randomUUID();
  return callCode(c, code, (object, until) => object.redeem(call, until));
};
