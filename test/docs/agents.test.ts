// @module-tag slow
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { fences } from "../support/node/pages.ts";

const docs = inject("docs");
let token: string;
beforeAll(async () => {
  const login = await fetch(`${docs.base}/auth/login`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ email: "demo@example.com", password: "demo-password" }),
  });
  ({ access_token: token } = (await login.json()) as { access_token: string });
}, 120_000);

/** A server in a client's settings. Gemini CLI names the URL `httpUrl`; `mcp-remote` has arguments. */
interface Settings {
  url?: string;
  httpUrl?: string;
  headers?: Record<string, string>;
  args?: string[];
  env?: Record<string, string>;
}

/** The only server in a client's settings. */
const serverIn = (text: string): Settings => {
  const { mcpServers, servers } = JSON.parse(text);
  return (mcpServers ?? servers)["salon-erp"];
};

/** The URL and the header of the settings, with this token in place of their variable or example. */
const connectionOf = ({ url, httpUrl, headers, args = [], env = {} }: Settings, own: string) => {
  const address = url ?? httpUrl ?? args.find((arg) => arg.startsWith("https:"));
  const written = args.at(-1)?.replace(/\$\{(\w+)\}/, (_, name: string) => env[name] ?? "");
  const authorization = headers?.Authorization ?? written?.replace(/^Authorization:/, "");
  return {
    url: String(address),
    headers: { Authorization: String(authorization).replace(/\$\{[^}]+\}|\$\w+|agt_…/, own) },
  };
};

const settings = fences.filter(({ page, language }) => page === "docs/agents.md" && language === "json");

describe("the client settings in docs/agents.md", () => {
  it.each(settings.map(({ text }, i) => [i + 1, serverIn(text)] as const))(
    "example %i connects an MCP client to the tools over HTTP (M1)",
    async (_, server) => {
      const { url, headers } = connectionOf(server, token);
      const { pathname } = new URL(url);
      const client = new Client({ name: "test", version: "1.0.0" });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(pathname, docs.base), {
          requestInit: { headers },
        }),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("painel");
      const { isError } = await client.callTool({ name: "painel", arguments: {} });
      expect(isError).toBe(false);
      await client.close();
    },
  );

  it("cover five clients", () => {
    expect(settings).toHaveLength(5);
  });
});
