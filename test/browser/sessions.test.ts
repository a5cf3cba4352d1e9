// @module-tag slow
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page, Route } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base, installFakeClock, kept, openPage, openProfile } from "./browser.ts";
import { PHONE, refuse } from "./panel.ts";
import { openProxy } from "./proxy.ts";
import {
  expectForm,
  expectSignedIn,
  openIn,
  ownReader,
  refuseRenewals,
  signInAs,
  signOut,
  waitForFiles,
} from "./staying.ts";
import { addReader, renewPassword } from "./warehouse.ts";

describe.runIf(hasChromium)("staying signed in", () => {
  const own = ownReader();

  const signIn = (page: Page, keep: boolean, user = own.email) => signInAs(page, user, keep);
  const openPainel = (context: BrowserContext) => openIn(context, `${base}/painel`);

  it.each(["/painel", "/docs"])(
    "is off by default: a reload asks for the password and nothing is stored, at %s (A2, A12)",
    async (path) => {
      const { page, complaints } = await openPage(path);
      expect(await page.locator("#keep").isChecked()).toBe(false);
      await signIn(page, false);
      expect(await kept(page)).toBe('[{},{},""]');
      expect(await page.context().cookies()).toEqual([]);
      await page.reload();
      await expectForm(page, /^$/);
      expect(complaints).toEqual([]);
    },
  );

  it("survives a reload, and no script can read its token, on both pages (A12)", async () => {
    const { page, complaints } = await openPage("/painel");
    await signIn(page, true);
    for (const path of ["/painel", "/docs"]) {
      await page.goto(base + path);
      await expectSignedIn(page, own.email);
      expect(await kept(page)).toMatch(/^\[\{"session-kept":"[\da-f-]{36}"\},\{\},""\]$/);
    }
    const [cookie] = await page.context().cookies(`${base}/auth/browser`);
    expect(cookie).toMatchObject({
      name: "session",
      path: "/auth/browser",
      httpOnly: true,
      sameSite: "Strict",
    });
    expect(complaints).toEqual([]);
  });

  it("opens a second tab, then ten at once, which renew one after the other (A12)", async () => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    const renewals: Promise<string | null>[] = [];
    page.context().on("request", (request) => {
      if (!request.url().endsWith("/auth/browser/refresh")) return;
      renewals.push(request.response().then((response) => response?.headerValue("set-cookie") ?? null));
    });
    await expectSignedIn(await openPainel(page.context()), own.email);
    await page.context().route("**/auth/browser/refresh", async (route) => {
      // Without locks, all ten would wait here at the same time.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    const tabs = await Promise.all(Array.from({ length: 10 }, () => openPainel(page.context())));
    for (const tab of tabs) await expectSignedIn(tab, own.email);
    // Two at a time would send the same cookie, and get the same successor.
    const cookies = await Promise.all(renewals);
    expect([cookies.length, new Set(cookies).size]).toEqual([11, 11]);
    await page.context().unroute("**/auth/browser/refresh");
    await page.reload();
    await expectSignedIn(page, own.email);
  });

  it("a phone signs in once, and its closed browser opens /painel ten times without a password (A12)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "profile-"));
    try {
      for (let start = 0; start <= 10; start += 1) {
        const phone = await openProfile(folder, PHONE);
        const page = await openPainel(phone);
        if (start === 0) await signIn(page, true);
        await expectSignedIn(page, own.email);
        await phone.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.each<[string, (route: Route) => Promise<void>, RegExp]>([
    ["no answer", (route) => route.abort(), /cannot be reached/],
    ["a 429", refuse(429, 120), /Too many attempts\. Wait 2 minutes/],
    ["a 503", refuse(503, 5), /unavailable/],
  ])("survives a renewal that gets %s (A12)", async (_, answer, message) => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    // The page loads, but its renewal fails until the service answers again. /docs keeps no picture.
    await page.route("**/auth/browser/refresh", answer);
    await installFakeClock(page);
    await page.goto(`${base}/docs`);
    await expectForm(page, message);
    await page.unroute("**/auth/browser/refresh");
    // Not before the refusal asked for.
    await page.clock.runFor(121_000);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expectSignedIn(page, own.email);
  });

  it.each([
    ["/painel", "Sem conexão com o servidor."],
    ["/docs", "The service cannot be reached."],
  ])("a lost response of a renewal does not end it, at %s (A12)", async (path, sentence) => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    await waitForFiles(page);
    await page.route("**/auth/browser/refresh", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.goto(base + path);
    await page.getByText(sentence).waitFor();
    await page.unroute("**/auth/browser/refresh");
    await page.reload();
    await expectSignedIn(page, own.email);
  });

  it("gets the answer to a renewal whose page was closed meanwhile (A12)", async () => {
    const proxy = await openProxy(base);
    const { page } = await openPage("");
    await page.goto(`${proxy.url}/painel`);
    await signIn(page, true);
    const context = page.context();
    const cookie = async () => (await context.cookies(`${proxy.url}/auth/browser`))[0]?.value;
    for (let round = 0; round < 5; round += 1) {
      const before = await cookie();
      const tab = await context.newPage();
      // A request that only the page knows of may be lost with it: then the old cookie is still valid.
      const answered = proxy.hold("/auth/browser/refresh");
      await tab.goto(`${proxy.url}/painel`, { waitUntil: "commit" });
      const release = await answered;
      await tab.close();
      release();
      await expect.poll(cookie).not.toBe(before);
    }
    await proxy.stop();
  });

  it("signs out with a second cookie of the name, which a sibling domain planted (A8, A12)", async () => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    const { hostname: domain } = new URL(base);
    await page.context().addCookies([{ name: "session", value: "planted", domain, path: "/auth" }]);
    await signOut(page);
    await expectForm(page, /^Você saiu\.$/);
    const cookies = await page.context().cookies(`${base}/auth/browser`);
    expect(cookies.map(({ value }) => value)).toEqual(["planted"]);
  });

  it("says so if the service could not be told that the user signed out (A8, A12)", async () => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    await page.route("**/auth/browser/logout", (route) => route.abort());
    await signOut(page);
    await expectForm(page, /o servidor não respondeu/);
    const cookies = () => page.context().cookies(`${base}/auth/browser`);
    expect(await cookies()).toHaveLength(1);
    // The next page ends the session that this one could not end.
    await page.unroute("**/auth/browser/logout");
    await page.reload();
    await expectForm(page, /^$/);
    await expect.poll(cookies).toEqual([]);
  });

  it("a new password ends it (A9, A12)", async () => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    await renewPassword(own.email);
    await page.reload();
    await expectForm(page, /Sua sessão expirou/);
    await page.reload();
    await expectForm(page, /^$/);
  });

  it("another user in a second tab does not show their data in the first (A12)", async () => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    const second = (await addReader()).email;
    const other = await page.context().newPage();
    await refuseRenewals(other);
    await other.goto(`${base}/painel`);
    await signIn(other, true, second);
    await expectSignedIn(page, second);
    // Without keeping it: the kept session ends, so that it does not come back after a reload.
    const third = await page.context().newPage();
    await refuseRenewals(third);
    await third.goto(`${base}/painel`);
    await signIn(third, false, own.email);
    await third.unroute("**/auth/browser/refresh");
    await third.reload();
    await expectForm(third, /^$/);
    expect(await page.context().cookies(`${base}/auth/browser`)).toEqual([]);
  });

  it("a planted cookie of somebody else does not sign them in (A12)", async () => {
    const { page } = await openPage("/painel");
    await signIn(page, true);
    const attacker = (await addReader()).email;
    const other = (await openPage("/painel")).page;
    await signIn(other, true, attacker);
    const planted = await other.context().cookies(`${base}/auth/browser`);
    await page.context().clearCookies();
    await page.context().addCookies(planted);
    await page.reload();
    await expectForm(page, /Sua sessão expirou/);
    expect(await page.locator("#content").textContent()).toBe("");
  });
});
