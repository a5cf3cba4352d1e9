import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { accepts } from "hono/accepts";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { stringify } from "yaml";
import { reading, requireCaller } from "../auth/bearer.ts";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";
import type { Settings } from "../ground/settings.ts";
import { errors, ownText, plainText } from "../http/responses.ts";
import { createRouter } from "../http/router.ts";
import { buildDocument } from "./document.ts";
import { writeLlms } from "./llms.ts";
import pageStyle from "./page/page.css.txt";
import pageScript from "./page/page.js.txt";
import { page } from "./page.ts";

const document = {
  description: "The document",
  content: { "application/yaml": { schema: z.string(), example: "openapi: 3.1.0" } },
};

/** Everything the reference page loads comes from here, and nothing from anywhere else. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const OWN_ASSETS = new Map([
  ["page.css", { text: pageStyle, type: "text/css; charset=utf-8" }],
  ["page.js", { text: pageScript, type: "text/javascript; charset=utf-8" }],
]);
const LIBRARY_ASSETS = ["swagger-ui.css", "swagger-ui-bundle.js", "favicon-32x32.png"];

/** The descriptions of an app, for generators, programs and people, mounted on that app. */
export const describe = (app: OpenAPIHono<AppEnv>) => {
  const docs = createRouter();
  // Built when first asked for, and once: emitting costs tens of milliseconds.
  let texts: { settings: Settings; yaml: string; llms: string } | undefined;
  const emitted = (settings: Settings) => {
    if (texts?.settings !== settings) {
      const document = buildDocument(app, settings);
      // Readers of YAML 1.1 would take an unquoted date for a date; aliases confuse some.
      const yaml = stringify(document, { version: "1.1", aliasDuplicateObjects: false });
      texts = { settings, yaml, llms: writeLlms(document, settings) };
    }
    return texts;
  };

  docs.openapi(
    reading("/openapi.yaml", {}, document, {
      operationId: "openapi",
      summary: "This description",
      description: "The OpenAPI 3.1 document of this service, emitted from its routes.",
    }),
    (c) => ownText(c, emitted(c.var.settings).yaml, "application/yaml"),
  );

  docs.openapi(
    createRoute({
      security: [],
      method: "get",
      path: "/llms.txt",
      operationId: "llms",
      summary: "Instructions for programs",
      description:
        "How to use this service, for AI agents; needs no token. Its endpoints are emitted from the routes.",
      responses: {
        200: {
          description: "The instructions",
          content: { "text/plain": { schema: z.string(), example: "# Salon-to-ERP data service" } },
        },
        ...errors(405, 429, 503),
      },
    }),
    (c) => plainText(c, emitted(c.var.settings).llms),
  );

  docs.get("/docs", async (c) => {
    const wanted = accepts(c, {
      header: "Accept",
      supports: ["application/json", "text/html"],
      default: "application/json",
    });
    // A browser cannot send a token with a page it opens, so it gets the page that asks for one (A2).
    if (wanted !== "text/html") await requireCaller(c, async () => undefined);
    c.header("Content-Security-Policy", PAGE_POLICY);
    c.header("Cache-Control", "no-cache");
    if (c.var.caller === undefined) c.header("WWW-Authenticate", 'Bearer realm="api"');
    return c.html(page, c.var.caller === undefined ? 401 : 200);
  });

  docs.get("/docs/assets/:name", (c) => {
    const asset = OWN_ASSETS.get(c.req.param("name"));
    if (asset === undefined) throw new Refusal(404, "There is no such file.");
    return ownText(c, asset.text, asset.type);
  });

  // Public files of a public library, served as they are.
  docs.get("/docs/assets/swagger-ui-dist/:name", async (c) => {
    const name = c.req.param("name");
    if (!LIBRARY_ASSETS.includes(name)) throw new Refusal(404, "There is no such file.");
    const file = await c.env.ASSETS.fetch(new URL(`/${name}`, c.req.url), { headers: c.req.raw.headers });
    return c.body(
      file.body as ReadableStream,
      file.status as ContentfulStatusCode,
      Object.fromEntries(file.headers),
    );
  });
  return app.route("/", docs);
};
