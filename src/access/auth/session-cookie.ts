import type { Context } from "hono";
import { deleteCookie, setCookie } from "hono/cookie";
import type { CookieOptions } from "hono/utils/cookie";
import { Refusal } from "../../core/errors.ts";
import { REFRESH_TOKEN_LIFETIME } from "./refresh-token.ts";

const NAME = "session";
const PATH = "/auth/browser";

const isHttps = (c: Context) => new URL(c.req.url).protocol === "https:";

/** Scripts cannot read the cookie, and requests of other sites do not carry it (A12). */
const optionsOf = (c: Context): CookieOptions => ({
  path: PATH,
  httpOnly: true,
  sameSite: "Strict",
  ...(isHttps(c) && { secure: true, prefix: "secure" as const }),
});

/** The values of all cookies of this name. A page of a sibling domain can add one with the same name. */
export const readSessionCookies = (c: Context): string[] => {
  const name = `${isHttps(c) ? "__Secure-" : ""}${NAME}=`;
  // The runtime joins several header lines with a comma.
  const cookies = (c.req.header("Cookie") ?? "").split(/[;,]/).map((cookie) => cookie.trim());
  return cookies.filter((cookie) => cookie.startsWith(name)).map((cookie) => cookie.slice(name.length));
};

/** The refresh token of the session that this browser keeps, if any. @throws Refusal 400 for several cookies */
export const readSessionCookie = (c: Context): string | undefined => {
  const [value, ...others] = readSessionCookies(c);
  if (others.length > 0)
    throw new Refusal(
      400,
      "Several session cookies were sent. Delete the cookies of this site, then sign in again.",
    );
  return value;
};

export const setSessionCookie = (c: Context, refreshToken: string): void =>
  setCookie(c, NAME, refreshToken, { ...optionsOf(c), maxAge: REFRESH_TOKEN_LIFETIME });

export const deleteSessionCookie = (c: Context): void => void deleteCookie(c, NAME, optionsOf(c));
