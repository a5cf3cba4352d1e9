import type { Context, HonoRequest } from "hono";
import type { AppEnv } from "../ground/context.ts";
import { type KeyRing, keyRing, pseudonymKeys, signingKey } from "./keys.ts";
import { openRefreshToken } from "./refresh-token.ts";

const IPV4 = /^(?:\d{1,3}\.){3}\d{1,3}$/;

/** The eight groups of an IPv6 address; undefined for any other text. The URL parser knows every way to write one. */
const groupsOf = (address: string): number[] | undefined => {
  const host = address.includes(":") ? URL.parse(`http://[${address}]`)?.hostname : undefined;
  if (host === undefined) return undefined;
  const [left = [], right] = host
    .slice(1, -1)
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))));
  const gap = Array<number>(8 - left.length - (right?.length ?? 0)).fill(0);
  return right === undefined ? left : [...left, ...gap, ...right];
};

/**
 * A client address as one client: IPv4 whole, IPv6 by its first 56 bits, an IPv4-mapped address as its IPv4 (E3).
 * Whatever is no address falls into one shared bucket.
 */
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

/** A name for something personal that says nothing of it: keys and object names hold no addresses or e-mails. */
export const pseudonym = async (keys: KeyRing, text: string): Promise<string> => {
  const mac = await crypto.subtle.sign(
    "HMAC",
    await signingKey(keys).pseudonym,
    new TextEncoder().encode(text),
  );
  return new Uint8Array(mac, 0, 16).toHex();
};

/** The address a request came from as the platform saw it, no other header being trusted (E3), by a name that hides it. */
export const addressName = (c: Context<AppEnv>): Promise<string> =>
  pseudonym(pseudonymKeys(c.var.settings), normalizeAddress(c.req.header("CF-Connecting-IP")));

/**
 * Whether a browser sent the request for a page of another origin. Browsers set these headers, and pages cannot change
 * them (Fetch Metadata). A prefetch by speculation rules says `none`; the handshake of a WebSocket has an `Origin` alone.
 */
const isFromOtherOrigin = (req: HonoRequest): boolean => {
  const site = req.header("Sec-Fetch-Site");
  const origin = req.header("Origin");
  if (site === undefined) return origin !== undefined && origin !== new URL(req.url).origin;
  const isPrefetch = /^prefetch\b/.test(req.header("Sec-Purpose") ?? "");
  return site === "cross-site" || site === "same-site" || (site === "none" && isPrefetch);
};

/**
 * The address a request came from, as a client (E3). Requests from pages of other origins are a second client, so that
 * no page uses up the address's own quota.
 */
export const addressClient = async (c: Context<AppEnv>): Promise<string> =>
  `${isFromOtherOrigin(c.req) ? "cross-origin" : "address"}:${await addressName(c)}`;

/** The family a refresh request presents, if the token is one we signed. */
const familyOf = async (c: Context<AppEnv>): Promise<string | undefined> => {
  if (c.req.method !== "POST" || c.req.path !== "/auth/refresh") return undefined;
  const { refresh_token } = await c.req
    .json<{ refresh_token?: unknown }>()
    .catch(() => ({ refresh_token: undefined }));
  if (typeof refresh_token !== "string") return undefined;
  return (await openRefreshToken(keyRing(c.var.settings.TOKEN_KEYS), refresh_token))?.family;
};

/** Who is asking: the user of a valid token, the family of a well-signed refresh token, or the address (E3). */
export const clientOf = async (c: Context<AppEnv>): Promise<string> => {
  const { caller } = c.var;
  if (caller) return `user:${caller.id}`;
  const family = await familyOf(c);
  if (family !== undefined) return `family:${family}`;
  return addressClient(c);
};
