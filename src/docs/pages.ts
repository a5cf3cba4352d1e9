import type { Context } from "hono";
import { accepts } from "hono/accepts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { requireCaller } from "../auth/bearer.ts";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";
import { createRouter } from "../http/router.ts";

/** Where pages load from: this origin, and nothing from anywhere else but what is named here, by kind. */
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

/** Pages by path. Swagger UI writes styles into its elements, and has images in its stylesheet. */
const PAGES = {
  "/docs": policyOf({ style: " 'unsafe-inline'", img: " data:" }),
  "/painel": policyOf({}),
};

/** The files of `src/assets` that anybody may have: what is not here stays, whatever lies there. */
export const PUBLIC = [
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

/**
 * A file of `src/assets`.
 * @param headers the reader's, so that a file can be a 304; left out for a page, which must come whole
 */
const assetOf = (c: Context<AppEnv>, path: string, headers?: Headers) =>
  c.env.ASSETS.fetch(new URL(path, c.req.url), headers ? { headers } : {});

/** The pages for people, and what they are made of: files as they are, none of them in the Worker (A2). */
export const pages = createRouter();

for (const [path, policy] of Object.entries(PAGES)) {
  pages.get(path, async (c) => {
    c.header("Vary", "Accept", { append: true });
    const wanted = accepts(c, {
      header: "Accept",
      supports: ["application/json", "text/html"],
      default: "application/json",
    });
    // A browser cannot send a token with a page it opens, so it gets the page that asks for one (A2).
    if (wanted !== "text/html") await requireCaller(c, async () => undefined);
    const page = await assetOf(c, `${path}/index.html`);
    c.header("Content-Security-Policy", policy);
    // A page of another origin that opened this one cannot navigate its tab.
    c.header("Cross-Origin-Opener-Policy", "same-origin");
    c.header("Cache-Control", "no-cache");
    if (c.var.caller === undefined) c.header("WWW-Authenticate", 'Bearer realm="api"');
    return c.html(await page.text(), c.var.caller === undefined ? 401 : 200);
  });
}

pages.get("/assets/*", async (c) => {
  const path = c.req.path.slice("/assets/".length);
  if (!PUBLIC.includes(path)) throw new Refusal(404, "There is no such file.");
  const file = await assetOf(c, `/${path}`, c.req.raw.headers);
  for (const name of ["Content-Type", "ETag", "Cache-Control"])
    c.header(name, file.headers.get(name) ?? undefined);
  return c.body(file.body as ReadableStream, file.status as ContentfulStatusCode);
});
