import type { Context } from "hono";
import type { AppEnv } from "../../core/context.ts";
import { unknownPath } from "../../platform/http/errors.ts";
import { prefersHtml } from "../../platform/http/html.ts";
import { createRouter } from "../../platform/http/router.ts";

const API_CATALOGUE = "/.well-known/api-catalog";
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** The API catalogue (RFC 9727), as a linkset (RFC 9264). Its links are absolute. */
const apiCatalogue = (c: Context<AppEnv>) => {
  const { origin } = new URL(c.req.url);
  const link = (path: string, type: string) => [{ href: `${origin}${path}`, type }];
  const api = {
    anchor: `${origin}/`,
    "service-desc": link("/openapi.yaml", "application/yaml"),
    "service-doc": [...link("/docs", "text/html"), ...link("/llms.txt", "text/plain")],
    status: link("/health", "application/json"),
  };
  c.header("Link", `<${API_CATALOGUE}>; rel="api-catalog"`);
  return c.body(JSON.stringify({ linkset: [api] }), 200, { "Content-Type": LINKSET });
};

/** A browser gets the panel, any other client the API catalogue (D1). */
export const rootRoutes = createRouter().get("/", (c) => {
  c.header("Vary", "Accept", { append: true });
  return prefersHtml(c, ["application/linkset+json", "application/json"])
    ? c.redirect("/painel")
    : apiCatalogue(c);
});

/** Far less than a year, as RFC 9116 asks. */
const EXPIRY_MS = 30 * 86_400_000;

/** The contact for security reports (RFC 9116), if the operator set one. */
const securityContact = (c: Context<AppEnv>) => {
  const { SECURITY_CONTACT: contact } = c.var.settings;
  if (contact === undefined) return unknownPath(c);
  const expires = new Date(Date.now() + EXPIRY_MS).toISOString();
  const canonical = `${new URL(c.req.url).origin}/.well-known/security.txt`;
  return c.text(
    `Contact: ${contact}\nExpires: ${expires}\nCanonical: ${canonical}\nPreferred-Languages: pt, en\n`,
  );
};

export const wellKnownRoutes = createRouter()
  .get("/api-catalog", apiCatalogue)
  .get("/security.txt", securityContact);
