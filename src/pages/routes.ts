import type { Context } from "hono";
import { requireCaller } from "../auth/bearer.ts";
import type { AppEnv } from "../core/context.ts";
import { createRouter } from "../http/router.ts";
import { loadPage, prefersHtml } from "./html.ts";

/** The Content-Security-Policy of a page: this origin only, plus the given style and image sources. */
const policyOf = ({ style = "", img = "" }: { style?: string; img?: string }) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${style}`,
    `img-src 'self'${img}`,
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

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
export const docsRoutes = pageRoute(policyOf({ style: " 'unsafe-inline'", img: " data:" }), async (c) =>
  (await import("./docs.ts")).withSwaggerUi(await loadPage(c, "docs")),
);

export const painelRoutes = pageRoute(policyOf({}), (c) => loadPage(c, "painel"));
