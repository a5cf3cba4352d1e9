import type { Context } from "hono";
import { mcpUrl, originOf } from "../../platform/http/origin.ts";
import { createRouter } from "../../platform/http/router.ts";

/** Protected resource metadata (RFC 9728). */
const protectedResource = (c: Context) =>
  c.json({
    resource: mcpUrl(c),
    authorization_servers: [originOf(c)],
    bearer_methods_supported: ["header"],
    resource_documentation: `${originOf(c)}/llms.txt`,
  });

/** `none` for clients with a metadata document, the others for registered clients (A14). */
const AUTH_METHODS = ["none", "client_secret_basic", "client_secret_post"];

/** Authorization server metadata (RFC 8414). */
const authorizationServer = (c: Context) => {
  const origin = originOf(c);
  return c.json({
    issuer: origin,
    authorization_endpoint: `${origin}/oauth/authorize`,
    token_endpoint: `${origin}/oauth/token`,
    revocation_endpoint: `${origin}/oauth/revoke`,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: AUTH_METHODS,
    revocation_endpoint_auth_methods_supported: AUTH_METHODS,
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${origin}/llms.txt`,
  });
};

export const metadataRoutes = createRouter()
  .get("/oauth-protected-resource", protectedResource)
  .get("/oauth-protected-resource/mcp", protectedResource)
  .get("/oauth-authorization-server", authorizationServer);
