import { createMiddleware } from "hono/factory";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import { isLoopback, isPrivateAddress } from "../../core/hosts.ts";
import { LOCAL_VERSION } from "../../core/settings.ts";

/**
 * Refuses plain http (E8). A redirect would hide from the client that its token was readable on the way. The
 * platform sets the URL's scheme. It routes no private address to a deployed Worker.
 */
export const requireHttps = createMiddleware<AppEnv>(async (c, next) => {
  const { protocol, hostname } = new URL(c.req.url);
  const isLocalRun = c.var.settings.VERSION === LOCAL_VERSION;
  if (protocol === "http:" && !isLoopback(hostname) && !(isLocalRun && isPrivateAddress(hostname)))
    throw new Refusal(
      403,
      "This request was sent over plain http, which others can read. Use https://. " +
        "Treat every password and token in the request as exposed: " +
        "change the password, end the session, or ask the operator to revoke the token.",
    );
  await next();
});
