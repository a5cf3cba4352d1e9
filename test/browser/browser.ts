import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { inject, onTestFinished } from "vitest";
import { CHROMIUM } from "../support/node/installed.ts";

const LAUNCH = {
  executablePath: CHROMIUM,
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
};

/** Starts Chromium with a profile in a folder, as a person's own browser. */
export const openProfile = (folder: string, options: BrowserContextOptions = {}) =>
  chromium.launchPersistentContext(folder, { ...LAUNCH, ...options });

/** The service of this run. */
export const base = inject("pages");

let launched: Promise<Browser> | undefined;

/** Opens a page in a context of its own and records requests to other origins and console errors as complaints. */
export const openPage = async (path: string, options: BrowserContextOptions = {}) => {
  // All files share one Chromium. Playwright closes it with the process.
  launched ??= chromium.launch(LAUNCH);
  const context = await (await launched).newContext(options);
  // A page that stays open goes on requesting, and slows down the tests that follow.
  onTestFinished(async () => {
    // A test may end while the page still asks: its answer is no longer awaited.
    const ignoring = { behavior: "ignoreErrors" } as const;
    await Promise.all([context, ...context.pages()].map((routed) => routed.unrouteAll(ignoring)));
    await context.close();
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.origin !== base && url.protocol !== "data:" && url.protocol !== "blob:")
      complaints.push(`request to ${url}`);
  });
  page.on("console", (message) => {
    // Chromium logs each 4xx, 503 and lost connection as an error. The tests expect these.
    if (message.type() === "error" && !/status of (?:40[019]|429|503)|net::ERR_/.test(message.text()))
      complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  if (path) await page.goto(base + path);
  return { page, complaints };
};

/** Fakes the clock of the page from its next navigation. The time limit of a request stays real: a fake minute would end it. */
export const installFakeClock = async (page: Page, time?: string) => {
  await page.addInitScript("globalThis.realTimeout = AbortSignal.timeout");
  await page.clock.install(time === undefined ? {} : { time });
  await page.addInitScript("Object.defineProperty(AbortSignal, 'timeout', { value: realTimeout })");
};

export const shoot = (page: Page, name: string, fullPage = false) =>
  page.screenshot({ path: `.data/screenshots/${name}.png`, fullPage });

/** The accessibility rules that the page violates, with the HTML of the elements. @param runOnly ids of rules; all by default */
export const accessibilityViolations = async (page: Page, runOnly?: string[]) => {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axe.source);
  const options = { resultTypes: ["violations"], ...(runOnly && { runOnly }) };
  const { violations } = await page.evaluate<axe.AxeResults>(`axe.run(${JSON.stringify(options)})`);
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
};

/** Whether no element of the page overflows horizontally. */
export const fits = (page: Page) =>
  page.evaluate<boolean>("document.documentElement.scrollWidth <= document.documentElement.clientWidth");

/** The elements that reach beyond the right edge of the window. Empty if nothing overflows. */
export const overflowing = async (page: Page): Promise<string[]> =>
  (await fits(page))
    ? []
    : page.evaluate<string[]>(
        `[...document.querySelectorAll("body *")].filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 0.5).map((one) => one.localName + "." + one.getAttribute("class") + " " + one.textContent.slice(0, 40))`,
      );

/** What the page stored outside its memory. */
export const kept = (page: Page) =>
  page.evaluate<string>("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])");

/** Answers one request to the path as if the access token had expired. */
export const expireOnce = (page: Page, path: string) =>
  page.route(path, (route) => route.fulfill({ status: 401, json: { error: "Unauthorized", message: "" } }), {
    times: 1,
  });
