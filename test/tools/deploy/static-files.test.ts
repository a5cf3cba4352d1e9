import { globSync, readFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { SECURITY_HEADERS, SERVICE_WORKER_POLICY } from "../../../src/platform/http/security-headers.ts";
import { startDeployed } from "../../../tools/local/deployed.ts";
import { posting } from "../../../tools/posting.ts";
import { DEMO_USER } from "../../support/node/databases.ts";

const FOLDER = join(import.meta.dirname, "../../../dist/public");
const WORKER = "service-worker.js";
const FILES = globSync(["{assets,icons}/**/*.{js,css,svg,png,webmanifest}", WORKER], { cwd: FOLDER });
const BROWSER = { Accept: "text/html" };
const QUOTAS = { RATE_LIMIT_GLOBAL: "500", RATE_LIMIT_AUTH: "20" };
const TYPES: Record<string, RegExp> = {
  js: /^text\/javascript/,
  css: /^text\/css/,
  svg: /^image\/svg\+xml/,
  png: /^image\/png/,
  webmanifest: /^application\/manifest\+json/,
};

let served: Awaited<ReturnType<typeof startDeployed>>;
beforeAll(async () => {
  const [sessions, role] = inject("isServer") ? [8, "salon_api"] : [1, "postgres"];
  served = await startDeployed(inject("postgresUrl"), sessions, role, { settings: QUOTAS });
});
afterAll(() => served?.stop());

/** Sends a request through the asset router, which `exports.default` bypasses. */
const ask = (path: string, init: RequestInit = {}) => fetch(new URL(path, served.url), init);
const remaining = (response: Response) =>
  Number(/;r=(\d+)/.exec(response.headers.get("RateLimit") ?? "")?.[1]);
const namedIn = (html: string) =>
  [...html.matchAll(/"(\/(?:assets|icons)\/[^"]+)"/g)].map(([, file = ""]) => file);

const signIn = () => ask("/auth/login", posting({ email: DEMO_USER.email, password: DEMO_USER.password }));

describe("a static file", () => {
  it.each(FILES)(
    "%s is served without the Worker, with the security headers and its type (A2, E3, E8)",
    async (file) => {
      const response = await ask(`/${file}`, { headers: { Origin: "https://other.example" } });
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(readFileSync(join(FOLDER, file)));
      expect(response.headers.get("Content-Type")).toMatch(TYPES[file.replace(/.*\./, "")] ?? /nothing/);
      const policy = file === WORKER && { "Content-Security-Policy": SERVICE_WORKER_POLICY };
      for (const [name, value] of Object.entries({ ...SECURITY_HEADERS, ...policy }))
        expect(response.headers.get(name)).toBe(value);
      for (const name of ["X-Request-Id", "RateLimit", "Server-Timing", "Access-Control-Allow-Origin"])
        expect(response.headers.get(name)).toBeNull();
      expect(response.headers.get("Cache-Control")).toBe(
        file.startsWith("assets/")
          ? "public, max-age=31536000, immutable"
          : "public, max-age=0, must-revalidate",
      );
      const again = await ask(`/${file}`, {
        headers: { "If-None-Match": response.headers.get("ETag") ?? "" },
      });
      expect(again.status).toBe(304);
    },
  );

  it("has a path below /assets that changes with its content or its package's version (A2)", () => {
    const assets = FILES.filter((file) => file.startsWith("assets/"));
    expect(assets.length).toBeGreaterThan(5);
    for (const file of assets)
      expect(file).toMatch(/^assets\/(?:[\w-]+-[\w-]{8}\.\w+|\d+\.\d+\.\d+\/swagger-ui-dist\/[\w-]+\.\w+)$/);
  });

  it.each([
    "/assets/nothing-12345678.js",
    "/assets/painel.js",
    "/icons/1.png",
    "/assets/",
    "/pages/painel.html",
    "/pages/docs.html",
    "/_headers",
    "/.assetsignore",
    "/.sha256",
    "/worker/service-worker.ts",
    "/assets/..%2f_headers",
    "/%5F_headers",
  ])(
    "is the counted 404 and never immutable if it is missing or not public: %s (A1, A2, E3)",
    async (path) => {
      const response = await ask(path);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: "Not Found" });
      expect(response.headers.get("Cache-Control")).toBeNull();
      expect(remaining(response)).toBeLessThan(500);
    },
  );

  it.each(["/painel", "/docs"])("exists for every path that %s names (A1, D1)", async (page) => {
    const files = namedIn(await (await ask(page, { headers: BROWSER })).text());
    expect(files.length).toBeGreaterThan(3);
    // A redirect would cost another round trip.
    for (const file of files)
      expect([file, (await ask(file, { redirect: "manual" })).status]).toEqual([file, 200]);
  });
});

/** Checks that each icon is there, with the type and the size that its description names. */
const expectIcons = async (icons: { src: string; size: string | undefined; type: string }[]) => {
  for (const { src, size, type } of icons) {
    const icon = await ask(src);
    expect([icon.status, icon.headers.get("Content-Type")]).toEqual([200, type]);
    // The width and the height in the header of a PNG.
    const bytes = Buffer.from(await icon.arrayBuffer());
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(size);
  }
};

it("the manifest of /painel names icons that exist, with their size, and shortcuts (D1)", async () => {
  const html = await (await ask("/painel", { headers: BROWSER })).text();
  const manifest = (await (await ask(/rel="manifest" href="([^"]+)"/.exec(html)?.[1] ?? "")).json()) as {
    icons: { src: string; sizes: string; type: string; purpose: string }[];
    shortcuts: { name: string; url: string }[];
  };
  expect(manifest).toMatchObject({
    start_url: "/painel?inicio=app",
    scope: "/painel",
    display: "standalone",
  });
  expect(manifest.icons.map(({ sizes, purpose }) => `${sizes} ${purpose}`)).toEqual([
    "192x192 any",
    "512x512 any",
    "512x512 maskable",
  ]);
  expect(manifest.shortcuts).toMatchObject([
    { name: "Hoje", url: "/painel?inicio=app&periodo=hoje" },
    { name: "Mês", url: "/painel?inicio=app" },
  ]);
  await expectIcons(manifest.icons.map(({ src, sizes: size, type }) => ({ src, size, type })));
  expect(namedIn(html)).toContain("/icons/180.png");
  const policy = (await ask("/painel", { headers: BROWSER })).headers.get("Content-Security-Policy");
  expect(policy).toContain("manifest-src 'self'");
});

it("/mcp names icons and a website that exist, at its own address (M8)", async () => {
  const { access_token } = (await (await signIn()).json()) as { access_token: string };
  const clientInfo = { name: "test", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const message = { jsonrpc: "2.0", id: 1, method: "initialize", params };
  const response = await ask("/mcp", posting(message, { Authorization: `Bearer ${access_token}` }));
  const { result } = (await response.json()) as {
    result: {
      serverInfo: { websiteUrl: string; icons: { src: string; mimeType: string; sizes: string[] }[] };
    };
  };
  const { websiteUrl, icons } = result.serverInfo;
  expect(websiteUrl).toBe(new URL("/", served.url).href);
  expect((await fetch(websiteUrl)).status).toBe(200);
  expect(icons).toHaveLength(2);
  for (const { src } of icons) expect(new URL(src).origin).toBe(new URL(served.url).origin);
  await expectIcons(icons.map(({ src, mimeType: type, sizes: [size] }) => ({ src, size, type })));
});

it("100 openings of /painel with a cold cache cost 100 requests, and signing in works after them (A2, E3)", async () => {
  const first = remaining(await ask("/nothing"));
  for (let i = 0; i < 100; i += 1) {
    const page = await ask("/painel", { headers: BROWSER });
    expect(page.status).toBe(200);
    const answers = await Promise.all(namedIn(await page.text()).map((file) => ask(file)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    await Promise.all(answers.map((answer) => answer.arrayBuffer()));
  }
  expect((await signIn()).status).toBe(200);
  expect(remaining(await ask("/nothing"))).toBe(first - 102);
});

describe("GET /openapi.yaml", () => {
  /** Node's `fetch` would decode the body. */
  const askRaw = (headers: Record<string, string>) =>
    new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }>(
      (resolve, reject) => {
        request(new URL("/openapi.yaml", served.url), { headers }, async (response) => {
          const body = await buffer(response);
          resolve({ status: response.statusCode, headers: response.headers, body });
        })
          .on("error", reject)
          .end();
      },
    );

  it("is compressed with gzip if the client accepts it, with the same content and the same tag (E6, E8)", async () => {
    const login = await signIn();
    const authorization = `Bearer ${((await login.json()) as { access_token: string }).access_token}`;
    const plain = await askRaw({ authorization });
    expect([plain.status, plain.headers["content-encoding"]]).toEqual([200, undefined]);
    for (const accepted of ["gzip", "gzip, deflate, br", "br;q=1.0, GZIP;q=0.5", "*", "br, *;q=0.1"]) {
      const packed = await askRaw({ authorization, "accept-encoding": accepted });
      expect([packed.status, packed.headers["content-encoding"]]).toEqual([200, "gzip"]);
      expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
      expect(packed.body.length).toBeLessThan(plain.body.length / 5);
      expect(packed.headers.etag).toBe(plain.headers.etag);
      expect(packed.headers.vary).toMatch(/accept-encoding/i);
    }
    for (const refused of ["identity", "gzip;q=0", "br", "gzip;q=0, *"]) {
      const unpacked = await askRaw({ authorization, "accept-encoding": refused });
      expect([unpacked.headers["content-encoding"], unpacked.body.equals(plain.body)]).toEqual([
        undefined,
        true,
      ]);
    }
    const same = await askRaw({
      authorization,
      "accept-encoding": "gzip",
      "if-none-match": String(plain.headers.etag),
    });
    expect([same.status, same.body.length]).toEqual([304, 0]);
  });
});
