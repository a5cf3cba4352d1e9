import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

interface ApiRequest {
  method: string;
  path: string;
  /** JSON. Of an upload only its metadata, without the code. */
  body: string;
}

/** The version that has all traffic, and the one that each upload makes. */
export const DEPLOYED = "db7cd8d3-4425-4fe7-8c81-01bf963b6067";
export const UPLOADED = "dc8dcd28-271b-4367-9840-6c244f84cb40";

/** Enough of each answer for wrangler to deploy a Worker that exists. */
const WORKER = {
  id: UPLOADED,
  subdomain: "example",
  // No file is missing, so none is uploaded.
  jwt: "e30.e30.e30",
  buckets: [],
  bindings: [],
  added: [],
  updated: [],
  removed: [],
  conflicting: [],
  metadata: { created_on: "2026-11-23T10:15:00Z" },
  resources: { script: {}, script_runtime: {}, bindings: [] },
  default_environment: {
    environment: "production",
    script: { last_deployed_from: "wrangler", migration_tag: "v1" },
  },
};
const SECRETS = ["DATABASE_URL", "TOKEN_KEYS"].map((name) => ({ name, type: "secret_text" }));

const METADATA = /^\{"main_module.*$/m;

interface Deployment {
  versions: { version_id: string; percentage: number }[];
  created_on: string;
}

const resultOf = (method: string, path: string, deployments: Deployment[]) => {
  if (path.endsWith("/secrets")) return SECRETS;
  if (path.endsWith("/deployments")) return { ...WORKER, deployments };
  const [, version] = /\/versions\/([\da-f-]{36})$/.exec(path) ?? [];
  if (version) return { ...WORKER, id: version };
  return method === "GET" && path.includes("/namespaces") ? [] : WORKER;
};

/** Records what wrangler asks of Cloudflare, and answers as for an account with one Worker, whatever its name. Keeps its deployments. */
export const startCloudflareApi = async () => {
  const requests: ApiRequest[] = [];
  const created_on = "2026-11-23T10:15:00Z";
  const deployments: Deployment[] = [{ versions: [{ version_id: DEPLOYED, percentage: 100 }], created_on }];
  const server = createServer(async (request, response) => {
    const { method = "", url = "" } = request;
    const body = await text(request);
    requests.push({ method, path: url, body: METADATA.exec(body)?.[0] ?? body });
    if (method === "POST" && url.endsWith("/deployments"))
      deployments.unshift({ ...(JSON.parse(body) as Deployment), created_on });
    const answer = { success: true, errors: [], messages: [], result: resultOf(method, url, deployments) };
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
