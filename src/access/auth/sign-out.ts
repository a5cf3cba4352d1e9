import type { Context } from "hono";

/** Confirms a sign-out, and empties the browser's cache of what it read from the service (A12). */
export const sendSignedOut = (c: Context) =>
  c.json({ message: "Signed out. The access token expires within 15 minutes." }, 200, {
    "Clear-Site-Data": '"cache"',
  });
