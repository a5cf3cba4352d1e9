// The tokens of a session and their renewal. A page keeps them in memory. If the user chose to stay signed in, the
// browser keeps the refresh token in a cookie that no script can read.
import { forgetFiles } from "./kept-files.ts";
import { hearTime } from "./service-clock.ts";

type Tokens = { access_token: string; refresh_token?: string; expires_in: number };
/** What the user may read; `units` null means all. */
export type Rights = { units: string[] | null; personalData: boolean; payments: boolean };
type Claims = { sub: string; sid: string; iat: number; email: string; rights: Rights };
/** `keep` means to stay signed in. */
type SignIn = { email: string; password: string; keep: boolean };
/** The session expired, or in another tab the user signed out or somebody else signed in. */
type Events = { onExpired(): void; onSignedOut(): void; onOtherUser(): void };

/** Renew this long before expiry, so that a token does not expire in transit. */
const RENEW_EARLY_MS = 30_000;
/** Longer than the service's own time limit for a request. */
const TIMEOUT_MS = 15_000;
/**
 * The mark that this browser keeps a session: whose it is (`sub`), or `ENDING` if the user signed out but the service
 * did not respond. Not a secret.
 */
const MARK = "session-kept";
const ENDING = "ending";

/** Storage can be blocked: then there is no value. */
export const withStorage = <Value>(use: () => Value): Value | null => {
  try {
    return use();
  } catch {
    return null;
  }
};
const readMark = () => withStorage(() => localStorage.getItem(MARK));
/** Sets or removes the mark. What the browser keeps for the user that it named goes with it. */
const setMark = async (value: string | null): Promise<void> => {
  const last = readMark();
  withStorage(() => (value === null ? localStorage.removeItem(MARK) : localStorage.setItem(MARK, value)));
  if (last !== null && last !== value) await forgetFiles();
};
/** The id of the user whose session this browser keeps; "" if it keeps none. */
export const keptSub = (): string => {
  const kept = readMark() ?? "";
  return kept === ENDING ? "" : kept;
};
export const isKept = (): boolean => keptSub() !== "";

/** Ends the session in the cookie. Resolves to whether the service did so; otherwise the next page tries again. */
const endKept = async (): Promise<boolean> => {
  const forgotten = setMark(ENDING);
  const hasEnded = await post("/auth/browser/logout", undefined).then(
    ({ ok }) => ok,
    () => false,
  );
  await forgotten;
  if (hasEnded) await setMark(null);
  return hasEnded;
};
/** Ends a session that an earlier page could not end. */
export const endForgotten = (): void => void (readMark() === ENDING && endKept());

/** The claims of an access token. The service checks them: the page only hides what it would not get. */
const claimsOf = (token: string): Claims => {
  const payload = (token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  const bytes = Uint8Array.from(atob(payload), (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes));
};

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    // A page that closes meanwhile must not lose the new cookie: the old one works for another minute only.
    keepalive: true,
  });

/** Tabs renew one after the other: each then sends the newest cookie. Locks need https or loopback. */
const oneTabAtATime = (send: () => Promise<Response>): Promise<Response> =>
  navigator.locks
    ? navigator.locks.request("session-renewal", { signal: AbortSignal.timeout(2 * TIMEOUT_MS) }, send)
    : send();

/** What a page holds of its session. */
type Held = {
  tokens?: Tokens | undefined;
  claims?: Claims | undefined;
  expiresAt: number;
  /** Counts the changes of the tokens. */
  version: number;
  keeps: boolean;
};

const discard = (held: Held): void => {
  Object.assign(held, { tokens: undefined, claims: undefined, version: held.version + 1, keeps: false });
};

const store = (held: Held, tokens: Tokens, { onExpired, onOtherUser }: Events) => {
  const claims = claimsOf(tokens.access_token);
  // Somebody else signed in with another tab, or a page of another site planted a cookie.
  if (held.claims && held.claims.sub !== claims.sub) return onOtherUser();
  if (held.keeps && isKept() && keptSub() !== claims.sub) {
    discard(held);
    void endKept();
    return onExpired();
  }
  held.version += 1;
  Object.assign(held, { tokens, claims, expiresAt: performance.now() + tokens.expires_in * 1000 });
  hearTime(claims.iat * 1000);
};

const requestRenewal = ({ keeps, tokens }: Held): Promise<Response> =>
  keeps
    ? oneTabAtATime(() => post("/auth/browser/refresh", undefined))
    : post("/auth/refresh", { refresh_token: tokens?.refresh_token });

/** Resolves to the response if the renewal was refused. */
const renewHeld = async (held: Held, events: Events): Promise<Response | undefined> => {
  const { version } = held;
  const response = await requestRenewal(held);
  // The user signed out in the meantime: discard the new tokens.
  if (held.version !== version) return new Response(null, { status: 401 });
  if (response.status === 401) {
    if (held.keeps) void setMark(null);
    discard(held);
    events.onExpired();
  }
  if (!response.ok) return response;
  store(held, await response.json(), events);
};

export const openTokens = (events: Events) => {
  const held: Held = { expiresAt: 0, version: 0, keeps: false };
  let renewal: Promise<Response | undefined> | undefined;

  /** Renews the tokens; concurrent calls share one request. Resolves to the response if the renewal was refused. */
  const renew = (): Promise<Response | undefined> => {
    renewal ??= renewHeld(held, events).finally(() => {
      renewal = undefined;
    });
    return renewal;
  };

  /** Continues the session that this browser keeps. Resolves to the response if it was refused. */
  const resume = () => {
    held.keeps = true;
    return renew();
  };

  /** Resolves to the response if it was refused. */
  const signIn = async ({ keep, ...credentials }: SignIn): Promise<Response | undefined> => {
    const response = await post(keep ? "/auth/browser/login" : "/auth/login", credentials);
    if (!response.ok) return response;
    // An earlier session, perhaps of somebody else, must not come back after a reload.
    if (!keep && readMark() !== null) await endKept();
    const issued: Tokens = await response.json();
    if (keep) await setMark(claimsOf(issued.access_token).sub);
    held.keeps = keep;
    store(held, issued, events);
  };

  /**
   * `fetch` with the access token. Renews the token shortly before it expires, and after a 401, then retries once. If
   * the renewal is refused, resolves to that response.
   */
  const authorizedFetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const send = () => {
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${held.tokens?.access_token}`);
      // What this user read must not be in the browser's cache for the next one.
      return fetch(url, { ...init, headers, cache: "no-store" });
    };
    if (held.tokens && performance.now() > held.expiresAt - RENEW_EARLY_MS) {
      const refusal = await renew();
      if (refusal) return refusal;
    }
    const response = await send();
    if (response.status !== 401 || !held.tokens) return response;
    return (await renew()) ?? send();
  };

  /** Forgets the tokens. Resolves to whether the service ended the session. */
  const signOut = async (): Promise<boolean> => {
    const hasEnded = held.keeps
      ? await endKept()
      : await authorizedFetch("/auth/logout", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ refresh_token: held.tokens?.refresh_token }),
        }).then(
          ({ ok }) => ok,
          () => false,
        );
    discard(held);
    return hasEnded;
  };

  addEventListener("storage", ({ key, newValue }) => {
    if (key !== MARK || !held.keeps || newValue === held.claims?.sub) return;
    if (newValue !== null && newValue !== ENDING) return events.onOtherUser();
    discard(held);
    events.onSignedOut();
  });

  return {
    signIn,
    resume,
    signOut,
    fetch: authorizedFetch,
    current: () => held.tokens,
    claims: () => held.claims,
  };
};
