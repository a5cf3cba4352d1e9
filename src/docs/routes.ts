import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { protectedGet } from "../auth/bearer.ts";
import type { AppEnv } from "../core/context.ts";
import type { Settings } from "../core/settings.ts";
import { errors, ownText, plainText } from "../http/responses.ts";
import { createRouter } from "../http/router.ts";

const document = {
  description: "The OpenAPI document",
  content: { "application/yaml": { schema: z.string(), example: "openapi: 3.1.0" } },
};

type AllRoutes = () => Promise<OpenAPIHono<AppEnv>>;

let texts: { settings: Settings; yaml: string; llms: string } | undefined;

/** Builds both texts once: loading the generators and running them takes tens of milliseconds. */
const emitted = async (allRoutes: AllRoutes, settings: Settings) => {
  if (texts?.settings !== settings) {
    const [{ buildDocument }, { writeLlms }, { stringify }] = await Promise.all([
      import("./document.ts"),
      import("./llms.ts"),
      import("yaml"),
    ]);
    const document = buildDocument(await allRoutes(), settings);
    // Version 1.1 quotes dates, which YAML 1.1 parsers would otherwise convert. Some parsers do not support aliases.
    const yaml = stringify(document, { version: "1.1", aliasDuplicateObjects: false });
    texts = { settings, yaml, llms: writeLlms(document, settings) };
  }
  return texts;
};

/** Serves `/openapi.yaml`. */
export const openapi = (allRoutes: AllRoutes) =>
  createRouter().openapi(
    protectedGet("/", {}, document, {
      operationId: "openapi",
      summary: "Get the OpenAPI document",
      description: "Returns this OpenAPI 3.1 document, which is generated from the routes.",
    }),
    async (c) => ownText(c, (await emitted(allRoutes, c.var.settings)).yaml, "application/yaml"),
  );

/** Serves `/llms.txt`. */
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
        ...errors(405, 429, 503),
      },
    }),
    async (c) => plainText(c, (await emitted(allRoutes, c.var.settings)).llms),
  );
