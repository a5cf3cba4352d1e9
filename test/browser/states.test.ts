// @module-tag slow
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import {
  failure,
  goTo,
  headline,
  hold,
  navigate,
  openPanel,
  openWithClock,
  PANEL,
  refuse,
  rowsOf,
  shifted,
  signIn,
  signOut,
  stale,
  today,
  waitForPanel,
} from "./panel.ts";

const LAST_MONTH = "?periodo=mes-passado";
/** An answer of Início whose parts have another shape. */
const UNREADABLE = Object.fromEntries(
  ["unidades", "faturamento", "faturamento_por_unidade", "visitas", "frescor"].map((name) => [name, {}]),
);

/** Each failure of Início: how it fails, and the sentence for it. */
type Failing = [name: string, fail: (page: Page) => Promise<unknown>, reason: string];
const answered = (page: Page, options: { json: unknown } | { body: string }) =>
  page.route(PANEL, (route) => route.fulfill(options));
const FAILURES: Failing[] = [
  ["429 for 120 s", (page) => page.route(PANEL, refuse(429, 120)), "Limite de consultas atingido."],
  ["503 for 90 s", (page) => page.route(PANEL, refuse(503, 90)), "Serviço indisponível no momento."],
  ["404", (page) => page.route(PANEL, refuse(404)), "Consulta recusada pelo servidor."],
  ["200 without JSON", (page) => answered(page, { body: "<html>" }), "Resposta inesperada do servidor."],
  [
    "200 with parts of another shape",
    (page) => answered(page, { json: UNREADABLE }),
    "Resposta inesperada do servidor.",
  ],
  ["no connection", (page) => page.route(PANEL, (route) => route.abort()), "Sem conexão com o servidor."],
];

describe.runIf(hasChromium)("/painel, while it loads and when requests fail", () => {
  const content = async (page: Page) => (await page.locator("#conteudo").textContent()) ?? "";
  /** At the beginning of a day, the data has not reached it. */
  const isOfYesterday = async (page: Page) =>
    ((await page.locator(".age").textContent()) ?? "").startsWith("Dados de ontem");
  const chosen = (page: Page) => page.getByRole("navigation", { name: "Período" }).locator("[aria-current]");

  it("shows no figure while the chosen view is on its way, and never one of another view (A2)", async () => {
    const { page } = await openPanel(LAST_MONTH);
    const before = await headline(page);
    const release = await hold(page, "**/v1/**");
    for (const search of ["?periodo=7-dias", "?periodo=7-dias&unidade=101", "?periodo=7-dias&aba=equipe"]) {
      await goTo(page, search);
      await page.locator("#conteudo .loading").waitFor();
      expect(await chosen(page).textContent()).toBe("7 dias");
      expect(await content(page)).not.toMatch(/R\$|\d{2},\d/);
    }
    release();
    await waitForPanel(page);
    await navigate(page, "?periodo=7-dias");
    expect(await headline(page)).not.toBe(before);
  });

  it("shows a view that was seen before at once, while it loads again (A2)", async () => {
    const { page } = await openWithClock(LAST_MONTH);
    const before = await headline(page);
    await navigate(page, "?periodo=ano");
    expect(await headline(page)).not.toBe(before);
    await page.clock.runFor(200_000);
    await waitForPanel(page);
    const release = await hold(page, PANEL);
    const asked = page.waitForRequest(PANEL);
    await page.goBack();
    await asked;
    await page.clock.runFor(1000);
    expect(await headline(page)).toBe(before);
    expect(await stale(page).count()).toBe(0);
    release();
  });

  it.each(FAILURES)(
    "keeps the figures of a place with their time, and shows none for another, after %s (A2)",
    async (_, fail, reason) => {
      const { page } = await openWithClock(LAST_MONTH);
      const before = await content(page);
      const day = (await isOfYesterday(page)) ? "ontem às " : "";
      await fail(page);
      await page.clock.runFor(61_000);
      await stale(page).filter({ hasText: reason }).waitFor();
      expect(await stale(page).textContent()).toMatch(
        new RegExp(`Exibindo dados de ${day}\\d\\d:\\d\\d\\..*Nova tentativa às \\d\\d:\\d\\d\\.`),
      );
      expect(await content(page)).toContain(before.slice(before.indexOf("Faturamento")));
      await goTo(page, "?periodo=7-dias");
      await failure(page).filter({ hasText: reason }).waitFor();
      expect(await failure(page).textContent()).toMatch(/Nova tentativa às \d\d:\d\d\./);
      expect(await chosen(page).textContent()).toBe("7 dias");
      expect(await content(page)).not.toContain("R$");
      expect(await page.locator(".loading").count()).toBe(0);
      await page.unroute(PANEL);
      await page.clock.runFor(121_000);
      await failure(page).waitFor({ state: "detached" });
      await page.goBack();
      await page.clock.runFor(2000);
      await stale(page).waitFor({ state: "detached" });
      expect(await content(page)).toBe(before);
    },
  );

  it("tries again after Retry-After and not before (A2)", async () => {
    const { page, paths } = await openWithClock(LAST_MONTH);
    await page.route("**/v1/**", refuse(429, 120), { times: 1 });
    await page.clock.runFor(61_000);
    await stale(page).waitFor();
    paths.length = 0;
    await page.getByRole("button", { name: "Atualizar" }).click();
    await goTo(page, `${LAST_MONTH}&aba=equipe`);
    await failure(page).filter({ hasText: "Nova tentativa" }).waitFor();
    await page.goBack();
    await page.clock.runFor(110_000);
    expect(paths).toEqual([]);
    await page.clock.runFor(60_000);
    await stale(page).waitFor({ state: "detached" });
    expect(paths.length).toBeGreaterThan(0);
  });

  it("offers to load the page again when an answer cannot be read, and only then (A2)", async () => {
    const { page } = await openWithClock(LAST_MONTH);
    const reload = page.getByRole("button", { name: "Recarregar a página" });
    await page.route(PANEL, refuse(503));
    await page.clock.runFor(61_000);
    await stale(page).waitFor();
    expect(await reload.count()).toBe(0);
    await page.route(PANEL, (route) => route.fulfill({ json: {} }));
    await page.clock.runFor(61_000);
    await stale(page).filter({ hasText: "recarregue a página" }).waitFor();
    expect(await reload.count()).toBe(1);
    await goTo(page, "?periodo=7-dias");
    await failure(page).waitFor();
    await page.unroute(PANEL);
    await reload.click();
    await page.locator("#email").waitFor();
  });

  it("requests at once on a click after a failure without Retry-After (A2)", async () => {
    const { page, paths } = await openWithClock();
    await page.route(PANEL, refuse(500), { times: 1 });
    await page.clock.runFor(61_000);
    await stale(page).waitFor();
    paths.length = 0;
    await page.getByRole("button", { name: "Atualizar" }).click();
    await stale(page).waitFor({ state: "detached" });
    expect(paths).toHaveLength(1);
  });

  it("asks only for the part that failed, and leaves the others as they are (A2)", async () => {
    const { page, advance, paths } = await openWithClock("?aba=financeiro&parte=contas");
    const before = await rowsOf(page, "Pagamentos pendentes por vencimento");
    expect(before.length).toBeGreaterThan(0);
    const BY_DAY = (url: URL) => url.pathname.endsWith("/pagamentos") && url.search.includes("dia");
    await page.route(BY_DAY, refuse(500), { times: 1 });
    await advance(61);
    await stale(page).waitFor();
    expect(await rowsOf(page, "Pagamentos pendentes por vencimento")).toEqual(before);
    paths.length = 0;
    await advance(62);
    await stale(page).waitFor({ state: "detached" });
    expect(paths.length).toBeGreaterThan(0);
  });

  it("leaves order and opened rows alone while nothing changes (A2)", async () => {
    const { page, advance } = await openWithClock(`${LAST_MONTH}&aba=equipe`);
    await page.getByRole("button", { name: "Serviços", exact: true }).click();
    await page.getByRole("button", { name: /^Ver todas as/ }).click();
    const rows = page.locator("tbody tr:visible");
    const before = await rows.allTextContents();
    expect(before.length).toBeGreaterThan(10);
    for (let minute = 0; minute < 3; minute += 1)
      expect((await advance(61)).filter((one) => one.includes("servicos"))).toEqual([
        "/v1/relatorios/servicos 304",
        "/v1/relatorios/servicos 304",
      ]);
    expect(await rows.allTextContents()).toEqual(before);
  });

  it("shows the age of old data, and that its jobs are late (A2)", async () => {
    const [from, to] = [shifted(today, -60), shifted(today, -40)];
    const { page } = await openWithClock(`?periodo=datas&de=${from}&ate=${to}`);
    await page.route("**/v1/**", refuse(503, 7200));
    await page.clock.runFor(61_000);
    await stale(page).waitFor();
    await page.clock.fastForward("50:00:00");
    await stale(page)
      .filter({ hasText: /Exibindo dados de \d\d\/\d\d\/\d{4} às \d\d:\d\d/ })
      .waitFor();
    expect(await page.locator(".age.late").textContent()).toMatch(
      /^Dados de \d\d\/\d\d\/\d{4} às \d\d:\d\d$/,
    );
    expect(await page.locator(".alerts").textContent()).toMatch(/Atrasada|Falhou/);
  });

  it("continues as soon as the connection is back (A2)", async () => {
    const { page } = await openWithClock(LAST_MONTH);
    await page.context().setOffline(true);
    await page.clock.runFor(61_000);
    await stale(page).filter({ hasText: "Sem conexão com o servidor." }).waitFor();
    await page.context().setOffline(false);
    await stale(page).waitFor({ state: "detached" });
  });

  it("works where the browser blocks storage (A2)", async () => {
    const prepare = async (page: Page) => {
      await page.addInitScript(() => {
        for (const name of ["localStorage", "caches"])
          Object.defineProperty(globalThis, name, {
            get: () => {
              throw new DOMException("", "SecurityError");
            },
          });
      });
    };
    const { page, complaints } = await openPanel("", { prepare });
    await page.getByLabel("Unidade", { exact: true }).selectOption("103");
    await page.waitForURL("**/painel?unidade=103");
    await waitForPanel(page);
    await signOut(page);
    expect(complaints).toEqual([]);
  });

  it("leaves no figure in the page after the sign-out (A2)", async () => {
    const { page } = await openPanel(LAST_MONTH);
    await navigate(page, `${LAST_MONTH}&aba=equipe`);
    await signOut(page);
    expect(await page.locator("#content").innerHTML()).toBe("");
    expect(await page.evaluate("document.documentElement.outerHTML")).not.toMatch(/R\$|demo@/);
  });

  it("saves no file after the user has signed out (A8)", async () => {
    const { page } = await openPanel(`${LAST_MONTH}&lista=atendimentos`);
    const saved: unknown[] = [];
    page.on("download", (file) => saved.push(file));
    const release = await hold(page, "**/v1/transacoes?**tudo=true**");
    const asked = page.waitForRequest(/tudo=true/);
    await page.getByRole("button", { name: /^Baixar/ }).click();
    await asked;
    await signOut(page);
    release();
    await page.evaluate("fetch('/health').then((response) => response.text())");
    expect(saved).toEqual([]);
    await signIn(page);
    await waitForPanel(page);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Baixar/ }).click();
    await download;
  });

  it("sends no request for a list or a file before a Retry-After has passed (A2)", async () => {
    const { page, paths } = await openPanel(`${LAST_MONTH}&lista=pendentes`);
    await page.route("**/v1/transacoes?**", refuse(503, 90), { times: 1 });
    await goTo(page, `${LAST_MONTH}&lista=atendimentos`);
    await failure(page)
      .filter({ hasText: /Serviço indisponível no momento\. Nova tentativa às \d\d:\d\d\./ })
      .waitFor();
    paths.length = 0;
    await goTo(page, `${LAST_MONTH}&lista=vendas`);
    await failure(page).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: /^Baixar/ }).click();
    await page.locator("#notice:visible").filter({ hasText: "Nenhum arquivo foi salvo." }).waitFor();
    expect(paths).toEqual([]);
  });

  it("names an open list in the title of the page, and the tab without it (A2)", async () => {
    const { page } = await openPanel(`${LAST_MONTH}&aba=financeiro&lista=pendentes`);
    expect(await page.title()).toBe("Atendimentos não enviados ao ERP · Painel dos salões");
    await page.getByRole("link", { name: "Voltar" }).click();
    await waitForPanel(page);
    expect(await page.title()).toBe("Financeiro · Painel dos salões");
  });
});
