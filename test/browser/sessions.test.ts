// @module-tag slow
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from "vitest";
import { hashPassword } from "../../src/auth/passwords.ts";
import { addUser } from "../../tools/user-changes.ts";
import { hasChromium } from "../support/node/installed.ts";
import { expireOnce, kept, type Opened, openBrowser, openProfile } from "./browser.ts";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const PASSWORD = "session-password";

describe.runIf(hasChromium)("staying signed in", () => {
  let opened: Opened;
  let db: pg.Client;
  let email = "";
  let count = 0;
  beforeAll(async () => {
    opened = await openBrowser();
    db = new pg.Client({ connectionString: inject("postgresUrl") });
    await db.connect();
  }, 120_000);
  afterAll(async () => {
    await opened?.close();
    await db?.query("delete from users where email like 'session-%'");
    await db?.end();
  });
  beforeEach(async () => {
    count += 1;
    email = `session-${count}@example.com`;
    await addUser(db, { email, name: "Session", password: PASSWORD });
  });

  const signIn = async (page: Page, keep: boolean, user = email) => {
    await page.fill("#email", user);
    await page.fill("#password", PASSWORD);
    await page.locator("#keep").setChecked(keep);
    await page.click("#submit");
    await expectSignedIn(page, user);
  };
  const expectSignedIn = async (page: Page, user = email) => {
    await page.locator("#content").waitFor();
    expect(await page.textContent("#who")).toBe(user);
    expect(await page.locator("#sign-in").isVisible()).toBe(false);
  };
  const expectForm = async (page: Page, message: RegExp) => {
    await page.locator("#sign-in").waitFor();
    await expect.poll(() => page.textContent("#message")).toMatch(message);
    expect(await page.locator("#content").isVisible()).toBe(false);
  };
  /** Opens a page in a context. Other contexts do not share its cookies. */
  const openIn = async (context: BrowserContext, path = "/painel") => {
    const page = await context.newPage();
    await page.goto(opened.base + path);
    return page;
  };

  it("is off by default: a reload asks for the password and nothing is stored (A12)", async () => {
    const { page, complaints } = await opened.open("/painel");
    expect(await page.locator("#keep").isChecked()).toBe(false);
    await signIn(page, false);
    expect(await kept(page)).toBe('[{},{},""]');
    expect(await page.context().cookies()).toEqual([]);
    await page.reload();
    await expectForm(page, /^$/);
    expect(complaints).toEqual([]);
  });

  it("survives a reload, and no script can read its token, on both pages (A12)", async () => {
    const { page, complaints } = await opened.open("/painel");
    await signIn(page, true);
    for (const path of ["/painel", "/docs"]) {
      await page.goto(opened.base + path);
      await expectSignedIn(page);
      expect(await kept(page)).toMatch(/^\[\{"session-kept":"[\da-f-]{36}"\},\{\},""\]$/);
    }
    const [cookie] = await page.context().cookies(`${opened.base}/auth/browser`);
    expect(cookie).toMatchObject({
      name: "session",
      path: "/auth/browser",
      httpOnly: true,
      sameSite: "Strict",
    });
    expect(complaints).toEqual([]);
  });

  it("opens a second tab, then ten at once, which renew one after the other (A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    const renewals: Promise<string | null>[] = [];
    page.context().on("request", (request) => {
      if (!request.url().endsWith("/auth/browser/refresh")) return;
      renewals.push(request.response().then((response) => response?.headerValue("set-cookie") ?? null));
    });
    await expectSignedIn(await openIn(page.context()));
    await page.context().route("**/auth/browser/refresh", async (route) => {
      // Without locks, all ten would wait here at the same time.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    const tabs = await Promise.all(Array.from({ length: 10 }, () => openIn(page.context())));
    for (const tab of tabs) await expectSignedIn(tab);
    // Two at a time would send the same cookie, and get the same successor.
    const cookies = await Promise.all(renewals);
    expect([cookies.length, new Set(cookies).size]).toEqual([11, 11]);
    await page.context().unroute("**/auth/browser/refresh");
    await page.reload();
    await expectSignedIn(page);
  });

  it("a phone signs in once, and its closed browser opens /painel ten times without a password (A12)", async () => {
    const folder = mkdtempSync(join(tmpdir(), "profile-"));
    try {
      for (let start = 0; start <= 10; start += 1) {
        const phone = await openProfile(folder, PHONE);
        const page = await openIn(phone);
        if (start === 0) await signIn(page, true);
        await expectSignedIn(page);
        await phone.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("survives a reload without a connection, and a renewal that fails (A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    await page.context().setOffline(true);
    await expect(page.reload()).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
    await page.context().setOffline(false);
    await page.goto(`${opened.base}/painel`);
    await expectSignedIn(page);
    // The page loads, but its renewal does not get through until the connection is back.
    await page.route("**/auth/browser/refresh", (route) => route.abort());
    await page.reload();
    await expectForm(page, /Não foi possível conectar/);
    await page.unroute("**/auth/browser/refresh");
    await page.evaluate("dispatchEvent(new Event('online'))");
    await expectSignedIn(page);
  });

  it("a lost response of a renewal does not end it (A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    await page.route("**/auth/browser/refresh", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.reload();
    await expectForm(page, /Não foi possível conectar/);
    await page.unroute("**/auth/browser/refresh");
    await page.reload();
    await expectSignedIn(page);
  });

  it("gets the answer to a renewal whose page was closed meanwhile (A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    const context = page.context();
    const cookie = async () => (await context.cookies(`${opened.base}/auth/browser`))[0]?.value;
    for (let round = 0; round < 5; round += 1) {
      const before = await cookie();
      const tab = await context.newPage();
      const renewal = tab.waitForRequest("**/auth/browser/refresh");
      await tab.goto(`${opened.base}/painel`, { waitUntil: "commit" });
      await renewal;
      await tab.close();
      await expect.poll(cookie).not.toBe(before);
    }
  });

  it("signing out in one tab signs out the others, and a reload stays signed out (A8, A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    const other = await openIn(page.context());
    await expectSignedIn(other);
    await other.click("#sign-out");
    await expectForm(other, /^Você saiu\.$/);
    await expectForm(page, /^Você saiu\.$/);
    expect(await page.context().cookies(`${opened.base}/auth/browser`)).toEqual([]);
    await page.reload();
    await expectForm(page, /^$/);
  });

  it("signs out with a second cookie of the name, which a sibling domain planted (A8, A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    const { hostname: domain } = new URL(opened.base);
    await page.context().addCookies([{ name: "session", value: "planted", domain, path: "/auth" }]);
    await page.click("#sign-out");
    await expectForm(page, /^Você saiu\.$/);
    const cookies = await page.context().cookies(`${opened.base}/auth/browser`);
    expect(cookies.map(({ value }) => value)).toEqual(["planted"]);
  });

  it("says so if the service could not be told that the user signed out (A8, A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    await page.route("**/auth/browser/logout", (route) => route.abort());
    await page.click("#sign-out");
    await expectForm(page, /o servidor não respondeu/);
    const cookies = () => page.context().cookies(`${opened.base}/auth/browser`);
    expect(await cookies()).toHaveLength(1);
    // The next page ends the session that this one could not end.
    await page.unroute("**/auth/browser/logout");
    await page.reload();
    await expectForm(page, /^$/);
    await expect.poll(cookies).toEqual([]);
  });

  it("a new password ends it (A9, A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    await db.query("update users set password_hash = $1 where email = $2", [hashPassword(PASSWORD), email]);
    await page.reload();
    await expectForm(page, /Sua sessão expirou/);
    await page.reload();
    await expectForm(page, /^$/);
  });

  it("another user in a second tab does not show their data in the first (A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    const second = `session-${count}-second@example.com`;
    await addUser(db, { email: second, name: "Second", password: PASSWORD });
    const other = await page.context().newPage();
    await other.route("**/auth/browser/refresh", (route) => route.abort());
    await other.goto(`${opened.base}/painel`);
    await signIn(other, true, second);
    await expect.poll(() => page.textContent("#who")).toBe(second);
    // Without keeping it: the kept session ends, so that it does not come back after a reload.
    const third = await page.context().newPage();
    await third.route("**/auth/browser/refresh", (route) => route.abort());
    await third.goto(`${opened.base}/painel`);
    await signIn(third, false, email);
    await third.unroute("**/auth/browser/refresh");
    await third.reload();
    await expectForm(third, /^$/);
    expect(await page.context().cookies(`${opened.base}/auth/browser`)).toEqual([]);
  });

  it("a planted cookie of somebody else does not sign them in (A12)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    const attacker = `session-${count}-attacker@example.com`;
    await addUser(db, { email: attacker, name: "Attacker", password: PASSWORD });
    const other = (await opened.open("/painel")).page;
    await signIn(other, true, attacker);
    const planted = await other.context().cookies(`${opened.base}/auth/browser`);
    await page.context().clearCookies();
    await page.context().addCookies(planted);
    await page.reload();
    await expectForm(page, /Sua sessão expirou/);
    expect(await page.textContent("#who")).toBe("");
  });

  it("lists the sessions, ends one, and ends all of them (A13)", async () => {
    const { page, complaints } = await opened.open("/painel");
    await signIn(page, true);
    const lost = (await opened.open("/painel")).page;
    await signIn(lost, false);
    await page.click("#sessions-open");
    const rows = page.locator("#sessions-list tbody tr");
    await expect.poll(() => rows.count()).toBe(2);
    expect(await rows.allTextContents()).toEqual([
      expect.stringMatching(/^Chrome no LinuxSó até fechar a página\. Renovada há menos de um minuto/),
      expect.stringMatching(/^Chrome no LinuxNavegador conectado\. Esta sessão, renovada há/),
    ]);
    await opened.shoot(page, "painel-sessions");
    await page.setViewportSize({ width: 390, height: 844 });
    await opened.shoot(page, "painel-sessions-phone");
    await rows.first().getByRole("button", { name: "Encerrar" }).click();
    await expect.poll(() => rows.count()).toBe(1);
    expect(await page.textContent("#sessions-message")).toBe("Sessão encerrada.");
    // It shows at the next renewal of the session that was ended.
    await expireOnce(lost, "**/v1/**");
    await lost.click("#now");
    await expectForm(lost, /Sua sessão expirou/);
    await page.click("#sessions-end-all");
    await opened.shoot(page, "painel-sessions-confirm-phone");
    await page.click("#sessions-confirm-end");
    await expectForm(page, /^Você saiu\.$/);
    await page.reload();
    await expectForm(page, /^$/);
    expect(complaints).toEqual([]);
  });

  it("ends no session by Enter in the list, however often it is pressed (A13)", async () => {
    const { page } = await opened.open("/painel");
    await signIn(page, true);
    const focused = () => page.evaluate<string>("document.activeElement.id");
    await page.focus("#sessions-open");
    // The second reaches the open dialog.
    for (let i = 0; i < 3; i += 1) await page.keyboard.press("Enter");
    expect(await focused()).toBe("sessions-title");
    await page.locator("#sessions-list tbody tr").first().waitFor();
    await page.focus("#sessions-end-all");
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("sessions-confirm-cancel");
    expect(await page.locator("#sessions-end-all").isVisible()).toBe(false);
    await page.keyboard.press("Enter");
    expect(await focused()).toBe("sessions-end-all");
    // An open question does not wait for the next time.
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await page.click("#sessions-open");
    expect(await focused()).toBe("sessions-title");
    expect(await page.locator("#sessions-confirm").isVisible()).toBe(false);
    expect(await page.locator("#sessions-list tbody tr").count()).toBe(1);
    await page.click("#sessions-close");
    await page.reload();
    await expectSignedIn(page);
  });

  it("names an assistant, and a session whose device is unknown (A13)", async () => {
    const { page } = await opened.open("/painel");
    const session = {
      id: "0",
      started_at: "2026-11-20T12:00:00.000Z",
      renewed_at: "2026-11-20T12:00:00.000Z",
      expires_at: "2026-11-27T12:00:00.000Z",
      kind: "oauth",
      client: "claude.ai",
      device: "Safari no iPhone",
      current: false,
    };
    const data = [
      session,
      { ...session, device: null },
      { ...session, kind: "api", client: null, device: null },
    ];
    await page.route("**/auth/sessions", (route) => route.fulfill({ json: { data } }));
    await signIn(page, false);
    await page.click("#sessions-open");
    const rows = page.locator("#sessions-list tbody tr");
    await expect.poll(() => rows.count()).toBe(3);
    expect(await rows.locator(".named").allTextContents()).toEqual([
      expect.stringMatching(/^Assistente claude\.aiAutorizado por Safari no iPhone\. Renovada há/),
      expect.stringMatching(/^Assistente claude\.aiRenovada há/),
      expect.stringMatching(/^Aparelho desconhecidoSó até fechar a página\. Renovada há/),
    ]);
    expect(await rows.first().getByRole("button").getAttribute("aria-label")).toMatch(
      /^Encerrar Assistente claude\.ai, Autorizado por Safari no iPhone, há/,
    );
    await opened.shoot(page, "painel-sessions-assistants");
  });
});
