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

interface Settings {
  url: string;
  headers: Record<string, string>;
}

/** The only server in a client's settings. */
const serverIn = (text: string): Settings => {
  const { mcpServers, servers } = JSON.parse(text);
  return (mcpServers ?? servers)["salon-erp"];
};

const settings = fences.filter(({ page, language }) => page === "docs/agents.md" && language === "json");

describe("the client settings in docs/agents.md", () => {
  it.each(settings.map(({ text }, i) => [i + 1, serverIn(text)] as const))(
    "example %i connects an MCP client to the tools over HTTP (M1)",
    async (_, { url, headers }) => {
      const { pathname } = new URL(url);
      const filled = Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        value.replace(/\$\{[^}]+\}/, token),
      ]);
      const client = new Client({ name: "test", version: "1.0.0" });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(pathname, docs.base), {
          requestInit: { headers: filled },
        }),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("painel");
      const { isError } = await client.callTool({ name: "painel", arguments: {} });
      expect(isError).toBe(false);
      await client.close();
    },
  );

  it("cover three clients", () => {
    expect(settings).toHaveLength(3);
  });
});
