// Goes through OAuth with a library that others wrote: node connect.js <library> <settings as JSON>
// Settings: base, resource, id, secret (empty for a public client), method, redirect, email, password.
// Prints the status of /mcp with the first and with the renewed token, and the error of a renewal after revocation.
import { createHash, randomBytes } from "node:crypto";
import * as openid from "openid-client";
import { AuthorizationCode } from "simple-oauth2";

const [library, json] = process.argv.slice(2);
const { base, id, secret, method, redirect, email, password } = JSON.parse(json);
const resource = `${base}/mcp`;
const state = randomBytes(16).toString("base64url");

/** What the user does: allows the request on the page. @returns the address to which the page leads */
const approve = async (url) => {
  const response = await fetch(`${base}/oauth/approve${new URL(url).search}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Origin: base },
    body: JSON.stringify({ email, password, without_personal_data: true }),
  });
  if (!response.ok) throw new Error(await response.text());
  return new URL((await response.json()).redirect_to);
};

const statusOfMcp = async (token) => {
  const response = await fetch(resource, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${token}`,
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
  });
  return response.status;
};

/** openid-client reads the metadata of the service. */
const byOpenidClient = async () => {
  const authentication = {
    none: () => openid.None(),
    client_secret_basic: () => openid.ClientSecretBasic(secret),
    client_secret_post: () => openid.ClientSecretPost(secret),
  }[method]();
  const config = await openid.discovery(new URL(base), id, {}, authentication, {
    algorithm: "oauth2",
    execute: [openid.allowInsecureRequests],
  });
  const verifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirect,
    state,
    resource,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const first = await openid.authorizationCodeGrant(config, await approve(url), {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  const next = await openid.refreshTokenGrant(config, first.refresh_token);
  const statuses = [await statusOfMcp(first.access_token), await statusOfMcp(next.access_token)];
  await openid.tokenRevocation(config, next.refresh_token);
  const ended = await openid.refreshTokenGrant(config, next.refresh_token).catch(({ error }) => error);
  return { statuses, ended };
};

/** simple-oauth2 gets the addresses from here, and does not support PKCE. */
const bySimpleOauth2 = async () => {
  const client = new AuthorizationCode({
    client: { id, secret },
    auth: {
      tokenHost: base,
      tokenPath: "/oauth/token",
      authorizePath: "/oauth/authorize",
      revokePath: "/oauth/revoke",
    },
    // An answer to a revocation has no body (RFC 7009, 2.2).
    http: { json: "force" },
    options: { authorizationMethod: method === "client_secret_basic" ? "header" : "body" },
  });
  const verifier = randomBytes(32).toString("base64url");
  const url = client.authorizeURL({
    redirect_uri: redirect,
    state,
    resource,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const returned = (await approve(url)).searchParams;
  if (returned.get("state") !== state) throw new Error("another state");
  const first = await client.getToken({
    code: returned.get("code"),
    redirect_uri: redirect,
    code_verifier: verifier,
  });
  const next = await first.refresh();
  const statuses = [await statusOfMcp(first.token.access_token), await statusOfMcp(next.token.access_token)];
  await next.revoke("refresh_token");
  const ended = await next.refresh().catch(({ data }) => data.payload.error);
  return { statuses, ended };
};

const byLibrary = { "openid-client": byOpenidClient, "simple-oauth2": bySimpleOauth2 };
console.log(JSON.stringify(await byLibrary[library]()));
