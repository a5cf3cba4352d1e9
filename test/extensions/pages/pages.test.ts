import { describe, expect, it } from "vitest";
import { POLICIES } from "../../../src/core/policies.ts";
import { expectError, get, send } from "../../support/worker/api.ts";
import { createClient } from "../../support/worker/client.ts";

const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe.each([
  ["/docs", 401],
  ["/painel", 200],
] as const)("GET %s (A2)", (page, status) => {
  it(`returns the sign-in page with status ${status} to a browser without a token (A2)`, async () => {
    const response = await send(page, { headers: BROWSER });
    expect(response.status).toBe(status);
    expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(response.headers.get("WWW-Authenticate")).toBe(status === 401 ? 'Bearer realm="api"' : null);
    const html = await response.text();
    expect(html).toContain('<form id="form"');
    expect(html).not.toMatch(/<script>|<script [^>]*>[^<]|style="|onclick|https?:/);
  });

  it.each(["*/*", "application/json", "application/json, text/html;q=0.5", ""])(
    "returns the JSON 401 to any other client, here with Accept: %s (A2)",
    async (accept) => {
      await expectError(
        await send(page, { headers: { Accept: accept } }),
        401,
        "Unauthorized",
        /Authorization: Bearer/,
      );
    },
  );

  it("sends Vary: Accept with HTML and with JSON (A2)", async () => {
    for (const Accept of ["text/html", "application/json"])
      expect((await send(page, { headers: { Accept } })).headers.get("Vary")).toMatch(/\bAccept\b/);
  });

  it("returns the page itself to a request with a token (A2)", async () => {
    expect((await get(page, BROWSER)).status).toBe(200);
  });

  it("answers HEAD without a body, another method with 405 and an invalid token with 401 (A2, A3, E1)", async () => {
    const head = await send(page, { method: "HEAD", headers: BROWSER });
    expect([head.status, await head.text()]).toEqual([status, ""]);
    const wrong = await send(page, { method: "POST", headers: BROWSER });
    await expectError(wrong, 405, "Method Not Allowed", /./);
    expect(wrong.headers.get("Allow")).toContain("GET");
    const bad = { Authorization: "Bearer bad", Accept: "application/json" };
    const refused = await send(page, { headers: bad });
    expect(refused.headers.get("WWW-Authenticate")).toContain("invalid_token");
    await expectError(refused, 401, "Unauthorized", /POST \/auth\/refresh/);
  });

  it("sends a Content-Security-Policy that allows only this origin (E8)", async () => {
    const response = await send(page, { headers: BROWSER });
    const policy = response.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).not.toMatch(/https?:|\*|eval/);
    // Swagger UI sets inline styles; our own pages do not.
    expect(policy.includes("unsafe")).toBe(page === "/docs");
  });

  it("sends Cross-Origin-Opener-Policy: same-origin (E8)", async () => {
    for (const answer of [await send(page, { headers: BROWSER }), await get(page, BROWSER)])
      expect(answer.headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
  });

  it.each([
    [429, { RATE_LIMIT_GLOBAL: 1 }],
    [500, { RATE_LIMIT_GLOBAL: 0 }],
  ])(
    "returns a %i as a page to a browser and as JSON to any other client (A2)",
    async (status, overrides) => {
      const client = createClient(overrides);
      if (status === 429) await client.send("/health");
      const html = await client.send(page, { headers: BROWSER });
      expect([html.status, html.headers.get("Content-Type")]).toEqual([
        status,
        expect.stringMatching(/^text\/html/),
      ]);
      expect(html.headers.get("Cache-Control")).toBe("no-store");
      expect(html.headers.get("Retry-After") === null).toBe(status === 500);
      expect(html.headers.get("X-Request-Id")).toBeTruthy();
      expect(html.headers.get("Vary")).toMatch(/\bAccept\b/);
      expect(html.headers.get("Content-Security-Policy")).toMatch(/^default-src 'none'; style-src 'self'; /);
      const text = await html.text();
      expect(text).toContain(page === "/docs" ? '<html lang="en">' : '<html lang="pt-BR">');
      expect(text).toMatch(page === "/docs" ? />Try again<\/a>/ : />Tentar novamente<\/a>/);
      expect(text).not.toMatch(/{{|undefined|NaN/);
      const slash = await client.send(`${page}/`, { headers: BROWSER });
      if (status !== 500) expect(slash.headers.get("Content-Type")).toMatch(/^text\/html/);
      const json = await client.send(page, { headers: { Accept: "application/json" } });
      expect([json.status, json.headers.get("Content-Type")]).toEqual([status, "application/json"]);
      expect(json.headers.get("Vary")).toMatch(/\bAccept\b/);
    },
  );

  it("leads to the page with a slash at its end, and keeps the query (D1)", async () => {
    for (const query of ["", "?periodo=mes&unidade=101"]) {
      const response = await send(`${page}/${query}`, { headers: BROWSER, redirect: "manual" });
      expect(response.status).toBe(301);
      const location = new URL(response.headers.get("Location") ?? "", "http://x");
      expect(location.pathname + location.search).toBe(page + query);
    }
  });
});

describe("a path without a file (A1)", () => {
  it.each([
    "/assets",
    "/assets/",
    "/assets/nothing.js",
    "/assets/constructor",
    "/session.js",
    "/pages/painel.html",
    "/painel/index.html",
    "/painel//",
    "/index.html",
    "/_headers",
    "/cdn-cgi/local/scheduled?time=1",
  ])("returns the counted 404 for %s (A1, E3, W1)", async (path) => {
    const response = await send(path);
    expect(response.headers.get("RateLimit")).toBeTruthy();
    expect(response.headers.get("Cache-Control")).toBeNull();
    await expectError(response, 404, "Not Found", /^This path does not exist/);
  });

  it.each([
    ["/nothing", "pt-BR", "/painel", "Abrir o painel"],
    ["/a/b?c=d", "pt-BR", "/painel", "Abrir o painel"],
    ["/painel/nothing", "pt-BR", "/painel", "Abrir o painel"],
    ["/docs/nothing", "en", "/docs", "Open the API reference"],
  ])(
    "is the 404 page for %s in a browser, in the language of its link (A2)",
    async (path, lang, href, link) => {
      const response = await send(path, { headers: BROWSER });
      expect([response.status, response.headers.get("Cache-Control")]).toEqual([404, "no-store"]);
      const text = await response.text();
      expect(text).toContain(`<html lang="${lang}">`);
      expect(text).toContain(`href="${href}">${link}</a>`);
      expect(text).not.toMatch(/{{|undefined/);
    },
  );

  it("is that page below every path of a route, too, and JSON for any other client (A2)", async () => {
    for (const mount of Object.keys(POLICIES)) {
      const path = `${mount === "/" || mount === "*" ? "" : mount}/nothing/here`;
      const response = await send(path, { headers: BROWSER });
      expect([path, response.status, response.headers.get("Content-Type")]).toEqual([
        path,
        404,
        expect.stringContaining("text/html"),
      ]);
      expect([path, response.headers.get("Vary")]).toEqual([path, expect.stringMatching(/\bAccept\b/)]);
      for (const Accept of ["application/json", "*/*", "application/json, text/html;q=0.5"])
        await expectError(
          await send(path, { headers: { Accept } }),
          404,
          "Not Found",
          /^This path does not exist/,
        );
    }
    const record = await get("/v1/lancamentos/nothing", BROWSER);
    await expectError(record, 404, "Not Found", /./);
  });
});
