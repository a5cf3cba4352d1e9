// What the panel keeps in this browser for a user who stays signed in: the shell, by the service worker, and the last
// picture of Início. Signing out, a refused renewal and an age of a day delete both.
import type { Rights } from "../tokens.ts";
import type { Clock } from "./view.ts";

/** The last answer of Início, and of whom it is. */
export type Picture = {
  sub: string;
  email: string;
  rights: Rights;
  /** Where the user was, and when. */
  search: string;
  clock: Clock;
  path: string;
  body: unknown;
  /** When the service sent or confirmed it, by `Date.now()`. */
  at: number;
};

const SCRIPT = "/service-worker.js";
/** Also the name of the cache that the service worker uses. */
const SCOPE = "/painel";
const PICTURE = "/painel/last-picture";
const MAX_AGE_MS = 86_400_000;

/** Storage can be blocked, or full: then the panel works without it. */
const orNothing = <Value>(use: () => Promise<Value>): Promise<Value | undefined> =>
  use().catch(() => undefined);

/** Forgets the shell and the picture. */
export const forget = async (): Promise<void> => {
  await orNothing(() => caches.delete(SCOPE));
  await orNothing(async () => (await navigator.serviceWorker.getRegistration(SCOPE))?.unregister());
};

/** Has the service worker keep the shell. */
export const keepShell = (): void =>
  void orNothing(async () => navigator.serviceWorker.register(SCRIPT, { scope: SCOPE }));

export const keepPicture = (picture: Picture): void =>
  void orNothing(async () => {
    const cache = await caches.open(SCOPE);
    await cache.put(PICTURE, new Response(JSON.stringify(picture)));
  });

/** The last picture of a user; undefined if there is none of the last day. */
export const lastPicture = async (sub: string): Promise<Picture | undefined> => {
  const picture = await orNothing(async (): Promise<Picture | undefined> => {
    const response = await caches.match(PICTURE, { cacheName: SCOPE });
    return response?.json();
  });
  if (picture?.sub === sub && Date.now() - picture.at < MAX_AGE_MS) return picture;
  if (picture) await forget();
  return undefined;
};
