import { describe, expect, it } from "vitest";
import { PUBLIC_FILES } from "../src/pages/routes.ts";
import { expectError, get, readDocument, send } from "./support/api.ts";
import { operationsOf } from "./support/document.ts";

const BROWSER = { Accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8" };

describe.each(["/docs", "/painel"])("GET %s (A2)", (page) => {
  it("returns the sign-in page with status 401 to a browser without a token (A2)", async () => {
    const response = await send(page, { headers: BROWSER });
    expect(response.status).toBe(401);
    expect(response.headers.get("Content-Type")).toMatch(/^text\/html/);
    expect(response.headers.get("WWW-Authenticate")).toBe('Bearer realm="api"');
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
    expect([head.status, await head.text()]).toEqual([401, ""]);
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

  it("loads only files that are public (A1)", async () => {
    const html = await (await send(page, { headers: BROWSER })).text();
    const files = [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
    expect(files.length).toBeGreaterThan(3);
    for (const path of files) expect([path, (await send(path)).status]).toEqual([path, 200]);
  });
});

describe("GET /assets (A1)", () => {
  const TYPES: Record<string, RegExp> = {
    js: /^text\/javascript/,
    css: /^text\/css/,
    svg: /^image\/svg/,
    png: /^image\/png/,
  };

  it.each(PUBLIC_FILES)("serves %s without a token (A1)", async (name) => {
    const response = await send(`/assets/${name}`);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toMatch(TYPES[name.replace(/.*\./, "")] ?? /nothing/);
    expect(response.headers.get("X-Request-Id")).toBeTruthy();
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(100);
    const again = await send(`/assets/${name}`, {
      headers: { "If-None-Match": response.headers.get("ETag") ?? "" },
    });
    expect(again.status).toBe(304);
  });

  it("serves exactly the modules that the HTML of /painel lists", async () => {
    const page = await (await send("/painel", { headers: { Accept: "text/html" } })).text();
    const named = [...page.matchAll(/"\/assets\/((?:painel\/)?\w+\.js)"/g)].map(([, name]) => name);
    const modules = PUBLIC_FILES.filter((name) => /^(painel\/\w+|session)\.js$/.test(name));
    expect(named.sort()).toEqual(modules.sort());
  });

  it.each([
    "/assets",
    "/assets/",
    "/assets/tsconfig.json",
    "/assets/globals.d.ts",
    "/assets/painel/index.html",
    "/assets/docs/index.html",
    "/assets/swagger-ui-dist/package.json",
    "/assets/swagger-ui-dist/..%2fsession.js",
    "/assets/painel/../session.js/",
    "/assets/constructor",
    "/session.js",
    "/swagger-ui-dist/swagger-ui-bundle.js",
    "/painel/index.html",
    "/painel/",
    "/index.html",
    "/",
  ])("returns 404 for %s (A1)", async (path) => {
    await expectError(await send(path), 404, "Not Found", /^This (file|path) does not exist/);
  });
});

describe("GET /llms.txt", () => {
  const text = async () => (await send("/llms.txt")).text();

  it("needs no token and is plain text in the llms.txt format (A1)", async () => {
    const response = await send("/llms.txt");
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    const lines = (await response.text()).split("\n");
    expect(lines[0]).toMatch(/^# /);
    expect(lines.filter((line) => line.startsWith("# "))).toHaveLength(1);
    expect(lines[2]).toMatch(/^> /);
    expect(lines.filter((line) => line.startsWith("## ")).length).toBeGreaterThan(5);
  });

  // This text has 3.8 bytes per token with the tokenizer of GPT-4o and 3.6 with that of GPT-4.
  it("has fewer than 4,000 tokens, counted at 3.2 bytes per token", async () => {
    expect(new TextEncoder().encode(await text()).length).toBeLessThan(4000 * 3.2);
  });

  it("lists every data endpoint with its query parameters", async () => {
    const lines = (await text()).split("\n");
    const operations = operationsOf(await readDocument()).filter(({ path }) => path.startsWith("/v1/"));
    expect(operations).toHaveLength(27);
    for (const { method, path, operation } of operations) {
      const line = lines.find((one) => one.startsWith(`- ${method} ${path} `));
      for (const { name } of (operation.parameters ?? []).filter((one) => one.in === "query"))
        expect(line).toContain(name);
    }
  });

  it("describes every report and names only paths that exist", async () => {
    const [prose = ""] = (await text()).split("## Endpoints");
    const paths = Object.keys((await readDocument()).paths);
    const reports = paths.filter((path) => path.startsWith("/v1/relatorios/"));
    expect(reports.filter((path) => !prose.includes(path.replace(/.*\//, "")))).toEqual([]);
    const named = [...prose.matchAll(/\/(?:v1|auth)\/[\w/-]*\w/g)].map(([path]) => path);
    for (const [report] of prose.matchAll(/\b(?:\w+-por(?:-\w+)+|painel|nao-mapeados)/g))
      named.push(`/v1/relatorios/${report}`);
    expect(named.filter((one) => !paths.some((path) => `${path}/`.startsWith(`${one}/`)))).toEqual([]);
  });

  it.each([
    "/v1/frescor shows how fresh the data is",
    "Then send next_after, which every page has",
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
    "send the id of the last record",
    "the same after_id after an empty page",
    "usually nome and valor",
    "It includes servicos and the salon lines",
    "synced_at is when a job last fetched a record",
    "A job whose latest row is started is running",
    "All tokens of your user share them",
    "{id} is salon_id for transacoes and lancamentos",
    "valor_total of visits is the sum of total",
    "Never add up rows of transacoes-por-profissional",
    "0.0299 is 2.99 %",
    "is the home unit; services at other units are common",
    "nome_conta_classificacao needs the exact name",
    "POST /mcp with either token",
    "(/openapi.yaml)",
    "(/docs)",
  ])("contains: %s (L7, M5)", async (word) => {
    expect((await text()).replace(/\s+/g, " ")).toContain(word);
  });
});
