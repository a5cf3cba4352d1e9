// The cache and the service worker of /painel in this browser, for a user who stays signed in.

/** The scope of the service worker, and the name of its cache. */
export const SCOPE = "/painel";

/** Storage can be blocked, or full: then the pages work without it. */
export const orNothing = async <Value>(use: () => Promise<Value>): Promise<Value | undefined> => {
  try {
    return await use();
  } catch {
    return undefined;
  }
};

/** Deletes both. */
export const forgetFiles = async (): Promise<void> => {
  await orNothing(async () => (await navigator.serviceWorker.getRegistration(SCOPE))?.unregister());
  await orNothing(() => caches.delete(SCOPE));
};
