import type { BrowserContext, Page } from "playwright-core";
import { beforeEach, expect } from "vitest";
import { addReader, PASSWORD } from "./warehouse.ts";

/** Adds a user for each test. */
export const ownReader = () => {
  const own = { email: "" };
  beforeEach(async () => {
    own.email = (await addReader()).email;
  });
  return own;
};

/** The page is the panel or the reference. */
const isReference = (page: Page) => new URL(page.url()).pathname === "/docs";
const menuOf = (page: Page, email: string) => page.getByRole("button", { name: `Menu de ${email}` });

export const expectSignedIn = async (page: Page, email: string) => {
  await page.locator("#content").waitFor();
  if (isReference(page)) expect(await page.textContent("#who")).toBe(email);
  else await menuOf(page, email).waitFor();
  expect(await page.locator("#sign-in").isVisible()).toBe(false);
};

export const signInAs = async (page: Page, email: string, keep: boolean) => {
  await page.fill("#email", email);
  await page.fill("#password", PASSWORD);
  await page.locator("#keep").setChecked(keep);
  await page.click("#submit");
  await expectSignedIn(page, email);
};

/** The service refuses the kept session with a 400: the page shows the form, and no picture. */
export const refuseRenewals = (page: Page) =>
  page.route("**/auth/browser/refresh", (route) => route.fulfill({ status: 400, body: "{}" }));

export const expectForm = async (page: Page, message: RegExp) => {
  await page.locator("#sign-in").waitFor();
  await expect.poll(() => page.textContent("#message")).toMatch(message);
  expect(await page.locator("#content").isVisible()).toBe(false);
};

export const openMenu = (page: Page) => page.getByRole("button", { name: /^Menu de / }).click();

export const signOut = async (page: Page) => {
  if (isReference(page)) return page.click("#sign-out");
  await openMenu(page);
  await page.getByRole("button", { name: "Sair" }).click();
};

/** Opens a page in a context. Other contexts do not share its cookies. */
export const openIn = async (context: BrowserContext, url: string) => {
  const page = await context.newPage();
  await page.goto(url);
  return page;
};

export const PICTURE = "/painel/last-picture";

/** What this browser keeps: the paths in its caches, and the scopes of its service workers. */
export const keptFiles = (page: Page) =>
  page.evaluate(async () => {
    const names = await caches.keys();
    const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
    const registrations = await navigator.serviceWorker.getRegistrations();
    return {
      paths: requests.flat().map(({ url }) => new URL(url).pathname),
      scopes: registrations.map(({ scope }) => new URL(scope).pathname),
      caches: names,
    };
  });

/** Waits until the shell and the picture are kept. */
export const waitForFiles = (page: Page) =>
  expect
    .poll(async () => (await keptFiles(page)).paths)
    .toEqual(expect.arrayContaining(["/painel", PICTURE]));
