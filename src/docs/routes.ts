import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { reading } from "../auth/bearer.ts";
import type { AppEnv } from "../ground/context.ts";
import type { Settings } from "../ground/settings.ts";
import { errors, ownText, plainText } from "../http/responses.ts";
import { createRouter } from "../http/router.ts";
import { pages } from "./pages.ts";

const document = {
  description: "The document",
  content: { "application/yaml": { schema: z.string(), example: "openapi: 3.1.0" } },
};

/**
 * The descriptions of the routes, for generators, programs and people.
 * @param everything answers a router of all other routes
 */
export const describe = (everything: () => Promise<OpenAPIHono<AppEnv>>) => {
  const docs = createRouter();
  // Built when first asked for, and once: loading what builds it and emitting cost tens of milliseconds.
  let texts: { settings: Settings; yaml: string; llms: string } | undefined;
  const load = async () => ({
    app: (await everything()).route("/", docs),
    ...(await import("./document.ts")),
    ...(await import("./llms.ts")),
    ...(await import("yaml")),
  });
  let loaded: Awaited<ReturnType<typeof load>> | undefined;
  const emitted = async (settings: Settings) => {
    if (texts?.settings !== settings) {
      loaded ??= await load();
      const { app, buildDocument, stringify, writeLlms } = loaded;
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
    async (c) => ownText(c, (await emitted(c.var.settings)).yaml, "application/yaml"),
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
    async (c) => plainText(c, (await emitted(c.var.settings)).llms),
  );

  return docs.route("/", pages);
};
