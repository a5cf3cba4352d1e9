import { signAccessToken } from "../../src/access/auth/access-token.ts";
import { keyRing } from "../../src/access/auth/keys.ts";
import { type Rights, UNRESTRICTED } from "../../src/core/rights.ts";
import { DEFINITIONS } from "../../src/core/settings.ts";
import { SETTINGS } from "./runtime.ts";

/** Access tokens of many users, because one user would reach the limit of 500 requests in 15 minutes. */
export const tokens = async (count: number, rights: Rights = UNRESTRICTED) => {
  const keys = keyRing(DEFINITIONS.TOKEN_KEYS.read(SETTINGS.TOKEN_KEYS));
  const now = Math.floor(Date.now() / 1000);
  return Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const user = {
        id: i + 1,
        identity: crypto.randomUUID(),
        profile: { email: `${i}@example.com`, name: "Somebody" },
        rights,
      };
      const claims = { ...user, family: `${i}` };
      return `Bearer ${await signAccessToken(keys, claims, now)}`;
    }),
  );
};
