import { describe, expect, it } from "vitest";
import { expectError, send } from "../../support/worker/api.ts";
import { createClient } from "../../support/worker/client.ts";

const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };
const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

describe("GET /", () => {
  it("redirects a browser to /painel without a token (D1)", async () => {
    const response = await send("/", { headers: BROWSER, redirect: "manual" });
    expect([response.status, response.headers.get("Location")]).toEqual([302, "/painel"]);
    expect(response.headers.get("Vary")).toMatch(/\bAccept\b/);
  });
});

describe.each(["/", "/.well-known/api-catalog"])("GET %s", (path) => {
  it.each([
    "*/*",
    "application/linkset+json",
    "application/json, text/html;q=0.5",
    "text/html;q=0.1, application/linkset+json",
  ])(
    "returns the linkset of the API catalogue without a token, here with Accept: %s (D1)",
    async (accept) => {
      const response = await send(path, { headers: { Accept: accept } });
      expect([response.status, response.headers.get("Content-Type")]).toEqual([200, LINKSET]);
      expect(response.headers.get("Link")).toBe('</.well-known/api-catalog>; rel="api-catalog"');
      const { linkset } = (await response.json()) as { linkset: Record<string, unknown>[] };
      const targets = JSON.stringify(linkset)
        .match(/"href":"[^"]+"/g)
        ?.map((href) => new URL(href.slice(8, -1)).pathname);
      expect(linkset).toHaveLength(1);
      expect(Object.keys(linkset[0] ?? {})).toEqual(["anchor", "service-desc", "service-doc", "status"]);
      expect(targets?.sort()).toEqual(["/docs", "/health", "/llms.txt", "/openapi.yaml"]);
      expect(linkset[0]?.anchor).toBe("https://api.test/");
    },
  );

  it("answers HEAD with the same headers, and another method with 405 (D1, E1)", async () => {
    const head = await send(path, { method: "HEAD" });
    expect([head.status, head.headers.get("Content-Type"), await head.text()]).toEqual([200, LINKSET, ""]);
    expect(head.headers.get("Link")).toContain('rel="api-catalog"');
    await expectError(await send(path, { method: "POST" }), 405, "Method Not Allowed", /./);
  });
});

it("every link of the catalogue leads to a path that exists (D1)", async () => {
  const text = await (await send("/")).text();
  const paths = [...text.matchAll(/"href":"([^"]+)"/g)].map(([, href = ""]) => new URL(href).pathname);
  for (const path of paths) expect([200, 401]).toContain((await send(path)).status);
});

describe("GET /.well-known/security.txt", () => {
  it("has the contact of the setting and an expiry within a year, as RFC 9116 asks (D1)", async () => {
    const client = createClient({ SECURITY_CONTACT: "mailto:security@example.com" });
    const response = await client.send("/.well-known/security.txt");
    expect([response.status, response.headers.get("Content-Type")]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; ?charset=utf-8$/i),
    ]);
    const fields = Object.fromEntries(
      (await response.text())
        .trimEnd()
        .split("\n")
        .map((line) => line.split(/: (.*)/).slice(0, 2)),
    );
    expect(fields).toMatchObject({
      Contact: "mailto:security@example.com",
      Canonical: expect.stringMatching(/^https?:\/\/[^/]+\/\.well-known\/security\.txt$/),
    });
    const days = (Date.parse(fields.Expires) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(1);
    expect(days).toBeLessThan(365);
  });

  it("is a 404 without the setting (D1)", async () => {
    await expectError(await send("/.well-known/security.txt"), 404, "Not Found", /./);
  });
});
