// Serves the page and its files without a network. It keeps nothing that the service answers.
declare const self: ServiceWorkerGlobalScope;

/** The page, and the name of the cache: it holds the page, its files and the last picture. */
const PAGE = new URL(self.registration.scope).pathname;

const namesIn = (text: string) => (text.match(/assets\/[\w-]+\.\w+/g) ?? []).map((name) => `/${name}`);

/** The files that a page names, and those that its scripts load later. Their names change with their content. */
const filesOf = async (html: string) => {
  const named = namesIn(html);
  const scripts = named.filter((name) => name.endsWith(".js"));
  const texts = await Promise.all(scripts.map(async (name) => (await fetch(name)).text()));
  return new Set([...named, ...texts.flatMap(namesIn)]);
};

/** Keeps a page with its files, and drops those of older pages. Without the cache, the user has signed out. */
const keep = async (response: Response): Promise<void> => {
  if (!(await caches.has(PAGE))) return;
  const cache = await caches.open(PAGE);
  const files = await filesOf(await response.clone().text());
  const kept = (await cache.keys()).map(({ url }) => new URL(url).pathname);
  await cache.addAll([...files].filter((file) => !kept.includes(file)));
  await cache.put(PAGE, response);
  for (const path of kept) if (path.startsWith("/assets/") && !files.has(path)) await cache.delete(path);
};

/** Without a token, the page has the status 401. */
const isPage = ({ status, headers }: Response) =>
  (status === 200 || status === 401) && (headers.get("Content-Type") ?? "").startsWith("text/html");

const keepNewest = async (): Promise<void> => {
  const response = await fetch(PAGE, { headers: { Accept: "text/html" } });
  if (!isPage(response)) throw new Error(`status ${response.status}`);
  await keep(response);
};

/** A connection without an answer, as in a lift, must not keep the kept page from being shown. */
const PATIENCE_MS = 5000;

const open = async (event: FetchEvent): Promise<Response> => {
  const kept = await caches.match(PAGE, { cacheName: PAGE, ignoreVary: true });
  const controller = new AbortController();
  const timer = kept && setTimeout(() => controller.abort(), PATIENCE_MS);
  try {
    const response = await fetch(event.request, { signal: controller.signal });
    if (isPage(response)) event.waitUntil(keep(response.clone()));
    return response;
  } catch (error) {
    if (kept === undefined) throw error;
    return kept;
  } finally {
    // The body may take longer.
    clearTimeout(timer);
  }
};

self.addEventListener("install", (event) => {
  void self.skipWaiting();
  event.waitUntil(keepNewest());
});

// From a page without a kept shell: a registration that is resumed after a sign-out is not installed again.
self.addEventListener("message", (event) => event.waitUntil(keepNewest()));

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

self.addEventListener("fetch", (event) => {
  const { pathname, origin } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== location.origin) return;
  if (pathname === PAGE && event.request.mode === "navigate") event.respondWith(open(event));
  else if (pathname.startsWith("/assets/"))
    event.respondWith(
      caches.match(event.request, { cacheName: PAGE }).then((kept) => kept ?? fetch(event.request)),
    );
});

export {};
