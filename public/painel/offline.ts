// What the panel keeps in this browser for a user who stays signed in: the shell, by the service worker, and the last
// picture of Início. Signing out, an ended session and an age of a day delete both.
import { forgetFiles, orNothing, SCOPE } from "../kept-files.ts";
import { keptSub, type Rights } from "../tokens.ts";
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
  /** When the service sent or confirmed it, by `serviceNow()`. */
  at: number;
  /** The same by `Date.now()`: until the session is continued, no other clock says how old the picture is. */
  keptAt: number;
};

const SCRIPT = "/service-worker.js";
const PICTURE = "/painel/last-picture";
const MAX_AGE_MS = 86_400_000;

/** Writes for a user who stays signed in. What was written while they signed out is deleted again. */
const keepFor = async (sub: string, write: () => Promise<unknown>): Promise<void> => {
  if (sub === "" || keptSub() !== sub) return;
  await orNothing(write);
  if (keptSub() !== sub) await forgetFiles();
};

export const keepPicture = (picture: Picture): Promise<void> =>
  keepFor(picture.sub, async () => {
    const cache = await caches.open(SCOPE);
    await cache.put(PICTURE, new Response(JSON.stringify(picture)));
  });

/** The last picture of a user. One of somebody else, or older than a day, is deleted. */
export const lastPicture = async (sub: string): Promise<Picture | undefined> => {
  const picture = await orNothing(async (): Promise<Picture | undefined> => {
    const response = await caches.match(PICTURE, { cacheName: SCOPE });
    return response?.json();
  });
  if (picture?.sub === sub && Math.abs(Date.now() - picture.keptAt) < MAX_AGE_MS) return picture;
  if (picture) await forgetFiles();
  return undefined;
};

/** Has the service worker keep the shell if the user stays signed in; otherwise deletes what an earlier one left. */
export const keepShell = async (sub: string): Promise<void> => {
  if (keptSub() !== sub) return keptSub() === "" ? forgetFiles() : undefined;
  await lastPicture(sub);
  await keepFor(sub, async () => {
    // The service worker writes only into a cache that is there.
    await caches.open(SCOPE);
    const { active } = await navigator.serviceWorker.register(SCRIPT, { scope: SCOPE });
    if (active && !(await caches.match(SCOPE, { cacheName: SCOPE, ignoreVary: true })))
      active.postMessage("keep");
  });
};
