// @module-tag slow
import { execFile, spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  Client,
  type OAuthClientProvider,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { addClient } from "../../tools/operate/clients.ts";
import { posting } from "../../tools/posting.ts";
import { connected } from "../../tools/warehouse/databases.ts";
import { DEMO_USER } from "../support/node/databases.ts";
import { hasGenerators } from "../support/node/installed.ts";

const HERE = import.meta.dirname;
const run = promisify(execFile);
const base = inject("pages");
const { email, password } = DEMO_USER;

const addressOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const listening = (server: Server) =>
  new Promise<Server>((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));

/** How a client identifies itself. The secret of a public client is empty. */
interface Identity {
  id: string;
  secret: string;
  redirect: string;
}

const REDIRECT = "https://assistant.example/callback";
let vendor: Server;
let open: Identity;
let registered: Identity;
const register = async (redirect: string): Promise<Identity> => ({
  ...(await connected(inject("postgresUrl"), (db) => addClient(db, "Assistant", [redirect]))),
  redirect,
});

beforeAll(async () => {
  vendor = await listening(
    createServer((_, response) => {
      response.setHeader("Content-Type", "application/json");
      response.end(JSON.stringify({ client_id: open.id, redirect_uris: ["http://127.0.0.1/callback"] }));
    }),
  );
  const at = addressOf(vendor);
  open = { id: `${at}/client.json`, secret: "", redirect: "http://127.0.0.1:4321/callback" };
  registered = await register(REDIRECT);
});
afterAll(() => vendor?.close());

/** What the user does: allows the request on the page. @returns the address to which the page leads */
const approve = async (url: string | URL): Promise<string> => {
  const { search, origin } = new URL(url);
  const { headers, ...init } = posting({ email, password, without_personal_data: true });
  const response = await fetch(`${origin}/oauth/approve${search}`, {
    ...init,
    headers: { ...headers, Origin: origin },
  });
  return ((await response.json()) as { redirect_to: string }).redirect_to;
};

const identityOf = (kind: string) => (kind === "none" ? open : registered);

describe.runIf(hasGenerators)("an OAuth library that others wrote", { timeout: 120_000 }, () => {
  it.each([
    ["openid-client", "none"],
    ["openid-client", "client_secret_basic"],
    ["openid-client", "client_secret_post"],
    ["simple-oauth2", "none"],
    ["simple-oauth2", "client_secret_basic"],
    ["simple-oauth2", "client_secret_post"],
  ])("%s connects with %s, renews and revokes (A14)", async (library, method) => {
    const settings = { base, method, email, password, ...identityOf(method) };
    const { stdout } = await run("node", [join(HERE, "connect.js"), library, JSON.stringify(settings)]);
    expect(JSON.parse(stdout)).toEqual({ statuses: [200, 200], ended: "invalid_grant" });
  });

  it.each(["client_secret_basic", "client_secret_post"])(
    "openid-client reports a wrong secret by %s: the challenge, or invalid_client (A14, RFC 6749, 5.2)",
    async (method) => {
      const settings = { base, method, email, password, ...registered, secret: "ocs_wrong" };
      const failed = run("node", [join(HERE, "connect.js"), "openid-client", JSON.stringify(settings)]);
      await expect(failed).rejects.toThrow(
        method === "client_secret_basic"
          ? /scheme: 'basic',\n\s+parameters: \{ realm: 'oauth'/
          : /'invalid_client'/,
      );
    },
  );
});

describe("the protocol's own client", () => {
  it.each(["none", "client_secret_basic"])("connects with %s and renews (A14, M1)", async (method) => {
    const { id, secret, redirect } = identityOf(method);
    const kept: { url?: URL; verifier?: string; tokens?: StoredOAuthTokens } = {};
    const authProvider: OAuthClientProvider = {
      redirectUrl: redirect,
      clientMetadata: { redirect_uris: [redirect] },
      clientInformation: () => ({ client_id: id, ...(secret && { client_secret: secret }) }),
      tokens: () => kept.tokens,
      saveTokens: (tokens) => void Object.assign(kept, { tokens }),
      redirectToAuthorization: (url) => void Object.assign(kept, { url }),
      saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier }),
      codeVerifier: () => kept.verifier ?? "",
    };
    const transport = () => new StreamableHTTPClientTransport(new URL(`${base}/mcp`), { authProvider });
    const client = () => new Client({ name: "test", version: "1.0.0" });
    const first = transport();
    await expect(client().connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
    await first.finishAuth(new URL(await approve(kept.url ?? "")).searchParams);
    const before = kept.tokens as StoredOAuthTokens;
    // With an invalid access token the client renews by itself.
    kept.tokens = { ...before, access_token: `${before.access_token}x` };
    const connection = client();
    await connection.connect(transport());
    expect((await connection.listTools()).tools.length).toBeGreaterThan(10);
    expect(kept.tokens.refresh_token).not.toBe(before.refresh_token);
    await connection.close();
  });
});

/** A server that offers no method `none`: with it, the suite never sends a secret. */
const startRelay = () =>
  listening(
    createServer((incoming, outgoing) => {
      const { method = "GET", url = "/", headers } = incoming;
      const onward = request(`${base}${url}`, { method, headers }, async (answer) => {
        if (!url.startsWith("/.well-known/oauth-authorization-server")) {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
          return;
        }
        const chunks: Buffer[] = await answer.toArray();
        const metadata = JSON.parse(String(Buffer.concat(chunks)));
        metadata.token_endpoint_auth_methods_supported.shift();
        outgoing.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(metadata));
      });
      onward.on("error", () => outgoing.destroy());
      incoming.pipe(onward);
    }),
  );

/** A free port, for the suite's own page. */
const freePort = async (): Promise<number> => {
  const server = await listening(createServer());
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
};

describe.runIf(hasGenerators)("the official conformance suite", { timeout: 120_000 }, () => {
  /** Runs the suite against an authorization server, and approves its request. @returns the status of each check */
  const checksOf = async (url: string, port: number, { id, secret }: Pick<Identity, "id" | "secret">) => {
    const folder = mkdtempSync(join(tmpdir(), "conformance-"));
    const args = ["authorization", "--url", url, "--client-id", id, "--resource", `${url}/mcp`];
    const options = [
      "--port",
      String(port),
      "--output-dir",
      folder,
      ...(secret ? ["--client-secret", secret] : []),
    ];
    const suite = spawn(join(HERE, "node_modules/.bin/conformance"), [...args, ...options]);
    let output = "";
    let approved: Promise<unknown> | undefined;
    suite.stdout.on("data", (chunk) => {
      output += chunk;
      const [asked] = /^http\S+\/oauth\/authorize\?\S+(?=\n)/m.exec(output) ?? [];
      if (asked) approved ??= approve(asked).then((address) => fetch(address));
    });
    suite.stderr.on("data", (chunk) => {
      output += chunk;
    });
    await new Promise((resolve) => suite.once("close", resolve));
    await approved;
    const files = globSync(join(folder, "**/checks.json"));
    const checks = files.flatMap((file) => JSON.parse(readFileSync(file, "utf8")));
    rmSync(folder, { recursive: true, force: true });
    expect(checks.length, output).toBeGreaterThan(0);
    return Object.fromEntries(
      checks.map(({ id, status, errorMessage }) => [
        id,
        errorMessage ? `${status}: ${errorMessage}` : status,
      ]),
    );
  };
  const PASSED = {
    "authorization-server-metadata": "SUCCESS",
    "authorization-server-metadata-cimd": "SUCCESS",
    "authorization-code-grant": "SUCCESS",
  };

  it("finds nothing in the authorization server for a public client (A14, RFC 8414)", async () => {
    expect(await checksOf(base, await freePort(), open)).toEqual(PASSED);
  });

  it("finds nothing in it for a confidential client (A14, RFC 8414)", async () => {
    const relay = await startRelay();
    const port = await freePort();
    const client = await register(`http://127.0.0.1:${port}/callback`);
    try {
      expect(await checksOf(addressOf(relay), port, client)).toEqual(PASSED);
    } finally {
      await new Promise((resolve) => relay.close(resolve));
    }
  });
});
