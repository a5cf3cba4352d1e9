import type { Context } from "hono";
import { requireCaller } from "../../access/auth/bearer.ts";
import type { AppEnv } from "../../core/context.ts";
import { loadPage, pagePolicy, prefersHtml } from "../../platform/http/html.ts";
import { createRouter } from "../../platform/http/router.ts";

/**
 * Without a token, a client that prefers HTML gets the page. Others get the usual error (A2).
 * @param withoutToken the status of the page without a token
 */
const pageRoute = (
  policy: string,
  withoutToken: 200 | 401,
  loadHtml: (c: Context<AppEnv>) => Promise<string>,
) =>
  createRouter().get("/", async (c) => {
    c.header("Vary", "Accept", { append: true });
    // A browser cannot send a token when it opens a page, so it gets the page with the sign-in form.
    if (!prefersHtml(c)) await requireCaller(c, async () => undefined);
    const html = await loadHtml(c);
    c.header("Content-Security-Policy", policy);
    // A page of another origin that opens this one gets no reference to its window.
    c.header("Cross-Origin-Opener-Policy", "same-origin");
    c.header("Cache-Control", "no-cache");
    const status = c.var.caller === undefined ? withoutToken : 200;
    if (status === 401) c.header("WWW-Authenticate", 'Bearer realm="api"');
    return c.html(html, status);
  });

/** Serves `/docs`. Swagger UI needs inline styles, and its stylesheet contains `data:` images. */
export const docsRoutes = pageRoute(
  pagePolicy({ style: " 'unsafe-inline'", img: " data:" }),
  401,
  async (c) => (await import("./docs.ts")).fillDocs(await loadPage(c, "docs")),
);

/** The page has no data, and a browser logs each 401 as an error: it is a 200, as any other file. */
export const painelRoutes = pageRoute(pagePolicy({}), 200, (c) => loadPage(c, "painel"));
