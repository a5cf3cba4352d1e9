// The tokens of a session and their renewal. A page keeps them in memory. If the user chose to stay signed in, the
// browser keeps the refresh token in a cookie that no script can read.
import { forgetFiles } from "./kept-files.ts";
import { hearTime } from "./service-clock.ts";

type Tokens = { access_token: string; refresh_token?: string; expires_in: number };
/** What the user may read; `units` null means all. */
export type Rights = { units: string[] | null; personalData: boolean; payments: boolean };
type Claims = { sub: string; sid: string; iat: number; email: string; rights: Rights };
type Credentials = { email: string; password: string };
/** The session expired, or changed in another tab. */
type Events = { onExpired(): void; onOtherTab(isSignedOut: boolean): void };

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

export const openTokens = ({ onExpired, onOtherTab }: Events) => {
  let tokens: Tokens | undefined;
  let claims: Claims | undefined;
  let renewal: Promise<Response | undefined> | undefined;
  let expiresAt = 0;
  /** Counts the changes of the tokens. */
  let version = 0;
  let keeps = false;

  const store = (issued: Tokens) => {
    const next = claimsOf(issued.access_token);
    // Somebody else signed in with another tab, or a page of another site planted a cookie.
    if (claims && claims.sub !== next.sub) return onOtherTab(false);
    if (keeps && isKept() && keptSub() !== next.sub) return refuseForeign();
    version += 1;
    tokens = issued;
    claims = next;
    expiresAt = performance.now() + issued.expires_in * 1000;
    hearTime(next.iat * 1000);
  };
  const discard = () => {
    version += 1;
    tokens = undefined;
    claims = undefined;
    keeps = false;
  };

  const refuseForeign = () => {
    discard();
    void endKept();
    onExpired();
  };

  const requestRenewal = () =>
    keeps
      ? oneTabAtATime(() => post("/auth/browser/refresh", undefined))
      : post("/auth/refresh", { refresh_token: tokens?.refresh_token });

  /** Renews the tokens; concurrent calls share one request. Resolves to the response if the renewal was refused. */
  const renew = (): Promise<Response | undefined> => {
    const previous = version;
    renewal ??= requestRenewal()
      .then(async (response) => {
        // The user signed out in the meantime: discard the new tokens.
        if (version !== previous) return new Response(null, { status: 401 });
        if (response.status === 401) {
          if (keeps) void setMark(null);
          discard();
          onExpired();
        }
        if (!response.ok) return response;
        store(await response.json());
      })
      .finally(() => {
        renewal = undefined;
      });
    return renewal;
  };

  /** Continues the session that this browser keeps. Resolves to the response if it was refused. */
  const resume = () => {
    keeps = true;
    return renew();
  };

  /** Resolves to the response if it was refused. `keep` means to stay signed in. */
  const signIn = async (credentials: Credentials, keep: boolean): Promise<Response | undefined> => {
    const response = await post(keep ? "/auth/browser/login" : "/auth/login", credentials);
    if (!response.ok) return response;
    // An earlier session, perhaps of somebody else, must not come back after a reload.
    if (!keep && readMark() !== null) await endKept();
    const issued: Tokens = await response.json();
    if (keep) await setMark(claimsOf(issued.access_token).sub);
    keeps = keep;
    store(issued);
  };

  /**
   * `fetch` with the access token. Renews the token shortly before it expires, and after a 401, then retries once. If
   * the renewal is refused, resolves to that response.
   */
  const authorizedFetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const send = () => {
      const headers = new Headers(init.headers);
      headers.set("Authorization", `Bearer ${tokens?.access_token}`);
      // What this user read must not be in the browser's cache for the next one.
      return fetch(url, { ...init, headers, cache: "no-store" });
    };
    if (tokens && performance.now() > expiresAt - RENEW_EARLY_MS) {
      const refusal = await renew();
      if (refusal) return refusal;
    }
    const response = await send();
    if (response.status !== 401 || !tokens) return response;
    return (await renew()) ?? send();
  };

  /** Forgets the tokens. Resolves to whether the service ended the session. */
  const signOut = async (): Promise<boolean> => {
    const hasEnded = keeps
      ? await endKept()
      : await authorizedFetch("/auth/logout", {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body: JSON.stringify({ refresh_token: tokens?.refresh_token }),
        }).then(
          ({ ok }) => ok,
          () => false,
        );
    discard();
    return hasEnded;
  };

  addEventListener("storage", ({ key, newValue }) => {
    if (key !== MARK || !keeps || newValue === claims?.sub) return;
    const isSignedOut = newValue === null || newValue === ENDING;
    if (isSignedOut) discard();
    onOtherTab(isSignedOut);
  });

  return { signIn, resume, signOut, fetch: authorizedFetch, current: () => tokens, claims: () => claims };
};
