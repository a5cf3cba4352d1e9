import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { startDeployed } from "../local/deployed.ts";
import { startEmbeddedPostgres } from "../local/embedded-postgres.ts";
import { addUser } from "../operate/user-changes.ts";
import { connected } from "../warehouse/databases.ts";
import { migrateWarehouse } from "../warehouse/migrate.ts";
import { type Figure, plain, withinMs } from "./figures.ts";

/** Shows how long a person waits for the panel, in Chromium on a slow mobile connection. */

export const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ROUNDS = 7;
/** A slow mobile connection: 1.6 Mbit/s down, 150 ms. Throughput is in bytes per second. */
const CONNECTION = {
  offline: false,
  latency: 150,
  downloadThroughput: 1_600_000 / 8,
  uploadThroughput: 750_000 / 8,
};
/** The time a person needs to type e-mail and password. */
const TYPING_MS = 6000;
const USER = { email: "bench@example.com", name: "Bench", password: "bench-password" };

/** A phone's processor is this many times slower. */
const PHONE_SLOWDOWN = 4;

/** Records in the page when the sign-in form can be used, when figures are shown, and the largest paint so far. */
const OBSERVER = `
  new PerformanceObserver((list) => { window.largestAt = list.getEntries().at(-1).startTime; })
    .observe({ type: "largest-contentful-paint", buffered: true });
  new MutationObserver(() => {
    if (document.querySelector(".headline .figure")) window.figuresAt ??= performance.now();
    const form = document.getElementById("sign-in");
    if (form && !form.hidden) window.usableAt ??= performance.now();
  }).observe(document, { subtree: true, childList: true, attributes: true });
  addEventListener("submit", () => { window.submittedAt = performance.now(); }, true);
`;

type Mark = "usableAt" | "submittedAt" | "figuresAt" | "largestAt";

/** Waits for a time that the page recorded, in ms since its navigation. */
const timeOf = async (page: Page, mark: Mark): Promise<number> => {
  // A function, because the policy of the pages forbids the evaluation of a string.
  const read = (name: Mark) => (globalThis as { [Name in Mark]?: number })[name];
  return (await (await page.waitForFunction(read, mark, { polling: 50 })).jsonValue()) ?? Number.NaN;
};

interface Load {
  page: Page;
  /** From the start of the navigation until the form can be used. */
  ms: number;
  /** Requests that left the browser until then. */
  requests: number;
}

const load = async (context: BrowserContext, url: string, slowdown = 1): Promise<Load> => {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.enable");
  await cdp.send("Network.emulateNetworkConditions", CONNECTION);
  await cdp.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  let requests = 0;
  cdp.on("Network.requestWillBeSent", () => {
    requests += 1;
  });
  cdp.on("Network.requestServedFromCache", () => {
    requests -= 1;
  });
  cdp.on("Network.responseReceived", ({ response }) => {
    if (response.fromDiskCache === true) requests -= 1;
  });
  await page.addInitScript(OBSERVER);
  await page.goto(url);
  return { page, ms: await timeOf(page, "usableAt"), requests };
};

/** The first visit of a phone: its largest paint, and from the sign-in until the figures of Início. */
const measurePhone = async (browser: Browser, origin: string) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true });
  const { page } = await load(context, `${origin}/painel`, PHONE_SLOWDOWN);
  const largest = await timeOf(page, "largestAt");
  await page.waitForTimeout(TYPING_MS);
  await page.fill("#email", USER.email);
  await page.fill("#password", USER.password);
  await page.click("#submit");
  const figures = (await timeOf(page, "figuresAt")) - (await timeOf(page, "submittedAt"));
  await context.close();
  return { largest, figures };
};

const measureRound = async (browser: Browser, origin: string) => {
  // A new context has an empty cache.
  const context = await browser.newContext();
  const cold = await load(context, `${origin}/painel`);
  await cold.page.waitForLoadState("networkidle");
  await cold.page.close();
  const warm = await load(context, `${origin}/painel`);
  await context.close();
  return { cold, warm, phone: await measurePhone(browser, origin) };
};

const measure = async (browser: Browser, origin: string): Promise<Figure[]> => {
  await measureRound(browser, origin); // The first round is a warm-up.
  const rounds: Awaited<ReturnType<typeof measureRound>>[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await measureRound(browser, origin));
  const coldRequests = Math.max(...rounds.map(({ cold }) => cold.requests));
  const warmRequests = Math.max(...rounds.map(({ warm }) => warm.requests));
  const within = (
    measure: string,
    bar: number,
    read: (round: (typeof rounds)[number]) => number,
    detail = "",
  ) => withinMs(measure, rounds.map(read), bar, detail);
  return [
    within("/painel usable, cold cache", 900, ({ cold }) => cold.ms, `, ${coldRequests} requests`),
    within("/painel usable, warm cache", 450, ({ warm }) => warm.ms),
    { ...plain("requests of /painel, warm cache", `${warmRequests}`), bar: "≤ 1", isMet: warmRequests <= 1 },
    within("/painel on a phone, largest paint", 1800, ({ phone }) => phone.largest),
    within("/painel on a phone, Início after the sign-in", 1800, ({ phone }) => phone.figures),
  ];
};

export const measurePages = async (): Promise<Figure[]> => {
  const database = await startEmbeddedPostgres();
  await migrateWarehouse(database.url);
  await connected(database.url, (owner) => addUser(owner, USER));
  const { url, stop } = await startDeployed(database.url, 1, "salon_api");
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
  });
  try {
    return await measure(browser, url.origin);
  } finally {
    await browser.close();
    await stop();
    await database.close();
  }
};
