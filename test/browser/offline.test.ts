// @module-tag slow
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base, installFakeClock, openPage, shoot } from "./browser.ts";
import { cardOf, navigate, refuse, stale, waitForPanel } from "./panel.ts";
import { openProxy } from "./proxy.ts";
import {
  expectForm,
  expectSignedIn,
  keptFiles,
  openIn,
  ownReader,
  PICTURE,
  refuseRenewals,
  signInAs,
  signOut,
  waitForFiles,
} from "./staying.ts";
import { addReader, renewPassword } from "./warehouse.ts";

const DAY_MS = 86_400_000;

const NOTHING = { paths: [], scopes: [], caches: [] };
const expectNothingKept = (page: Page) => expect.poll(() => keptFiles(page)).toEqual(NOTHING);

describe.runIf(hasChromium)("/painel without a network", () => {
  const own = ownReader();

  /** The first visit of a user who stays signed in. */
  const visit = async (search = "", origin = base) => {
    const { page, complaints } = await openPage("");
    await page.goto(`${origin}/painel${search}`);
    await signInAs(page, own.email, true);
    await waitForPanel(page);
    await waitForFiles(page);
    return { page, context: page.context(), complaints };
  };
  const openPainel = (context: BrowserContext, search = "") => openIn(context, `${base}/painel${search}`);
  const expectPicture = (page: Page) =>
    page.getByText(/Exibindo dados de .+ Sem conexão com o servidor\./).waitFor();
  /** Then opens the panel again without a network. */
  const visitOffline = async (search = "") => {
    const { page, context } = await visit(search);
    const figures = await figuresOf(page);
    await page.close();
    await context.setOffline(true);
    const later = await openPainel(context);
    await expectPicture(later);
    return { context, later, figures };
  };
  /** Opens a page that cannot renew the session, in place of the one of the first visit. */
  const visitRefused = async (path: string, message: RegExp) => {
    const { page, context } = await visit();
    const other = await context.newPage();
    await refuseRenewals(other);
    await page.close();
    await other.goto(base + path);
    await expectForm(other, message);
    return { context, other };
  };
  const figuresOf = (page: Page) =>
    cardOf(page, /^Faturamento/)
      .first()
      .locator(".figure")
      .textContent();

  /** Refuses renewals for two minutes of the page's clock. */
  const refuseTwoMinutes = async (page: Page, status: number) => {
    let renewals = 0;
    await page.route("**/auth/browser/refresh", (route) => {
      renewals += 1;
      return refuse(status, 120)(route);
    });
    return {
      count: () => renewals,
      /** Expects no other renewal until the time is over, and the session after it. */
      passes: async (reason: string) => {
        await stale(page).filter({ hasText: reason }).waitFor();
        const before = renewals;
        await page.evaluate("dispatchEvent(new Event('online'))");
        await page.clock.runFor(100_000);
        expect(renewals).toBe(before);
        await page.unroute("**/auth/browser/refresh");
        await page.clock.runFor(30_000);
        await stale(page).waitFor({ state: "detached" });
        await expectSignedIn(page, own.email);
      },
    };
  };

  it("shows the last picture with its age and the reason, and goes on by itself without a password (A12)", async () => {
    const { context, later, figures } = await visitOffline("?periodo=7-dias");
    await expectSignedIn(later, own.email);
    expect([await figuresOf(later), new URL(later.url()).search]).toEqual([figures, "?periodo=7-dias"]);
    // The header and the sentence say the same time.
    const shown = (text: string | null) => /ados de ((?:[\d/]+ às )?\d\d:\d\d)/.exec(text ?? "")?.[1];
    const time = shown(await later.locator(".age").textContent());
    expect(time).toMatch(/\d\d:\d\d/);
    expect(shown(await stale(later).textContent())).toBe(time);
    await shoot(later, "painel-offline");
    await later.getByRole("navigation", { name: "Seções" }).getByRole("link", { name: "Financeiro" }).click();
    await later.getByRole("alert").filter({ hasText: "Não foi possível carregar." }).first().waitFor();
    await later.getByText("Sem conexão com o servidor.").first().waitFor();
    await context.setOffline(false);
    await later.locator("#conteudo [role=alert]").first().waitFor({ state: "detached" });
    await waitForPanel(later);
    await navigate(later, "?periodo=7-dias");
    await later.getByText("Exibindo dados de").waitFor({ state: "detached" });
    await expectSignedIn(later, own.email);
    await waitForFiles(later);
  });

  it("opens while the service is stopped, and goes on when it is back (A12)", async () => {
    const proxy = await openProxy(base);
    const { page, context } = await visit("", proxy.url);
    await page.close();
    await proxy.stop();
    const later = await context.newPage();
    await installFakeClock(later);
    await later.goto(`${proxy.url}/painel`);
    await expectPicture(later);
    await proxy.start();
    await later.clock.runFor(11_000);
    await later.getByText("Exibindo dados de").waitFor({ state: "detached" });
    await expectSignedIn(later, own.email);
    await proxy.stop();
  });

  it("opens while the connection is there but nothing is answered (A12)", async () => {
    const proxy = await openProxy(base);
    const { page, context } = await visit("", proxy.url);
    await page.close();
    proxy.fallSilent();
    const later = await openIn(context, `${proxy.url}/painel`);
    await later.getByText("Entrando…").waitFor();
    await proxy.stop();
    await expectPicture(later);
  });

  it("waits as long as the refusal of a renewal says, and goes on (A2, A12)", async () => {
    const { page, context } = await visit();
    await page.close();
    await context.setOffline(true);
    const later = await context.newPage();
    await installFakeClock(later);
    await later.goto(`${base}/painel`);
    await expectPicture(later);
    const refusal = await refuseTwoMinutes(later, 503);
    await context.setOffline(false);
    await refusal.passes("Serviço indisponível no momento.");
  });

  it.each([
    [429, "Limite de consultas atingido."],
    [503, "Serviço indisponível no momento."],
  ])(
    "opens although a renewal is refused with %i, and goes on where it was opened when that is over (A2, A12)",
    async (status, reason) => {
      const { page, context } = await visit();
      await page.close();
      const later = await context.newPage();
      await installFakeClock(later);
      const refusal = await refuseTwoMinutes(later, status);
      const place = "?aba=financeiro&parte=taxas";
      await later.goto(`${base}/painel${place}`);
      await stale(later).filter({ hasText: reason }).waitFor();
      expect([new URL(later.url()).search, refusal.count()]).toEqual(["", 1]);
      await later.reload();
      await refusal.passes(reason);
      expect(new URL(later.url()).search).toBe(place);
    },
  );

  it("stays where the user went while the picture was shown, also if that is back (A2, A12)", async () => {
    const { page, context } = await visit();
    await page.close();
    const later = await context.newPage();
    await installFakeClock(later);
    const refusal = await refuseTwoMinutes(later, 503);
    await later.goto(`${base}/painel?aba=financeiro`);
    await stale(later).waitFor();
    await navigate(later, "?aba=unidades");
    await later.goBack();
    await refusal.passes("Serviço indisponível no momento.");
    expect(new URL(later.url()).search).toBe("");
  });

  it("asks to sign in if a renewal behind the picture gets a 400 (A12)", async () => {
    const { page, context } = await visit();
    await page.close();
    const later = await context.newPage();
    await installFakeClock(later);
    await refuseTwoMinutes(later, 503);
    await later.goto(`${base}/painel`);
    await stale(later).waitFor();
    await refuseRenewals(later);
    await later.clock.runFor(130_000);
    await expectForm(later, /Não foi possível continuar/);
  });

  it("says of a day without a picture that it could not connect, and deletes the older picture (A12)", async () => {
    const { page, context } = await visit();
    const later = await context.newPage();
    await later.clock.setFixedTime(Date.now() + DAY_MS + 1000);
    await page.close();
    await context.setOffline(true);
    await later.goto(`${base}/painel`);
    await expectForm(later, /Não foi possível conectar/);
    await expectNothingKept(later);
  });

  it.each(["/painel", "/docs"])(
    "deletes it when the user signs out in another tab, at %s (A8, A12)",
    async (path) => {
      const { page, context } = await visit();
      const other = await openIn(context, base + path);
      await expectSignedIn(other, own.email);
      await signOut(other);
      await expectForm(other, /^(Você saiu|You have signed out)\.$/);
      await expectForm(page, /^Você saiu\.$/);
      await expectNothingKept(page);
      expect(await context.cookies(`${base}/auth/browser`)).toEqual([]);
      await context.setOffline(true);
      await expect(page.reload()).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
    },
  );

  it("deletes it at a sign-out without a network, in the page that shows it (A8, A12)", async () => {
    const { later } = await visitOffline();
    await signOut(later);
    await expectForm(later, /o servidor não respondeu/);
    expect(await later.locator("#content").textContent()).toBe("");
    await expectNothingKept(later);
  });

  it("deletes it when the session ended elsewhere, also if the picture is shown meanwhile (A9, A12)", async () => {
    const { context, later } = await visitOffline();
    await renewPassword(own.email);
    await context.setOffline(false);
    await expectForm(later, /Sua sessão expirou/);
    expect(await later.locator("#content").textContent()).toBe("");
    await expectNothingKept(later);
  });

  it("leaves no picture that was being written, nor a service worker, when the user signs out (A8, A12)", async () => {
    const { page } = await openPage("");
    // Each step that begins before the sign-out ends after it.
    await page.addInitScript(() => {
      const late = <Args extends unknown[], Value>(step: (...args: Args) => Promise<Value>) =>
        async function (this: unknown, ...args: Args) {
          if (!Reflect.has(globalThis, "isFree"))
            await new Promise((resolve) => addEventListener("free", resolve, { once: true }));
          return step.apply(this, args);
        };
      CacheStorage.prototype.open = late(CacheStorage.prototype.open);
      ServiceWorkerContainer.prototype.register = late(ServiceWorkerContainer.prototype.register);
      const { put } = Cache.prototype;
      Cache.prototype.put = async function (...args) {
        await put.apply(this, args);
        document.documentElement.dataset.written = "";
      };
    });
    await page.goto(`${base}/painel`);
    await signInAs(page, own.email, true);
    await waitForPanel(page);
    await signOut(page);
    await expectForm(page, /^Você saiu\.$/);
    await page.evaluate("isFree = true; dispatchEvent(new Event('free'))");
    await page.locator("html[data-written]").waitFor();
    await expectNothingKept(page);
  });

  it("leaves nothing of a user who does not stay signed in, nor of the one before (A12)", async () => {
    const { page } = await openPage("/painel");
    await signInAs(page, own.email, false);
    await waitForPanel(page);
    expect(await keptFiles(page)).toEqual(NOTHING);
    const { page: kept, context } = await visit();
    const other = await context.newPage();
    await refuseRenewals(other);
    await kept.goto("about:blank");
    await other.goto(`${base}/painel`);
    await expectForm(other, /Não foi possível continuar/);
    const second = (await addReader()).email;
    await signInAs(other, second, false);
    await waitForPanel(other);
    await expectNothingKept(other);
  });

  it("shows nobody the picture of another user of the same browser (A12)", async () => {
    // Not Início, so that the picture is not replaced.
    const { context, other } = await visitRefused("/painel?aba=financeiro", /Não foi possível continuar/);
    const second = (await addReader()).email;
    await signInAs(other, second, true);
    await waitForPanel(other);
    await expect.poll(async () => (await keptFiles(other)).paths).not.toContain(PICTURE);
    await expect.poll(async () => (await keptFiles(other)).paths).toContain("/painel");
    await context.setOffline(true);
    const later = await openPainel(context);
    await expectForm(later, /Não foi possível conectar/);
    expect(await later.content()).not.toContain(own.email);
  });

  it.each([
    ["and stays signed in", true],
    ["and does not stay signed in", false],
  ])("goes when another user signs in at /docs, %s (A12)", async (_, keep) => {
    const { other } = await visitRefused("/docs", /cannot continue/);
    await signInAs(other, (await addReader()).email, keep);
    await expectNothingKept(other);
  });

  it.each([
    ["a refused renewal", "401", /Your session has expired/],
    ["no session since a page that was closed too early", "", /^$/],
  ])("goes at /docs, after %s (A12)", async (_, status, message) => {
    const { page, context } = await visit();
    const other = await context.newPage();
    await page.goto("about:blank");
    if (status) await other.route("**/auth/browser/refresh", refuse(Number(status)));
    else await other.addInitScript(() => localStorage.clear());
    await other.goto(`${base}/docs`);
    await expectForm(other, message);
    await expectNothingKept(other);
  });

  it("keeps nothing for a user who did not ask for it, while another one stays signed in (A12)", async () => {
    const { page, context } = await visit();
    const pictureOf = (of: Page) =>
      of.evaluate(async (path) => (await (await caches.match(path))?.json())?.email as string, PICTURE);
    const other = await context.newPage();
    await refuseRenewals(other);
    await other.goto(`${base}/painel`);
    const second = (await addReader()).email;
    await signInAs(other, second, false);
    await waitForPanel(other);
    await expectForm(page, /^Você saiu\.$/);
    await signInAs(page, own.email, true);
    await waitForFiles(page);
    await navigate(other, "?periodo=hoje");
    await navigate(other, "?periodo=ano");
    expect(await pictureOf(page)).toBe(own.email);
    await signOut(other);
    await expectForm(other, /^Você saiu\.$/);
    await waitForFiles(page);
  });

  it("replaces the files of an older page, and keeps no answer of the service but the picture (A12)", async () => {
    const proxy = await openProxy(base);
    const { page, complaints } = await visit("", proxy.url);
    for (const tab of ["unidades", "equipe", "financeiro", "mais"]) await navigate(page, `?aba=${tab}`);
    const { paths, scopes, caches: names } = await keptFiles(page);
    expect([scopes, names]).toEqual([["/painel"], ["/painel"]]);
    const others = paths.filter((path) => !path.startsWith("/assets/"));
    expect(others.sort()).toEqual(["/painel", PICTURE]);
    const style = paths.find((path) => /\/painel-[^/]+\.css$/.test(path)) ?? "";
    const newer = style.replace(/-[^-]+\.css$/, "-newer123.css");
    proxy.rename(/^\/painel(?:\?|$)/, style, newer);
    await page.goto(`${proxy.url}/painel`);
    await expect
      .poll(async () => (await keptFiles(page)).paths.filter((path) => path.endsWith(".css")))
      .toEqual([newer]);
    const now = (await keptFiles(page)).paths;
    expect(now.length).toBe(paths.length);
    expect(complaints.filter((complaint) => !complaint.startsWith(`request to ${proxy.url}`))).toEqual([]);
    await proxy.stop();
  });

  it("allows the service worker of this origin, and no worker of another source (E8)", async () => {
    const { page } = await openPage("/painel");
    const refused = await page.evaluate(async () => {
      const violations: string[] = [];
      document.addEventListener("securitypolicyviolation", ({ blockedURI }) => violations.push(blockedURI));
      const blob = URL.createObjectURL(new Blob([""], { type: "text/javascript" }));
      for (const source of [blob, "data:text/javascript,"])
        await new Promise((resolve) => {
          try {
            new Worker(source).addEventListener("error", resolve);
          } catch {
            resolve(undefined);
          }
        });
      await new Promise((resolve) => setTimeout(resolve));
      return violations;
    });
    expect(refused).toEqual(["blob", "data"]);
  });
});
