// @module-tag slow
import { gzipSync } from "node:zlib";
import type { Page, Request } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base, openPage, shoot } from "./browser.ts";
import {
  goTo,
  installClock,
  openPanel,
  placesOf,
  signIn,
  takeTurn,
  textOf,
  waitForPanel,
  wholeResponse,
} from "./panel.ts";

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

describe.skipIf(!hasChromium)("the cards of /painel", () => {
  const VIEWS = ["periodo=mes-passado", "periodo=mes-passado&unidade=103", "periodo=7-dias&unidade=201"];
  /** Without minutes, which pass. */
  const content = async (page: Page) =>
    (await textOf(page, "#conteudo")).replaceAll(/\d\d:\d\d|há \d+ minutos?/g, "–");

  it.each([
    ["first", (index: number) => 150 * index],
    ["last", (index: number) => 150 * Math.max(0, 3 - index)],
  ])("are busy until all of each is there, with the first request answered %s (A2)", async (_, delayOf) => {
    const { page } = await openPanel("", { prepare: installClock });
    const requests: Request[] = [];
    await page.route("**/v1/**", async (route) => {
      const delay = delayOf(requests.push(route.request()) - 1);
      await new Promise((resolve) => setTimeout(resolve, delay));
      await route.continue();
    });
    const late: unknown[] = [];
    for (const search of VIEWS.flatMap((view) => placesOf(view))) {
      requests.length = 0;
      await goTo(page, search);
      await waitForPanel(page);
      const before = await content(page);
      await Promise.all(requests.map(wholeResponse));
      await takeTurn(page);
      const after = await content(page);
      if (after !== before) late.push([search, before, after]);
    }
    expect(late).toEqual([]);
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
