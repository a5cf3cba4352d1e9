// @module-tag slow
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { WRANGLER } from "../../../tools/wrangler.ts";
import { DEPLOYED, startCloudflareApi, UPLOADED } from "../../support/node/cloudflare-api.ts";
import { runTool } from "../../support/node/run-tool.ts";

const docs = inject("docs");
const HEADER = "cloudflare-workers-version-overrides";

let api: Awaited<ReturnType<typeof startCloudflareApi>>;
/** The header of each request that reached the service. */
const headers: unknown[] = [];
const service = createServer((asked, answer) => {
  headers.push(asked.headers[HEADER]);
  const { method, url = "", headers: all } = asked;
  const passed = request(new URL(url, docs.base), { method, headers: all }, (answered) => {
    answer.writeHead(answered.statusCode ?? 0, answered.headers);
    answered.pipe(answer);
  });
  asked.pipe(passed);
});

beforeAll(async () => {
  api = await startCloudflareApi();
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
});
beforeEach(() => void headers.splice(0));
afterAll(async () => {
  await api.close();
  await new Promise((resolve) => service.close(resolve).closeAllConnections());
});

const smoke = (args: string[], env: Record<string, string> = api.env) => {
  const { port } = service.address() as AddressInfo;
  return runTool("operate/smoke.ts", [...args, `http://127.0.0.1:${port}`], {
    env: { SMOKE_EMAIL: "demo@example.com", SMOKE_PASSWORD: "demo-password", ...env },
  });
};

describe("npm run smoke", () => {
  it.each([
    [DEPLOYED, [], "salon-erp-data-service"],
    [DEPLOYED, ["--name", "staging-2"], "staging-2"],
  ])(
    "shows where time goes, ends its session and sends every request to version %s, with %j (O2)",
    async (version, args, worker) => {
      const { code, output, errors } = await smoke(["--version-id", version, ...args]);
      expect([code, errors], output).toEqual([0, ""]);
      expect(output).toMatch(/^ +all +network +service +auth +limit +db$/m);
      for (const path of ["/health", "/v1/transacoes\\?per_page=1", "/v1/relatorios/resumo"]) {
        const times = " +\\d+ \\(\\d+\\)";
        const db = path === "/health" ? " +-" : times;
        expect(output).toMatch(new RegExp(`^ +${path}(${times}){5}${db}$`, "m"));
      }
      expect(output).toMatch(/the session has ended\nAll checks passed\.\n$/);
      expect(headers.length).toBeGreaterThan(40);
      // RFC 8941: a key, and a string in quotes.
      expect(new Set(headers)).toEqual(new Set([`${worker}="${version}"`]));
      expect(api.requests.at(-1)?.path).toMatch(new RegExp(`/scripts/${worker}/deployments$`));
    },
  );

  it("sends a version that has 0 % of the traffic its requests, too (O2)", async () => {
    const { code, output } = await runTool(
      WRANGLER,
      ["versions", "deploy", `${DEPLOYED}@100%`, `${UPLOADED}@0%`],
      { env: api.env },
    );
    expect(code, output).toBe(0);
    expect((await smoke(["--version-id", UPLOADED])).code).toBe(0);
    expect(new Set(headers)).toEqual(new Set([`salon-erp-data-service="${UPLOADED}"`]));
  });

  it("fails with a wrong password", async () => {
    const { code, output } = await smoke([], { SMOKE_PASSWORD: "not-the-password" });
    expect([code, output]).toEqual([1, expect.stringMatching(/FAIL {2}a login {2}answered 401/)]);
  });

  it("sends nothing if the current deployment does not have the version (O2)", async () => {
    const other = UPLOADED.replace("dc8d", "0000");
    const { code, errors } = await smoke(["--version-id", other]);
    expect(errors).toMatch(
      /^The current deployment of salon-erp-data-service does not have version 0000\S+\. Add/,
    );
    expect([code, headers]).toEqual([1, []]);
  });

  it("sends nothing if wrangler cannot read the deployment (O2)", async () => {
    const unreachable = { ...api.env, CLOUDFLARE_API_BASE_URL: "http://127.0.0.1:1" };
    const { code, errors } = await smoke(["--version-id", DEPLOYED], unreachable);
    expect(errors).toMatch(/^wrangler could not read the current deployment of salon-erp-data-service:\n./);
    expect([code, headers]).toEqual([1, []]);
  });

  it.each([
    [["--version-id", ""], /^--version-id must be the id that .*; got ""\.$/m],
    [["--version-id", "18f277c-20261123101500123"], /^--version-id must be the id that .*; got "18f277c-/m],
    [["--version-id"], /^Give the URL of one service\./m],
    [
      ["--version-id", DEPLOYED, "--name", "2nd"],
      /^--name must be the name of a Worker that begins .* "2nd"\.$/m,
    ],
    [["--name", "staging"], /^--name needs --version-id\.$/m],
  ])("rejects %j with 2 and sends nothing (O2)", async (args, message) => {
    const { code, errors } = await smoke(args);
    expect(errors).toMatch(message);
    expect([code, headers]).toEqual([2, []]);
  });
});
