import { createRoute, z } from "@hono/zod-openapi";
import { createMiddleware } from "hono/factory";
import { bearer, callerOf } from "../../access/auth/bearer.ts";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { errorResponses, jsonResponse } from "../../platform/http/responses.ts";
import { createRouter } from "../../platform/http/router.ts";
import { channelsOf, sendSummary } from "./delivery.ts";
import { readSummary } from "./summary.ts";

const requireAllRights = createMiddleware<AppEnv>(async (c, next) => {
  const { units, personalData, payments } = callerOf(c).rights;
  if (units !== null || !personalData || !payments)
    throw new Refusal(
      403,
      "Only a user with all rights may send the summary: every unit, personal data and payments. " +
        "Ask the operator for them.",
    );
  await next();
});

const delivery = (description: string) =>
  z
    .string()
    .nullable()
    .openapi({
      description: `${description}: \`delivered\`, or what failed; \`null\` if it is not set`,
      example: "delivered",
    });

const SummaryDelivery = z
  .object({
    webhook: delivery("How the message to `SUMMARY_WEBHOOK` ended"),
    email: delivery("How the e-mail to `SUMMARY_EMAIL` ended"),
  })
  .openapi("SummaryDelivery");

export const operations = createRouter().openapi(
  createRoute({
    ...bearer({}, [requireAllRights]),
    method: "post",
    path: "/summary",
    operationId: "sendSummary",
    summary: "Send the daily summary now",
    description:
      "Sends the figures of the day so far to the addresses in the operator's settings, so that the operator can " +
      "test them. The summary of the evening is sent as well. Only for users with all rights.",
    responses: {
      200: jsonResponse(SummaryDelivery, "How each message ended"),
      ...errorResponses(400, 401, 403, 405, 408, 413, 429, 503),
    },
  }),
  async (c) => {
    const channels = channelsOf(c.env);
    if (channels.length === 0) return c.json({ webhook: null, email: null }, 200);
    const { now, deadline } = c.var;
    const summary = await readSummary(c.env, now, deadline);
    const remaining = Math.max(0, deadline - Date.now());
    const { webhook = null, email = null } = await sendSummary(c.env, channels, summary, remaining);
    return c.json({ webhook, email }, 200);
  },
);
