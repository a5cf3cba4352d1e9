import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface ApiRequest {
  method: string;
  path: string;
  /** JSON. Of an upload only its metadata, without the code. */
  body: string;
}

/** Enough of each answer for wrangler to deploy a Worker that exists. */
const WORKER = {
  id: "new-id",
  subdomain: "example",
  // No file is missing, so none is uploaded.
  jwt: "e30.e30.e30",
  buckets: [],
  bindings: [],
  added: [],
  updated: [],
  removed: [],
  conflicting: [],
  deployments: [],
  resources: { script: {}, script_runtime: {}, bindings: [] },
  default_environment: {
    environment: "production",
    script: { last_deployed_from: "wrangler", migration_tag: "v1" },
  },
};
const SECRETS = ["DATABASE_URL", "TOKEN_KEYS"].map((name) => ({ name, type: "secret_text" }));

const METADATA = /^\{"main_module.*$/m;

const resultOf = (method: string, path: string) => {
  if (path.endsWith("/secrets")) return SECRETS;
  return method === "GET" && path.includes("/namespaces") ? [] : WORKER;
};

/** Records what wrangler asks of Cloudflare, and answers as for an account with one Worker, whatever its name. */
export const startCloudflareApi = async () => {
  const requests: ApiRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = "", url = "" } = request;
    const body = await text(request);
    requests.push({ method, path: url, body: METADATA.exec(body)?.[0] ?? body });
    const answer = { success: true, errors: [], messages: [], result: resultOf(method, url) };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    requests,
    env: {
      CLOUDFLARE_API_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      CLOUDFLARE_ACCOUNT_ID: "account",
      CLOUDFLARE_API_TOKEN: "token",
      WRANGLER_SEND_METRICS: "false",
      // Ask nothing.
      CI: "true",
    },
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  };
};
