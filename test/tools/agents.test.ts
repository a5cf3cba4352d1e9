// @module-tag slow
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { fences } from "../support/pages.ts";

const place = inject("docs");
let token: string;
beforeAll(async () => {
  const login = await fetch(`${place.base}/auth/login`, {
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

/** The one server that a client's settings name. */
const serverIn = (text: string): Settings => {
  const { mcpServers, servers } = JSON.parse(text);
  return (mcpServers ?? servers)["salon-erp"];
};

const settings = fences.filter(({ page, language }) => page === "docs/agents.md" && language === "json");

describe("settings to paste", () => {
  it.each(settings.map(({ text }, i) => [i + 1, serverIn(text)] as const))(
    "%i of docs/agents.md lead the protocol's client to the tools, over HTTP (M1)",
    async (_, { url, headers }) => {
      const { pathname } = new URL(url);
      const filled = Object.entries(headers).map(([name, value]): [string, string] => [
        name,
        value.replace(/\$\{[^}]+\}/, token),
      ]);
      const client = new Client({ name: "test", version: "1.0.0" });
      await client.connect(
        new StreamableHTTPClientTransport(new URL(pathname, place.base), {
          requestInit: { headers: filled },
        }),
      );
      expect((await client.listTools()).tools.map(({ name }) => name)).toContain("painel");
      const { isError } = await client.callTool({ name: "painel", arguments: {} });
      expect(isError).toBe(false);
      await client.close();
    },
  );

  it("are there for three clients", () => {
    expect(settings).toHaveLength(3);
  });
});
