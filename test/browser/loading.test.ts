// @module-tag slow
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base, openPage, shoot } from "./browser.ts";
import { signIn, waitForPanel } from "./panel.ts";

describe.skipIf(!hasChromium).each([
  ["/painel", "O painel ainda não carregou por completo", "Tentar novamente", "#conteudo .headline"],
  ["/docs", "This page has not loaded completely", "Try again", "#swagger-ui .opblock"],
])("%s with a file that does not arrive", (path, sentence, again, content) => {
  /** Opens a blank page in which the four seconds before the sentence take less than one. */
  const openFast = async () => {
    const { page } = await openPage("");
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Animation.enable");
    await devtools.send("Animation.setPlaybackRate", { playbackRate: 10 });
    return page;
  };

  const isShown = (page: Page, selector: string) => page.locator(selector).isVisible();

  it.each([
    ["its module", /\/assets\/(?:painel|docs)-[^/]*\.js$/],
    ["a module that it imports", /\/assets\/session-[^/]*\.js$/],
    ["its style", /\/assets\/(?:painel|page)-[^/]*\.css$/],
    ["everything", /\/assets\//],
  ])("says so and loads again, without %s (A2)", async (_, files) => {
    const page = await openFast();
    await page.route(files, (route) => route.abort());
    await page.goto(`${base}${path}?periodo=mes-passado`);
    const link = page.getByRole("link", { name: again });
    await link.waitFor();
    expect(await page.locator("#not-loaded").textContent()).toContain(sentence);
    expect(await isShown(page, "#sign-in")).toBe(false);
    await shoot(page, `not-loaded-${path.slice(1)}`);
    await page.unroute(files);
    await link.click();
    await page.locator("#email").waitFor();
    expect(new URL(page.url()).search).toBe("?periodo=mes-passado");
    expect(await isShown(page, "#not-loaded")).toBe(false);
    await signIn(page);
    await page.locator(content).first().waitFor();
  });
});

describe.skipIf(!hasChromium)("/docs without Swagger UI", () => {
  it("says so after the sign-in, if its files did not arrive (A2)", async () => {
    const { page } = await openPage("");
    await page.route(/swagger-ui-bundle/, (route) => route.abort());
    await page.goto(`${base}/docs`);
    await signIn(page);
    await page.getByRole("link", { name: "Try again" }).waitFor();
    await shoot(page, "not-loaded-docs-swagger");
  });
});

describe.skipIf(!hasChromium)("the files of /painel", () => {
  it("are at most 38 KiB of JavaScript and 85 KiB in all at the first visit, from this origin (A2)", async () => {
    const { page, complaints } = await openPage("");
    const paths = new Set<string>();
    page.on("request", (request) => paths.add(new URL(request.url()).pathname));
    const document = await page.goto(`${base}/painel`);
    await signIn(page);
    await waitForPanel(page);
    // A browser with a window also loads the icons and the manifest.
    for (const [, path = ""] of (await document?.text())?.matchAll(/href="(\/[^"]+)"/g) ?? [])
      paths.add(path);
    const files = [...paths].filter((path) => !/^\/(?:v1|auth)\//.test(path));
    const sizes = await Promise.all(
      files.map(async (path) => {
        const response = await fetch(base + path, { headers: { Accept: "text/html" } });
        return { path, size: gzipSync(await response.arrayBuffer()).length };
      }),
    );
    const sizeOf = (ending: string) =>
      sizes.reduce((sum, { path, size }) => (path.endsWith(ending) ? sum + size : sum), 0) / 1024;
    expect(files).toEqual(expect.arrayContaining(["/painel", "/icons/180.png"]));
    expect(sizeOf(".css")).toBeGreaterThan(1);
    expect(sizeOf(".js")).toBeGreaterThan(1);
    expect(sizeOf(".js")).toBeLessThanOrEqual(38);
    expect(sizeOf("")).toBeLessThanOrEqual(85);
    expect(complaints).toEqual([]);
  });
});
