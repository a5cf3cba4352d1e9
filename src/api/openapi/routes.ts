import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { parseAccept } from "hono/utils/accept";
import { protectedGet } from "../../access/auth/bearer.ts";
import type { AppEnv } from "../../core/context.ts";
import type { Settings } from "../../core/settings.ts";
import { errorResponses, sendPlainText, sendText } from "../../platform/http/responses.ts";
import { createRouter } from "../../platform/http/router.ts";

const document = {
  description: "The OpenAPI document",
  content: { "application/yaml": { schema: z.string(), example: "openapi: 3.1.0" } },
};

type AllRoutes = () => Promise<OpenAPIHono<AppEnv>>;

let cached: { settings: Settings; yaml: string; llms: string } | undefined;

/** Builds both documents once: loading and running the generators takes tens of milliseconds. */
const loadDocuments = async (allRoutes: AllRoutes, settings: Settings) => {
  if (cached?.settings !== settings) {
    const [{ buildDocument }, { writeLlms }, { shareComponents }, { stringify }] = await Promise.all([
      import("./document.ts"),
      import("./llms.ts"),
      import("./share.ts"),
      import("yaml"),
    ]);
    const document = buildDocument(await allRoutes(), settings);
    // Version 1.1 quotes dates, because YAML 1.1 parsers convert them. Some parsers do not support aliases.
    const llms = writeLlms(document, settings);
    const yaml = stringify(shareComponents(document), { version: "1.1", aliasDuplicateObjects: false });
    cached = { settings, yaml, llms };
  }
  return cached;
};

/** The platform replaces `Accept-Encoding` of the request, and keeps that of the client in `cf`. */
const acceptsGzip = (c: Context): boolean => {
  const accepted = c.req.raw.cf?.clientAcceptEncoding ?? c.req.header("Accept-Encoding") ?? "";
  const encodings = parseAccept(String(accepted));
  const find = (name: string) => encodings.find(({ type }) => type.toLowerCase() === name);
  return ((find("gzip") ?? find("*"))?.q ?? 0) > 0;
};

export const openapi = (allRoutes: AllRoutes) =>
  createRouter().openapi(
    protectedGet({
      path: "/",
      request: {},
      response: document,
      operationId: "openapi",
      summary: "Get the OpenAPI document",
      description: "Returns this OpenAPI 3.1 document, which is generated from the routes.",
    }),
    async (c) => {
      c.header("Vary", "Accept-Encoding", { append: true });
      const { yaml } = await loadDocuments(allRoutes, c.var.settings);
      const response = await sendText(c, yaml, "application/yaml");
      // The platform does not compress YAML by itself, but applies the encoding that a response declares.
      if (response.status === 200 && acceptsGzip(c)) response.headers.set("Content-Encoding", "gzip");
      return response;
    },
  );

export const llms = (allRoutes: AllRoutes) =>
  createRouter().openapi(
    createRoute({
      security: [],
      method: "get",
      path: "/",
      operationId: "llms",
      summary: "Get instructions for AI agents",
      description:
        "Returns instructions for AI agents. Needs no token. The list of endpoints is generated from the routes.",
      responses: {
        200: {
          description: "The instructions",
          content: { "text/plain": { schema: z.string(), example: "# Salon-to-ERP data service" } },
        },
        ...errorResponses(405, 429, 503),
      },
    }),
    async (c) => sendPlainText(c, (await loadDocuments(allRoutes, c.var.settings)).llms),
  );
