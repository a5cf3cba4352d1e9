import pg from "pg";
import type { BrowserContext, Page } from "playwright-core";
import { expect, inject } from "vitest";
import { addUser } from "../../tools/users.ts";

export const PASSWORD = "session-password";

/** Adds users with an e-mail of their own each, and removes them at the end. */
export const openUsers = async (prefix: string) => {
  const db = new pg.Client({ connectionString: inject("postgresUrl") });
  await db.connect();
  let count = 0;
  return {
    db,
    add: async () => {
      count += 1;
      const email = `${prefix}-${count}@example.com`;
      await addUser(db, { email, name: "Session", password: PASSWORD });
      return email;
    },
    close: async () => {
      await db.query("delete from users where email like $1", [`${prefix}-%`]);
      await db.end();
    },
  };
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
