import type { Page } from "playwright-core";
import type { Opened } from "./browser.ts";

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

export const today = new Date().toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" });
export const shifted = (day: string, by: number) =>
  new Date(Date.parse(`${day}T12:00:00Z`) + by * 86_400_000).toISOString().slice(0, 10);
const endOfLast = shifted(`${today.slice(0, 8)}01`, -1);
/** The first and the last day of each period. */
export const DAYS: Record<string, [from: string, to: string]> = {
  hoje: [today, today],
  "7-dias": [shifted(today, -6), today],
  mes: [`${today.slice(0, 8)}01`, today],
  "mes-passado": [`${endOfLast.slice(0, 8)}01`, endOfLast],
  ano: [`${today.slice(0, 4)}-01-01`, today],
};

/** Waits until everything of the place in the URL has arrived, or has failed. */
export const waitForPanel = async (page: Page) => {
  const search = await page.evaluate<string>("location.search");
  await page
    .locator(`main#conteudo[data-search=${JSON.stringify(search)}]:not(:has(.loading))`)
    .waitFor({ state: "attached" });
};

export const DEMO = { email: "demo@example.com", password: "demo-password" };

export const signIn = async (page: Page, { email, password } = DEMO) => {
  await page.fill("#email", email);
  await page.fill("#password", password);
  await page.click("#submit");
};

/** `prepare` runs before the page loads, for example to set its clock. */
type Options = NonNullable<Parameters<Opened["open"]>[1]> & {
  user?: typeof DEMO;
  prepare?: (page: Page) => Promise<void>;
};

/** Opens the panel and signs in. */
export const openPanel = async (
  opened: Opened,
  search = "",
  { user = DEMO, prepare, ...options }: Options = {},
) => {
  const { page, complaints } = await opened.open("", options);
  await prepare?.(page);
  const paths: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith("/v1/")) paths.push(url.pathname + url.search);
  });
  await page.goto(`${opened.base}/painel${search}`);
  await signIn(page, user);
  await waitForPanel(page);
  return { page, complaints, paths };
};

/** Fakes the clock of the page. It starts at noon, so that no test crosses midnight as its minutes pass. */
export const installClock = (page: Page) => page.clock.install({ time: `${today}T12:00:00-03:00` });

/** Opens another view in the same page, as a link does, and waits for nothing. */
export const goTo = (page: Page, search: string) =>
  page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(`/painel${search}`)}); dispatchEvent(new Event("popstate"))`,
  );

/** Opens another view in the same page and waits until everything has arrived. */
export const navigate = async (page: Page, search: string) => {
  await goTo(page, search);
  await waitForPanel(page);
};

export const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** The table with a caption. */
export const tableOf = (page: Page, caption: string) =>
  page.locator("table").filter({ has: page.locator("caption", { hasText: caption }) });

/** The rows of the table with a caption, as the text of their cells. */
export const rowsOf = async (page: Page, caption: string): Promise<string[][]> => {
  const rows = await tableOf(page, caption)
    .locator("tbody tr")
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
  return rows.map((row) => row.map(plain));
};

/** The card with a title. */
export const cardOf = (page: Page, title: string | RegExp) =>
  page.locator("section").filter({ has: page.getByRole("heading", { name: title }) });

export const textOf = async (page: Page, selector: string) =>
  plain((await page.locator(selector).first().textContent()) ?? "");

const currency = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
export const money = (reais: number) => plain(currency.format(reais));
export const count = (value: number) => value.toLocaleString("pt-BR", { maximumFractionDigits: 20 });
/** 0.123 becomes 12,3%. */
export const percent = (fraction: number, signDisplay: "auto" | "exceptZero" = "auto") =>
  fraction.toLocaleString("pt-BR", {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay,
  });
