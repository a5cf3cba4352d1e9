import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { tooManyRequests, unavailable } from "../../core/errors.ts";
import { withTimeout } from "../../core/timers.ts";
import { unauthorized } from "./bearer.ts";
import { addressPseudonym, pseudonym } from "./counter-name.ts";
import { pseudonymKeys } from "./keys.ts";
import type { Attempt } from "./login-attempts.ts";
import { DECOY_HASH } from "./passwords.ts";
import { type Account, findAccountByEmail } from "./queries.ts";

/** Checks the password in the e-mail's object, which counts failures (E5). Not retried: hashing is costly. */
const checkPassword = async (
  c: Context<AppEnv>,
  email: string,
  attempt: Pick<Attempt, "password" | "hash" | "isEnabled">,
) => {
  const name = await pseudonym(pseudonymKeys(c.var.settings), email);
  const address = await addressPseudonym(c);
  const attempts = c.env.LOGINS.getByName(name);
  const result = attempts.check({ id: crypto.randomUUID(), address, ...attempt });
  try {
    return await withTimeout(c.var.deadline - Date.now(), result);
  } catch (error) {
    throw unavailable("Sign-in is unavailable. Try again in a few seconds.", error);
  }
};

/**
 * Returns the account of an e-mail and its password. A wrong password, an unknown e-mail and a disabled user get
 * the same 401 after the same work (A5).
 * @throws Refusal 401; 429 after too many failures on one e-mail (E5); 503 if a store is unavailable (E2)
 */
export const verifyCredentials = async (
  c: Context<AppEnv>,
  credentials: { email: string; password: string },
): Promise<Account> => {
  const email = credentials.email.toLowerCase();
  const account = await findAccountByEmail(c.var.db, { email });
  const { is: result, retryMs } = await checkPassword(c, email, {
    password: credentials.password,
    hash: account?.password_hash ?? DECOY_HASH,
    isEnabled: account?.ativo ?? false,
  });
  if (result === "throttled") {
    throw tooManyRequests(
      retryMs,
      (wait) => `Too many failed sign-ins with this e-mail. Wait ${wait} seconds, then try again.`,
    );
  }
  if (result === "wrong" || account === undefined) {
    throw unauthorized(
      "The e-mail or the password is wrong. Check both and try again. " +
        "POST /auth/refresh renews tokens without a password.",
    );
  }
  return account;
};
