import { Buffer } from "node:buffer";
import type { Context, HonoRequest } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { type KeyRing, keyRing, pseudonymKeys, signingKey } from "./keys.ts";
import { openRefreshToken, type SessionKind } from "./refresh-token.ts";
import { readSessionCookie } from "./session-cookie.ts";

const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;

/** Returns the eight groups of an IPv6 address. The URL parser accepts every valid notation. */
const groupsOf = (address: string): number[] | undefined => {
  const host = address.includes(":") ? URL.parse(`http://[${address}]`)?.hostname : undefined;
  if (host === undefined) return undefined;
  const [left = [], right] = host
    .slice(1, -1)
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))));
  const zeros = Array<number>(8 - left.length - (right?.length ?? 0)).fill(0);
  return right === undefined ? left : [...left, ...zeros, ...right];
};

/** Returns an IPv4 address, the first 56 bits of an IPv6 address, or "unknown" for any other string (E3). */
export const normalizeAddress = (header: string | undefined): string => {
  const address = header?.trim() ?? "";
  if (IPV4.test(address)) return address;
  const groups = groupsOf(address);
  if (groups === undefined) return "unknown";
  const [a = 0, b = 0, c = 0, d = 0, e, f, g = 0, h = 0] = groups;
  const isMapped = a + b + c + d + (e ?? 0) === 0 && f === 0xffff;
  if (isMapped) return [g >> 8, g & 255, h >> 8, h & 255].join(".");
  return `${[a, b, c, d & 0xff00].map((group) => group.toString(16)).join(":")}::/56`;
};

/** Returns a keyed hash (HMAC) in hex, so that keys and object names contain no addresses or e-mails. */
export const pseudonym = async (keys: KeyRing, text: string): Promise<string> => {
  const mac = await crypto.subtle.sign(
    "HMAC",
    await signingKey(keys).pseudonym,
    new TextEncoder().encode(text),
  );
  return Buffer.from(mac.slice(0, 16)).toString("hex");
};

/** The pseudonym of the client's address. Trusts only Cloudflare's header: clients can forge others (E3). */
export const addressPseudonym = (c: Context<AppEnv>): Promise<string> =>
  pseudonym(pseudonymKeys(c.var.settings), normalizeAddress(c.req.header("CF-Connecting-IP")));

// Pages cannot change these headers (Fetch Metadata). A prefetch by speculation rules has the site `none`,
// and a WebSocket handshake has only `Origin`.
const isFromOtherOrigin = (req: HonoRequest): boolean => {
  const site = req.header("Sec-Fetch-Site");
  const origin = req.header("Origin");
  if (site === undefined) return origin !== undefined && origin !== new URL(req.url).origin;
  const isPrefetch = /^prefetch\b/.test(req.header("Sec-Purpose") ?? "");
  return site === "cross-site" || site === "same-site" || (site === "none" && isPrefetch);
};

/** Pages of other origins count as a second client, so they cannot use up the address's own quota (E3). */
export const addressCounterName = async (c: Context<AppEnv>): Promise<string> =>
  `${isFromOtherOrigin(c.req) ? "cross-origin" : "address"}:${await addressPseudonym(c)}`;

/** How the refresh token of each kind of session arrives. */
const REFRESH_TOKENS: Record<SessionKind, (c: Context<AppEnv>) => Promise<unknown>> = {
  api: async (c) => (await c.req.json<{ refresh_token?: unknown }>()).refresh_token,
  browser: async (c) => readSessionCookie(c),
  oauth: async (c) => {
    const form = new URLSearchParams(await c.req.text());
    return form.get("grant_type") === "refresh_token" && form.get("refresh_token");
  },
};

const familyOf = async (c: Context<AppEnv>): Promise<string | undefined> => {
  const { renews } = c.var.policy;
  if (renews === undefined || c.req.method !== "POST") return undefined;
  const refreshToken = await REFRESH_TOKENS[renews](c).catch(() => undefined);
  if (typeof refreshToken !== "string") return undefined;
  return (await openRefreshToken(keyRing(c.var.settings.TOKEN_KEYS), renews, refreshToken))?.family;
};

export const userCounterName = (identity: string): string => `user:${identity}`;

/** The counter of a registered OAuth client's wrong secrets (A14). */
export const oauthClientCounterName = (clientId: string): string => `client:${clientId}`;

/** The name of the counter: of the user, of the family of a refresh token we signed, or of the address (E3). */
export const counterNameOf = async (c: Context<AppEnv>): Promise<string> => {
  const { caller } = c.var;
  if (caller) return userCounterName(caller.identity);
  const family = await familyOf(c);
  if (family !== undefined) return `family:${family}`;
  return addressCounterName(c);
};
