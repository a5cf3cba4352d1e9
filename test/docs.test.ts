import { describe, expect, it } from "vitest";
import { expectError, get, readDocument, send } from "./support/api.ts";
import { operationsOf } from "./support/document.ts";

const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe("GET /docs (A2)", () => {
  it("a browser without a token gets the sign-in page with status 401", async () => {
    const response = await send("/docs", { headers: BROWSER });
    expect(response.status).toBe(401);
    expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api"');
    const html = await response.text();
    expect(html).toContain('<form id="form"');
    expect(html).not.toMatch(/<script>|<script [^>]*>[^<]|style="|onclick|https?:/);
  });

  it.each(["*/*", "application/json", "application/json, text/html;q=0.5", ""])(
    "any other client (Accept: %s) gets the JSON 401",
    async (accept) => {
      await expectError(
        await send("/docs", { headers: { Accept: accept } }),
        401,
        "Unauthorized",
        /Authorization: Bearer/,
      );
    },
  );

  it("with a token it is the page itself", async () => {
    expect((await get("/docs", BROWSER)).status).toBe(200);
  });

  it("loads nothing from elsewhere: the policy allows this origin alone (E8)", async () => {
    const response = await send("/docs", { headers: BROWSER });
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*/);
  });

  it.each([
    ["/docs/assets/page.js", /javascript/],
    ["/docs/assets/page.css", /text\/css/],
    ["/docs/assets/swagger-ui-dist/swagger-ui.css", /text\/css/],
    ["/docs/assets/swagger-ui-dist/swagger-ui-bundle.js", /javascript/],
  ])("%s is public", async (path, type) => {
    const response = await send(path);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toMatch(type);
    expect(response.headers.get("X-Request-Id")).toBeTruthy();
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(500);
  });

  it.each([
    "/docs/assets/swagger-ui-dist/package.json",
    "/docs/assets/swagger-ui-dist/index.html",
    "/docs/assets/swagger-ui-dist/..%2fpackage.json",
    "/docs/assets/constructor",
    "/swagger-ui-bundle.js",
    "/index.html",
    "/",
  ])("%s is nothing", async (path) => {
    await expectError(await send(path), 404, "Not Found", /There is (no such file|nothing at this path)/);
  });
});

describe("GET /llms.txt", () => {
  const text = async () => (await send("/llms.txt")).text();

  it("needs no token and is plain text by the llms.txt convention (A1)", async () => {
    const response = await send("/llms.txt");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const lines = (await response.text()).split("\n");
    expect(lines[0]).toMatch(/^# /);
    expect(lines.filter((line) => line.startsWith("# "))).toHaveLength(1);
    expect(lines[2]).toMatch(/^> /);
    expect(lines.filter((line) => line.startsWith("## ")).length).toBeGreaterThan(5);
  });

  // English prose and names of fields come to nearly four bytes a token: 3.9 here, by the tokenizer of GPT-4o.
  it("is under 4,000 tokens, at three bytes a token", async () => {
    expect(new TextEncoder().encode(await text()).length).toBeLessThan(4000 * 3);
  });

  it("has every data endpoint with its parameters, emitted from the routes", async () => {
    const lines = (await text()).split("\n");
    const operations = operationsOf(await readDocument()).filter(({ path }) => path.startsWith("/v1/"));
    expect(operations).toHaveLength(23);
    for (const { method, path, operation } of operations) {
      const line = lines.find((one) => one.startsWith(`- ${method} ${path} `));
      for (const { name } of (operation.parameters ?? []).filter((one) => one.in === "query"))
        expect(line).toContain(name);
    }
  });

  it.each([
    "Sunday 05:00 Brasília",
    "Descontar do Profissional",
    "outside the financial integration",
    "Independent of the",
    "/auth/login",
    "/auth/refresh",
    "/auth/logout",
    "Retry-After",
    "after_id",
    "has_more",
    "handling=strict",
    "%2B",
    "tokens",
    "(/openapi.yaml)",
    "(/docs)",
  ])("tells of %s", async (word) => {
    expect(await text()).toContain(word);
  });
});
