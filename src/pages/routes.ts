import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { requireCaller } from "../auth/bearer.ts";
import type { AppEnv } from "../core/context.ts";
import { Refusal } from "../core/errors.ts";
import { createRouter } from "../http/router.ts";

/** The Content-Security-Policy of a page: this origin only, plus the given style and image sources. */
const policyOf = ({ style = "", img = "" }: { style?: string; img?: string }) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${style}`,
    `img-src 'self'${img}`,
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");

/** Allow-list of public files in `src/assets`. Other files are not served (A1). */
export const PUBLIC_FILES = [
  "page.css",
  "session.js",
  "docs/page.js",
  "painel/answers.js",
  "painel/chart.js",
  "painel/form.js",
  "painel/format.js",
  "painel/freshness.js",
  "painel/icon.svg",
  "painel/page.css",
  "painel/page.js",
  "painel/print.css",
  "painel/service.js",
  "painel/show.js",
  "painel/table.js",
  "painel/view.js",
  "painel/words.js",
  "swagger-ui-dist/favicon-32x32.png",
  "swagger-ui-dist/swagger-ui-bundle.js",
  "swagger-ui-dist/swagger-ui.css",
  "uplot/uPlot.iife.min.js",
  "uplot/uPlot.min.css",
];

/** @param headers request headers, which allow a 304; omit them to always get the file */
const fetchAsset = (c: Context<AppEnv>, path: string, headers?: Headers) =>
  c.env.ASSETS.fetch(new URL(path, c.req.url), headers ? { headers } : {});

/** Without a token, a client that prefers HTML gets the page with a 401. Others get the usual error (A2). */
const pageRoute = (policy: string, loadHtml: (c: Context<AppEnv>) => Promise<string>) =>
  createRouter().get("/", async (c) => {
    c.header("Vary", "Accept", { append: true });
    const preferred = accepts(c, {
      header: "Accept",
      supports: ["application/json", "text/html"],
      default: "application/json",
    });
    // A browser cannot send a token when it opens a page, so it gets the page with the sign-in form.
    if (preferred !== "text/html") await requireCaller(c, async () => undefined);
    const html = await loadHtml(c);
    c.header("Content-Security-Policy", policy);
    // A page of another origin that opens this one gets no reference to its window.
    c.header("Cross-Origin-Opener-Policy", "same-origin");
    c.header("Cache-Control", "no-cache");
    if (c.var.caller === undefined) c.header("WWW-Authenticate", 'Bearer realm="api"');
    return c.html(html, c.var.caller === undefined ? 401 : 200);
  });

/** Serves `/docs`. Swagger UI needs inline styles, and its stylesheet contains `data:` images. */
export const docsRoutes = pageRoute(
  policyOf({ style: " 'unsafe-inline'", img: " data:" }),
  async () => (await import("./docs.ts")).docsPage,
);

export const painelRoutes = pageRoute(policyOf({}), async (c) =>
  (await fetchAsset(c, "/painel/index.html")).text(),
);

export const assetsRoutes = createRouter().get("/*", async (c) => {
  const path = c.req.path.slice("/assets/".length);
  if (!PUBLIC_FILES.includes(path)) throw new Refusal(404, "This file does not exist. Check the path.");
  const file = await fetchAsset(c, `/${path}`, c.req.raw.headers);
  for (const name of ["Content-Type", "ETag", "Cache-Control"])
    c.header(name, file.headers.get(name) ?? undefined);
  return c.body(file.body as ReadableStream, file.status as ContentfulStatusCode);
});
