import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { fillPage, loadPage, pagePolicy } from "../../platform/http/html.ts";
import { jsonResponse } from "../../platform/http/responses.ts";
import { createRouter } from "../../platform/http/router.ts";
import { deviceOf } from "../auth/device.ts";
import { newFamily } from "../auth/refresh-token.ts";
import { Credentials } from "../auth/schemas.ts";
import { verifyCredentials } from "../auth/sign-in.ts";
import { readAuthorizationRequest, responseUrl } from "./authorization-request.ts";
import { hashRequest, issueCode } from "./codes.ts";
import { issueTokens, revokeToken } from "./tokens.ts";

/** Asks the user to allow the client. Errors go back to the client, unless it cannot be trusted. */
const authorize = async (c: Context<AppEnv>) => {
  const request = await readAuthorizationRequest(c);
  if ("error" in request) {
    const { code, description } = request.error;
    return c.redirect(responseUrl(c, request.redirect, { error: code, error_description: description }));
  }
  const { client, redirect } = request;
  const texts = {
    client: client.label,
    redirect: new URL(redirect).host,
    cancel: responseUrl(c, redirect, { error: "access_denied" }),
  };
  const page = await loadPage(c, "authorize");
  c.header("Content-Security-Policy", pagePolicy({}));
  return c.html(fillPage(page, texts));
};

const Approval = Credentials.extend({
  without_personal_data: z.boolean({ error: "must be true or false" }),
});
const ApprovalResponse = z.object({ redirect_to: z.string() });

/** OAuth 2.1 for assistants that take no header (A14). Not in the document: clients read the metadata. */
export const oauth = createRouter().openapi(
  createRoute({
    hide: true,
    method: "post",
    path: "/approve",
    request: { body: { required: true, content: { "application/json": { schema: Approval } } } },
    responses: { 200: jsonResponse(ApprovalResponse, "The address of the client, with a code") },
  }),
  async (c) => {
    const request = await readAuthorizationRequest(c);
    if ("error" in request) throw new Refusal(400, request.error.description);
    const { without_personal_data: leavesOutPersonalData, ...credentials } = c.req.valid("json");
    const account = await verifyCredentials(c, credentials);
    const code = await issueCode(c, {
      request: await hashRequest(request.client.id, request),
      user: account.identity,
      number: account.session_number,
      personalData: !leavesOutPersonalData,
      device: deviceOf(c.req.header("User-Agent")),
      family: newFamily(),
    });
    return c.json({ redirect_to: responseUrl(c, request.redirect, { code }) }, 200);
  },
);
oauth
  .get("/authorize", authorize)
  .post("/token", async (c) => c.json(await issueTokens(c), 200, { Pragma: "no-cache" }))
  .post("/revoke", async (c) => {
    await revokeToken(c);
    return c.body(null, 200);
  });
