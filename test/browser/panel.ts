import type { Page } from "playwright-core";
import type { Opened } from "./browser.ts";

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };

/** Whether everything has arrived. The panel is hidden while a list is open. */
export const waitForPanel = (page: Page) =>
  page.locator('#panel[aria-busy="false"]:not([hidden])').waitFor({ state: "attached" });

export const DEMO = { email: "demo@example.com", password: "demo-password" };

export const signIn = async (page: Page, { email, password } = DEMO) => {
  await page.fill("#email", email);
  await page.fill("#password", password);
  await page.click("#submit");
};

/** Opens the panel and signs in. */
export const openPanel = async (
  opened: Opened,
  search = "",
  { user = DEMO, ...options }: NonNullable<Parameters<Opened["open"]>[1]> & { user?: typeof DEMO } = {},
) => {
  const { page, complaints } = await opened.open("", options);
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

/** Opens another view in the same page, as a link does. */
export const navigate = async (page: Page, search: string) => {
  await page.evaluate(
    `history.pushState(null, "", ${JSON.stringify(`/painel${search}`)}); dispatchEvent(new Event("popstate"))`,
  );
  await waitForPanel(page);
};

const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();

/** The rows of a table, as the text of their cells. */
export const rowsOf = async (page: Page, id: string): Promise<string[][]> => {
  const rows = await page
    .locator(`#${id} tbody tr`)
    .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
  return rows.map((row) => row.map(plain));
};

export const textOf = async (page: Page, selector: string) =>
  plain((await page.locator(selector).first().textContent()) ?? "");

const currency = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
export const money = (reais: number) => plain(currency.format(reais));
export const count = (value: number) => value.toLocaleString("pt-BR", { maximumFractionDigits: 20 });
