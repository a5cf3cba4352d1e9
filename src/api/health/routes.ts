import { createRoute, z } from "@hono/zod-openapi";
import { version } from "../../../package.json";
import { uptimeMs } from "../../core/uptime.ts";
import { errorResponses, jsonResponse } from "../../platform/http/responses.ts";
import { createRouter } from "../../platform/http/router.ts";

const Health = z
  .object({
    status: z.string().openapi({ example: "ok" }),
    version: z.string().openapi({ example: "1.0.0" }),
    uptime: z.int().openapi({ description: "Seconds since the first request to this instance", example: 42 }),
    timestamp: z.iso.datetime({ offset: true }).openapi({ example: "2026-11-21T12:00:00.000Z" }),
  })
  .openapi("Health");

// Does not check the database or other dependencies (E10).
export const health = createRouter().openapi(
  createRoute({
    security: [],
    method: "get",
    path: "/",
    operationId: "health",
    summary: "Check the service",
    description: "Needs no token and does not use the database.",
    responses: { 200: jsonResponse(Health, "The service is running"), ...errorResponses(405, 429, 503) },
  }),
  (c) => {
    const uptime = Math.floor(uptimeMs() / 1000);
    return c.json({ status: "ok", version, uptime, timestamp: new Date().toISOString() }, 200);
  },
);
