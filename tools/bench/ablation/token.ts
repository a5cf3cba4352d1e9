import type * as service from "../../../src/auth/access-token.ts";
import type { Caller } from "../../../src/core/context.ts";

export const ACCESS_TOKEN_LIFETIME = 900;
export const API_AUDIENCE: service.Audience = { issuer: "", audience: "", client: null };

export const signAccessToken: typeof service.signAccessToken = async () => {
  throw new Error("this build does not sign tokens");
};

let caller: Caller | undefined;

/** Replaces `src/auth/access-token.ts`: every request acts as the first caller, without verification. */
export const verifyAccessToken: typeof service.verifyAccessToken = async (_, token) => {
  if (caller === undefined) {
    const claims = JSON.parse(atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
    const { uid: id, sub: identity, email, name, sid: family, rights } = claims;
    caller = { id, identity, profile: { email, name }, family, rights };
  }
  return caller;
};

export const isAccessToken: typeof service.isAccessToken = async () => {
  throw new Error("this build does not revoke tokens");
};
