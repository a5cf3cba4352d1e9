import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { stringify } from "yaml";
import { bearer } from "../auth/bearer.ts";
import { errors, finished } from "../http/responses.ts";
import { type AppEnv, createRouter } from "../http/router.ts";
import { buildDocument } from "./document.ts";

/** The description of an app, `/openapi.yaml`, mounted on that app. */
export const describe = (app: OpenAPIHono<AppEnv>) => {
  const docs = createRouter();
  let yaml: string | undefined;

  docs.openapi(
    createRoute({
      ...bearer(),
      method: "get",
      path: "/openapi.yaml",
      operationId: "openapi",
      tags: ["docs"],
      summary: "This description",
      description: "The OpenAPI 3.1 document of this service, emitted from its routes.",
      responses: {
        200: {
          description: "The document",
          content: { "application/yaml": { schema: z.string(), example: "openapi: 3.1.0" } },
        },
        ...errors(400, 401, 405, 429, 503),
      },
    }),
    (c) => {
      // Readers of YAML 1.1 would take an unquoted date for a date; aliases confuse some.
      yaml ??= stringify(buildDocument(app), { version: "1.1", aliasDuplicateObjects: false });
      return finished(c, yaml, "application/yaml");
    },
  );
  return app.route("/", docs);
};
