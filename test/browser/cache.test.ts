// @module-tag slow
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base, openProfile } from "./browser.ts";
import { DEMO, navigate, signIn, tableOf, waitForPanel } from "./panel.ts";
import { expectForm, signOut } from "./staying.ts";

/** A folder for a profile of Chromium. */
const newProfile = () => {
  const folder = mkdtempSync(join(tmpdir(), "profile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** The paths that the browser answers from its HTTP cache, without asking the service. */
const cachedPaths = (page: Page, paths: string[], token?: string): Promise<string[]> =>
  page.evaluate(
    async ([paths, token]) => {
      const headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
      const isCached = (path: string) =>
        fetch(path, { cache: "only-if-cached", mode: "same-origin", headers }).then(
          ({ ok }) => ok,
          () => false,
        );
      const answers = await Promise.all(paths.map(isCached));
      return paths.filter((_, i) => answers[i]);
    },
    [paths, token] as const,
  );

/** Reads the paths as a page that leaves the cache on, and returns the token that it used. */
const readWithCache = (page: Page, paths: string[]): Promise<string> =>
  page.evaluate(
    async ([paths, user]) => {
      const answer = await fetch("/auth/login", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(user),
      });
      const { access_token: token } = (await answer.json()) as { access_token: string };
      const read = async (path: string) => {
        const response = await fetch(path, { headers: { Authorization: `Bearer ${token}` } });
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
        // An entry of the cache is complete when its body was read.
        await response.arrayBuffer();
      };
      await Promise.all(paths.map(read));
      return token;
    },
    [paths, DEMO] as const,
  );

describe.runIf(hasChromium)("the browser's HTTP cache", () => {
  const openIn = async (context: BrowserContext, path = "/painel") => {
    const page = await context.newPage();
    const paths: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      if (pathname.startsWith("/v1/") || pathname === "/openapi.yaml") paths.push(pathname + search);
    });
    await page.goto(base + path);
    return { page, paths };
  };
  const signOutOf = async (page: Page) => {
    await signOut(page);
    await expectForm(page, /^(Você saiu|You have signed out)\.$/);
  };

  it.each([false, true])(
    "holds nothing that the panel read, nor after a restart; stays signed in: %s (A12)",
    async (keep) => {
      const folder = newProfile();
      const first = await openProfile(folder);
      const { page, paths } = await openIn(first);
      await page.locator("#keep").setChecked(keep);
      await signIn(page);
      await waitForPanel(page);
      for (const tab of ["unidades", "equipe", "financeiro", "mais&parte=horarios"])
        await navigate(page, `?aba=${tab}`);
      await page.goto(`${base}/painel?lista=atendimentos`);
      if (!keep) await signIn(page);
      await tableOf(page, "Atendimentos").locator("tbody tr").first().waitFor();
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Baixar: Atendimentos" }).click();
      await download;
      expect(paths.length).toBeGreaterThan(8);
      expect(await cachedPaths(page, paths)).toEqual([]);
      await signOutOf(page);
      expect(await cachedPaths(page, paths)).toEqual([]);
      await first.close();
      const second = await openProfile(folder);
      expect(await cachedPaths((await openIn(second)).page, paths)).toEqual([]);
      await second.close();
    },
  );

  it("holds nothing that /docs read (A12)", async () => {
    const context = await openProfile(newProfile());
    const { page, paths } = await openIn(context, "/docs");
    await signIn(page);
    const operation = page.locator("#operations-frescor-frescor");
    await operation.locator(".opblock-summary-control").click();
    await operation.locator(".execute").click();
    await operation.locator(".responses-table .response .response-col_status").first().waitFor();
    const task =
      "/v1/relatorios/faturamento?por=unidade&medidas=valor_total,visitas&periodo=mes&comparar=mes-anterior";
    expect(paths.toSorted()).toEqual(["/openapi.yaml", "/v1/frescor", task]);
    expect(await cachedPaths(page, paths)).toEqual([]);
    await signOutOf(page);
    await context.close();
  });

  it.each([false, true])(
    "gives what another page left there to no request without the token, and loses it at the sign-out; stays signed in: %s (A12)",
    async (keep) => {
      const folder = newProfile();
      const first = await openProfile(folder);
      const { page } = await openIn(first);
      await page.locator("#keep").setChecked(keep);
      await signIn(page);
      await waitForPanel(page);
      const paths = ["/v1/transacoes?per_page=7", "/v1/frescor", "/v1/profissionais?per_page=3&formato=csv"];
      const token = await readWithCache(page, paths);
      expect(await cachedPaths(page, paths, token)).toEqual(paths);
      expect(await cachedPaths(page, paths)).toEqual([]);
      expect(await cachedPaths(page, paths, `${token}x`)).toEqual([]);
      await signOutOf(page);
      expect(await cachedPaths(page, paths, token)).toEqual([]);
      await first.close();
      const second = await openProfile(folder);
      expect(await cachedPaths((await openIn(second)).page, paths, token)).toEqual([]);
      await second.close();
    },
  );
});
