// @module-tag slow
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import pg from "pg";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { fences } from "../support/node/pages.ts";
import { base, openPage, overflowing } from "./browser.ts";
import { revenueOf } from "./figures.ts";
import {
  cardOf,
  DEMO,
  failure,
  goTo,
  headline,
  money,
  navigate,
  openPanel,
  PANEL,
  PHONE,
  placesOf,
  rowsOf,
  shifted,
  signIn,
  today,
  waitForPanel,
} from "./panel.ts";
import { askedOf, rangeOf } from "./views.ts";
import { db } from "./warehouse.ts";

const HUGE = `Unidade <b>enorme</b> ${"muito".repeat(600)}`;
const MARK = "of no calendar";
/** What a value that is not there becomes, if nobody cares. */
const ODD = /NaN|undefined|Infinity|\[object|\bnull\b/;

type Body = Record<string, { data: object[]; totais: object }>;

describe.runIf(hasChromium)("/painel in a browser (A2)", () => {
  const content = async (page: Page) => (await page.locator("#conteudo").textContent()) ?? "";
  const notice = (page: Page) => page.locator("#notice:visible");
  const unitOf = (page: Page) => page.getByLabel("Unidade", { exact: true });
  const chosenUnit = (page: Page) => unitOf(page).locator("option:checked").textContent();
  const openPeriod = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Período" }).getByText(name, { exact: true }).click();
  const openTab = (page: Page, name: string) =>
    page.getByRole("navigation", { name: "Seções" }).getByText(name, { exact: true }).click();
  /** Changes the answer of Início. */
  const change = (page: Page, edit: (body: Body) => object) =>
    page.route(PANEL, async (route) => {
      const { "if-none-match": _, ...headers } = route.request().headers();
      const body = (await (await route.fetch({ headers })).json()) as Body;
      await route.fulfill({ json: { ...body, ...edit(body) } });
    });

  beforeAll(async () => {
    const longName = pg.escapeLiteral(HUGE);
    for (const statement of [
      `insert into estabelecimentos (nome, salon_id) values (${longName}, 'painel-edge'), ('Unidade sem nada', 'painel-empty')
        `,
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, forma_pagamento_principal, servicos, sent_to_erp, raw_data, synced_at)
         select 'painel-' || i, case when i < 6 then 'painel-edge' else 'painel-stranger' end, case i when 0 then 99999999.99 when 1 then 0.01 else i end,
           now(), case i when 0 then null when 1 then ${longName} when 2 then '' else '<b>forma</b>' end,
           case i when 0 then null else '[{"idProfissionalQueRealizouServico": "painel-p"}]'::jsonb end, i % 2 = 0, '{}', now()
         from generate_series(0, 7) i`,
      `insert into profissionais (nome, salon_id, salon_estabelecimento_id, ativo) values (${longName}, 'painel-p', 'painel-edge', true)`,
      `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome, quantidade, valor_total, forma_pagamento)
         select 'loja', 'painel-' || i, 'painel-edge', now(), case i when 0 then null else 'P' || i end, case i when 0 then null when 1 then ${longName} else '<b>x</b>' end,
           case i when 2 then null else i + 0.125 end, case i when 3 then null else 10 * i end, case i when 1 then 'Descontar do Profissional' end
         from generate_series(0, 4) i`,
    ])
      await db.query(statement);
  });
  afterAll(async () => {
    for (const rows of [
      "estabelecimentos where salon_id",
      "transacoes where salon_id",
      "profissionais where salon_id",
      "vendas_produto where transacao_id",
    ])
      await db.query(`delete from ${rows} like 'painel-%'`);
  });

  it("shows an error for an empty field and for a wrong password, and requests no data (A2)", async () => {
    const { page, complaints } = await openPage("/painel");
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).pathname));
    await page.getByRole("button", { name: "Entrar" }).click();
    await page.getByRole("alert").filter({ hasText: "Preencha o e-mail e a senha." }).waitFor();
    await signIn(page, { ...DEMO, password: "wrong-password" });
    await page.getByRole("alert").filter({ hasText: "E-mail ou senha incorretos." }).waitFor();
    expect(await page.locator("#sign-in").textContent()).toContain("Esqueceu a senha? Peça uma nova a quem");
    expect(requested.filter((path) => path.startsWith("/v1") || path.startsWith("/auth"))).toEqual([
      "/auth/login",
    ]);
    expect(complaints).toEqual([]);
  });

  it("keeps tab, period, unit, comparison and list in the URL, and goes back through them (A2)", async () => {
    const days = `periodo=datas&de=${shifted(today, -9)}&ate=${today}`;
    const { page } = await openPanel(`?${days}&unidade=101`);
    const searches = [page.url()];
    const steps: [act: () => Promise<unknown>, search: string][] = [
      [() => openPeriod(page, "7 dias"), "?periodo=7-dias&unidade=101"],
      [() => openTab(page, "Equipe"), "?aba=equipe&periodo=7-dias&unidade=101"],
      [() => unitOf(page).selectOption(""), "?aba=equipe&periodo=7-dias"],
      [() => page.getByLabel("Comparar com").selectOption("ano"), "?aba=equipe&periodo=7-dias&comparar=ano"],
      [() => openTab(page, "Financeiro"), "?aba=financeiro&periodo=7-dias&comparar=ano"],
      [
        () => page.getByText("Envio", { exact: true }).click(),
        "?aba=financeiro&parte=envio&periodo=7-dias&comparar=ano",
      ],
    ];
    for (const [act, search] of steps) {
      await act();
      await page.waitForURL(`${base}/painel${search}`);
      await waitForPanel(page);
      searches.push(page.url());
    }
    await page.locator("#conteudo a[href*='lista=']").first().click();
    await page.getByRole("heading", { name: /^Atendimentos/, level: 2 }).waitFor();
    expect(page.url()).toContain("lista=");
    for (const url of searches.reverse()) {
      await page.goBack();
      await waitForPanel(page);
      expect(page.url()).toBe(url);
    }
    await page.getByRole("button", { name: "Datas" }).click();
    expect(await page.getByLabel("De", { exact: true }).inputValue()).toBe(shifted(today, -9));
    expect(await chosenUnit(page)).not.toContain("Todas");
  });

  it("returns to the place and to the link that was followed, with and without the browser's button (A2)", async () => {
    const { page } = await openPanel("", PHONE);
    const focused = () =>
      page.evaluate<string>(
        "document.activeElement.getAttribute('href') ?? document.activeElement.localName",
      );
    const follow = async (selector: string, goBack: () => Promise<unknown>) => {
      const link = page.locator(selector).filter({ visible: true }).last();
      const href = await link.getAttribute("href");
      await link.focus();
      await page.evaluate("scrollTo(0, document.documentElement.scrollHeight / 3)");
      const position = await page.evaluate<number>("scrollY");
      await page.keyboard.press("Enter");
      await expect.poll(focused).toBe("h1");
      await waitForPanel(page);
      expect(await page.evaluate("scrollY")).toBe(0);
      await goBack();
      await expect.poll(focused).toBe(href);
      expect(await page.evaluate("scrollY")).toBe(position);
    };
    await follow(".alerts a", () => page.goBack());
    const voltar = () => page.getByRole("link", { name: "Voltar" }).click();
    await follow(".alerts a[href*='lista=']", voltar);
    await navigate(page, "?aba=financeiro");
    await follow("#conteudo a[href*='lista=']", voltar);
  });

  it("shows this month and says so, if the URL names no period that exists (A2)", async () => {
    const { page } = await openPanel("?periodo=datas&de=2026-02-30&ate=x&unidade=nobody&aba=nada&parte=x");
    const current = page.getByRole("navigation", { name: "Período" }).locator("[aria-current]");
    for (const search of [
      "",
      `?periodo=datas&de=${today}&ate=2026-01-01`,
      "?periodo=anteontem",
      "?de=1999-01-01&ate=1999-01-02",
    ]) {
      if (search) await navigate(page, search);
      await notice(page).filter({ hasText: "Período inválido no link. Mostrando este mês." }).waitFor();
      expect(await current.textContent()).toBe("Mês");
      if (!search) expect(await chosenUnit(page)).toBe("Unidade nobody");
    }
    await openPeriod(page, "Hoje");
    await page.locator("#notice").waitFor({ state: "hidden" });
  });

  it("says that no unit has the id in the URL, and leaves out what no id has (A2)", async () => {
    const { page, complaints, paths } = await openPanel("?unidade=nobody");
    const said = notice(page).filter({ hasText: "Esta unidade não está cadastrada." });
    await said.waitFor();
    await navigate(page, "?aba=unidades&unidade=%00");
    await said.waitFor({ state: "hidden" });
    expect(await chosenUnit(page)).toBe("Todas as unidades");
    for (const place of [
      "mais&parte=cliente&cliente=a%00",
      "equipe&parte=pessoa&pessoa=7%00",
      "mais&lista=atendimentos&lista-unidade=103%00",
    ])
      await navigate(page, `?aba=${place}`);
    const asked = ["cliente_salon_id=a&", "profissional_salon_id=7&", "estabelecimento_id=103&"];
    await expect
      .poll(() => asked.filter((one) => !paths.some((path) => `${path}&`.includes(one))))
      .toEqual([]);
    await page.goto(`${base}/painel?unidade=%0%000`);
    expect(new URL(page.url()).search).toBe("?unidade=");
    expect(paths.filter((path) => path.includes("%00"))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("shows HTML and long names as plain text, in every tab (A2)", async () => {
    const { page, complaints } = await openPanel("?periodo=hoje&unidade=painel-edge", PHONE);
    expect(await chosenUnit(page)).toBe(HUGE);
    const faults: unknown[] = [];
    for (const search of [...placesOf("periodo=hoje&unidade=painel-edge"), ...placesOf("periodo=hoje")]) {
      await navigate(page, search);
      const tags = await page.locator("#content b").count();
      const found = [tags, await overflowing(page), ODD.exec(await content(page))?.[0] ?? ""];
      if (found.join("") !== "0") faults.push([search, ...found]);
    }
    expect(faults).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("says in every tab that a unit has no records, and shows no odd value (A2)", async () => {
    const { page, complaints } = await openPanel("?unidade=painel-empty");
    expect(await headline(page)).toBe(money(0));
    for (const search of placesOf("unidade=painel-empty")) {
      await navigate(page, search);
      expect([search, ODD.exec(await content(page)), await overflowing(page)]).toEqual([search, null, []]);
    }
    await navigate(page, "?aba=equipe&unidade=painel-empty");
    expect(await content(page)).toContain("Nenhum serviço neste período.");
    expect(complaints).toEqual([]);
  });

  it("shows data inválida for dates that a browser cannot read, and everything else as usual (A2)", async () => {
    await db.query(`insert into jobs_log (queue, job_id, job_name, status, created_at) values
      ('q', '${MARK}', 'sync-transacoes', 'completed', 'infinity'),
      ('q', '${MARK}', 'send-receber', 'failed', '-infinity'),
      ('q', '${MARK}', 'send-pagar', 'completed', '12026-11-23T12:00:00Z')`);
    await db.query(`insert into produtos (salon_id, estabelecimento_id, nome, raw_data, synced_at) values
      ('${MARK}', '${MARK} 1', 'x', '{}', 'infinity'), ('${MARK}', '${MARK} 2', 'x', '{}', '-infinity'),
      ('${MARK}', '${MARK} 3', 'x', '{}', '12026-11-23T12:00:00Z')`);
    try {
      const { page, complaints } = await openPanel("?aba=mais&parte=rotinas");
      const jobs = await rowsOf(page, "Rotinas que atualizam os dados");
      expect(jobs.filter((row) => row.includes("data inválida")).length).toBeGreaterThan(1);
      const units = await rowsOf(page, "Catálogo de produtos por unidade");
      expect(units.filter(([name]) => name?.includes(MARK))).toEqual(
        [1, 2, 3].map((n) => [`Unidade ${MARK} ${n}`, "data inválida"]),
      );
      expect(units.length).toBeGreaterThan(3);
      await navigate(page, "");
      expect(await page.locator(".age").textContent()).toBe("Hora dos dados desconhecida");
      expect(await page.locator(".alerts").textContent()).toContain("Data inválida");
      expect(await headline(page)).toContain("R$");
      expect(complaints).toEqual([]);
    } finally {
      await db.query(`delete from jobs_log where job_id = '${MARK}'`);
      await db.query(`delete from produtos where salon_id = '${MARK}'`);
    }
  });

  /** One row in each part, with blank names and this amount everywhere. */
  const withAmount = (amount: number) => (body: Body) =>
    Object.fromEntries(
      Object.entries(body).flatMap(([name, part]) => {
        if (part === null || !Array.isArray(part.data) || name === "frescor") return [];
        const odd = (row: object): object =>
          Object.fromEntries(
            Object.entries(row).map(([key, value]) => {
              if (key === "anterior" && value?.inicio === undefined) return [key, odd(value)];
              if (/^(valor|ticket|taxas|meta)/.test(key)) return [key, amount];
              return [key, /nome|^profissional$|^forma/.test(key) ? " \u00a0" : value];
            }),
          );
        return [[name, { ...part, data: part.data.slice(0, 1).map(odd), totais: odd(part.totais) }]];
      }),
    );

  it.each([
    ["billions", 987_654_321_987.65],
    ["negative sums", -87_654_321.5],
  ])("shows %s, blank names and single rows, each in its card (A2)", async (_, amount) => {
    const { page, complaints } = await openPanel("?periodo=mes-passado");
    await change(page, withAmount(amount));
    await navigate(page, "?periodo=mes");
    expect(await headline(page)).toBe(money(amount));
    expect(await content(page)).not.toMatch(ODD);
    expect(await page.locator(".people .name").textContent()).toMatch(/^Profissional não /);
    for (const width of [320, 390, 768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      // Charts are drawn again in the frame after the one that changed their width.
      await page.evaluate(`new Promise((resolve) => {
        const isDrawn = (svg) => svg.clientWidth === svg.parentElement.clientWidth;
        const look = () => [...document.querySelectorAll(".plot svg")].every(isDrawn) ? resolve() : requestAnimationFrame(look);
        look();
      })`);
      expect([width, await overflowing(page)]).toEqual([width, []]);
      const cut = await page.evaluate(
        `[...document.querySelectorAll(".card, .figure, .value, .delta")].filter((one) => one.scrollWidth > one.clientWidth && one.clientWidth > 0).map((one) => one.className + one.textContent)`,
      );
      expect([width, cut]).toEqual([width, []]);
    }
    expect(complaints).toEqual([]);
  });

  it("shows a sentence and a retry instead of an answer that it cannot draw (A2)", async () => {
    const { page } = await openPanel("?periodo=mes-passado");
    await change(page, () => ({ faturamento_por_unidade: { data: [null], totais: {} } }));
    await goTo(page, "?periodo=7-dias");
    await failure(page).filter({ hasText: "Resposta inesperada do servidor." }).waitFor();
    expect(await content(page)).not.toContain("R$");
    await page.unroute(PANEL);
    await page.getByRole("button", { name: "Tentar novamente" }).click();
    await failure(page).waitFor({ state: "detached" });
    expect(await headline(page)).toContain("R$");
  });

  it("shows a sentence and a button to reload instead of a blank page (A2)", async () => {
    const { page } = await openPanel("?periodo=mes-passado");
    await change(page, () => ({ unidades: [null] }));
    await goTo(page, "?periodo=7-dias");
    await page.getByText("Não foi possível mostrar esta tela.").waitFor();
    await page.unroute(PANEL);
    await page.getByRole("button", { name: "Recarregar" }).click();
    await signIn(page);
    await waitForPanel(page);
    expect(new URL(page.url()).search).toBe("?periodo=7-dias");
    expect(await cardOf(page, /^Faturamento/).count()).toBe(1);
  });

  it("opens without an error in the browser's log, with and without a kept session (A2)", async () => {
    const { page } = await openPage("");
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    await page.goto(`${base}/painel`);
    await page.locator("#keep").check();
    await signIn(page);
    await waitForPanel(page);
    await page.reload();
    await waitForPanel(page);
    expect(errors).toEqual([]);
  });

  it("is not needed by the example page of docs/painel.md, which shows the units from another origin (E7)", async () => {
    const [example] = fences.filter(({ page, language }) => page === "docs/painel.md" && language === "html");
    const html = example?.text.replace("http://127.0.0.1:8787", base) ?? "";
    expect(html).toContain(base);
    const elsewhere = createServer((_, answer) => {
      answer.setHeader("Content-Type", "text/html").end(html);
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    try {
      const { page } = await openPage("/painel");
      await page.goto(`http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`);
      // The days are the service's, whatever the device's clock.
      await page.clock.install({ time: `${shifted(today, 5)}T12:00:00-03:00` });
      await page.getByLabel("E-mail").fill(DEMO.email);
      await page.getByLabel("Password").fill(DEMO.password);
      await page.getByRole("button", { name: "Sign in" }).click();
      await page.locator("tr").first().waitFor();
      const { valor_total } = await revenueOf({ now: rangeOf(askedOf("7-dias")) });
      const amounts = await page.locator("tr td:last-child").allTextContents();
      const centavos = amounts.reduce((sum, one) => sum + Math.round(Number(one) * 100), 0);
      expect(centavos).toBe(Math.round(valor_total * 100));
      const again = page.waitForResponse(PANEL);
      await page.clock.runFor(61_000);
      expect((await again).status()).toBe(304);
    } finally {
      elsewhere.close();
    }
  });
});
