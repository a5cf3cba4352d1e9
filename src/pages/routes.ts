import type { Context } from "hono";
import { requireCaller } from "../auth/bearer.ts";
import type { AppEnv } from "../core/context.ts";
import { loadPage, pagePolicy, prefersHtml } from "../http/html.ts";
import { createRouter } from "../http/router.ts";

/** Without a token, a client that prefers HTML gets the page with a 401. Others get the usual error (A2). */
const pageRoute = (policy: string, loadHtml: (c: Context<AppEnv>) => Promise<string>) =>
  createRouter().get("/", async (c) => {
    c.header("Vary", "Accept", { append: true });
    // A browser cannot send a token when it opens a page, so it gets the page with the sign-in form.
    if (!prefersHtml(c)) await requireCaller(c, async () => undefined);
    const html = await loadHtml(c);
    c.header("Content-Security-Policy", policy);
    // A page of another origin that opens this one gets no reference to its window.
    c.header("Cross-Origin-Opener-Policy", "same-origin");
    c.header("Cache-Control", "no-cache");
    if (c.var.caller === undefined) c.header("WWW-Authenticate", 'Bearer realm="api"');
    return c.html(html, c.var.caller === undefined ? 401 : 200);
  });

/** Serves `/docs`. Swagger UI needs inline styles, and its stylesheet contains `data:` images. */
export const docsRoutes = pageRoute(pagePolicy({ style: " 'unsafe-inline'", img: " data:" }), async (c) =>
  (await import("./docs.ts")).withSwaggerUi(await loadPage(c, "docs")),
);

export const painelRoutes = pageRoute(pagePolicy({}), (c) => loadPage(c, "painel"));
