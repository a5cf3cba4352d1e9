// @module-tag slow
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import pg from "pg";
import type { BrowserContextOptions, Page, Request, Response } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { limitUser, type NamedRights } from "../../tools/rights.ts";
import { addUser } from "../../tools/user-changes.ts";
import { hasChromium } from "../support/node/installed.ts";
import { accessibilityViolations, fits, type Opened, openBrowser } from "./browser.ts";
import {
  count,
  DAYS,
  goTo,
  installClock,
  money,
  navigate,
  openPanel,
  PHONE,
  rowsOf,
  shifted,
  signIn,
  textOf,
  today,
  waitForPanel,
} from "./panel.ts";

/** The requests of the cards: production, services, hours of a week, clients, payments and what is not mapped. */
const OF_CARDS =
  /relatorios\/(?:servicos|pagamentos|nao-mapeados)\?|relatorios\/visitas\?.*(?:por=(?:dia_semana|cliente)|clientes_novos)/;
const isOfCard = (request: Request) => OF_CARDS.test(request.url());

describe.runIf(hasChromium)("/painel answers a manager", () => {
  let opened: Opened;
  let db: pg.Client;
  let units: string[];
  const all = async (sql: string, values: unknown[] = []) => (await db.query(sql, values)).rows;

  beforeAll(async () => {
    opened = await openBrowser();
    db = new pg.Client({ connectionString: inject("postgresUrl") });
    await db.connect();
    units = (await all("select salon_id from estabelecimentos where salon_id is not null")).map(
      (row) => row.salon_id,
    );
  });
  afterAll(async () => {
    await opened?.close();
    await db?.end();
  });

  /** The last number of a text: that of payments follows their sum. */
  const numberIn = (text: string) => Number(text.match(/\d[\d.]*(?!.*\d)/s)?.[0].replaceAll(".", ""));

  /** Faturamento and its parts by plain SQL, in the order of the page. */
  const revenue = async (period: string, unit: string) => {
    const range = `data_hora >= ($1::date)::timestamp at time zone 'America/Sao_Paulo'
      and data_hora < ($2::date + 1)::timestamp at time zone 'America/Sao_Paulo' and ($3 = '' or estabelecimento_id = $3)`;
    const [sums] = await all(
      `with visits as (select coalesce(sum(total), 0) as total from transacoes where ${range}),
        lines as (select
          coalesce(sum(valor_total) filter (where origem = 'salao' and not taken), 0) as salons,
          coalesce(sum(valor_total) filter (where origem = 'loja' and not taken), 0) as stores,
          coalesce(sum(valor_total) filter (where origem = 'salao' and taken), 0) as taken_salons,
          coalesce(sum(valor_total) filter (where taken), 0) as taken
          from (select *, coalesce(forma_pagamento = 'Descontar do Profissional', false) as taken
            from vendas_produto where ${range} and valor_total <> 'NaN') as lines)
        select total - taken_salons + stores as all, total - salons - taken_salons as services, salons, stores, taken
        from visits, lines`,
      [...(DAYS[period] ?? []), unit],
    );
    return [sums.all, sums.services, sums.salons, sums.stores, sums.taken].map((text) => money(Number(text)));
  };

  it("shows Faturamento and its parts as plain SQL adds them up, for every unit and period (R20)", async () => {
    const { page, complaints } = await openPanel(opened);
    // The cards take most of the time, and have no part in this figure.
    await page.route(OF_CARDS, (route) => route.abort());
    for (const unit of ["", ...units])
      for (const period of Object.keys(DAYS)) {
        await navigate(page, `?periodo=${period}${unit && `&unidade=${unit}`}`);
        const [total, services, salons, stores, taken] = await revenue(period, unit);
        const parts = await page.locator("#value-parts dd").allTextContents();
        const shown = [
          await textOf(page, "#value .figure"),
          parts.map((part) => part.replaceAll(/\s+/g, " ")),
          await textOf(page, "#value-parts .more"),
        ];
        // A store shows its own part only, and a salon none of stores.
        const own = [[], [stores], [services, salons], [services, salons, stores]][parts.length];
        if (parts.length === 1) expect([services, salons]).toEqual([money(0), money(0)]);
        if (parts.length === 2) expect([unit === "", stores]).toEqual([false, money(0)]);
        expect([unit, period, ...shown]).toEqual([
          unit,
          period,
          total,
          own,
          `Fora do faturamento: produtos retirados por profissionais, ${taken}`,
        ]);
      }
    expect(complaints).toEqual([]);
  }, 400_000);

  it("shows a store's sales, and nothing about visits (R20)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado&unidade=202");
    expect(await textOf(page, "#value .figure")).not.toBe(money(0));
    expect(await page.locator("section:has(#sold)").isVisible()).toBe(true);
    for (const id of ["visits", "ticket", "sent", "periods", "professionals", "clients"])
      expect([id, await page.locator(`section:has(#${id})`).isVisible()]).toEqual([id, false]);
    await page.locator("#sold a").click();
    await page.getByRole("heading", { name: "Vendas de produtos" }).waitFor();
    const { salon } = (
      await all(
        `select count(*)::int as salon from vendas_produto where estabelecimento_id = '202' and data_hora >= ($1::date)::timestamp
           at time zone 'America/Sao_Paulo' and data_hora < ($2::date + 1)::timestamp at time zone 'America/Sao_Paulo'`,
        DAYS["mes-passado"],
      )
    )[0];
    await page
      .locator("#record-table [role=status]")
      .filter({ hasText: `${count(salon)} registro` })
      .waitFor();
  });

  it("leads to the visits of all periods that were not sent to the ERP (A2)", async () => {
    const { page } = await openPanel(opened);
    for (const unit of ["", "101"]) {
      const [sums] = await all(
        "select count(*)::int as pending from transacoes where not sent_to_erp and ($1 = '' or estabelecimento_id = $1)",
        [unit],
      );
      await navigate(page, `?periodo=hoje&unidade=${unit}`);
      const link = page.locator('#sent a[href*="todos-pendentes"]');
      expect(await link.textContent()).toBe(`${count(sums.pending)} pendentes ao todo`);
      await link.click();
      await page
        .locator("#record-table [role=status]")
        .filter({ hasText: `${count(sums.pending)} registros` })
        .waitFor();
      expect(await textOf(page, "#records-of")).toContain("todos os períodos");
      await page.goBack();
    }
  });

  /** Opens a view and returns the parameters of the request for its panel. */
  const asked = async (page: Page, search: string) => {
    const request = page.waitForRequest("**/v1/relatorios/painel?**");
    await goTo(page, search);
    return new URL((await request).url()).searchParams;
  };

  it("asks for the comparison that a manager means, and for none on request (R10)", async () => {
    const { page } = await openPanel(opened, "?periodo=hoje");
    const hour = await asked(page, "?periodo=hoje&unidade=101");
    expect(hour.get("data_fim")).toMatch(new RegExp(`^${today}T\\d\\d:59:59\\.999999-03:00$`));
    const kinds = {
      "periodo=hoje": "semana-anterior",
      "periodo=7-dias": "anterior",
      "periodo=mes": "mes-anterior",
      "periodo=mes-passado": "mes-anterior",
      "periodo=ano": "ano-anterior",
      "periodo=datas&de=2026-02-01&ate=2026-02-28": "mes-anterior",
      "periodo=datas&de=2026-02-03&ate=2026-02-03": "semana-anterior",
      "periodo=datas&de=2026-02-03&ate=2026-02-09": "anterior",
      "periodo=mes&comparar=ano": "ano-anterior",
      "periodo=mes&comparar=nada": null,
    };
    for (const [search, kind] of Object.entries(kinds)) {
      const query = await asked(page, `?${search}&unidade=102`);
      expect([search, query.get("comparar")]).toEqual([search, kind]);
    }
    await waitForPanel(page);
    expect(await page.locator("#panel .before").count()).toBe(0);
    expect(await page.locator("#compare").inputValue()).toBe("nada");
  });

  it("compares all figures with the same range, which ends at the time of now, and says so (R23)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado");
    const answers: { path: string; earlier: { inicio: string; fim: string } | undefined }[] = [];
    page.on("response", async (response) => {
      const { pathname, searchParams } = new URL(response.url());
      if (!searchParams.has("comparar") || response.status() !== 200) return;
      const body = await response.json();
      const { inicio, fim } = body.anterior ?? body.resumo.anterior;
      answers.push({ path: pathname, earlier: { inicio, fim } });
    });
    const timeIn = (at: Date) =>
      at.toLocaleTimeString("pt-BR", { timeZone: "America/Sao_Paulo", hour: "2-digit", minute: "2-digit" });
    for (const period of ["hoje", "7-dias", "mes", "ano"]) {
      answers.length = 0;
      const asked = Date.now();
      await navigate(page, `?periodo=${period}&unidade=103`);
      await page.waitForLoadState("networkidle");
      expect([...new Set(answers.map(({ path }) => path.replace("/v1/relatorios/", "")))].sort()).toEqual(
        ["faturamento", "painel", "servicos", "vendas", ...(period === "hoje" ? ["visitas"] : [])].sort(),
      );
      const ends = answers.map(({ earlier }) => Date.parse(earlier?.fim ?? ""));
      // A minute may pass between two requests.
      expect(Math.max(...ends) - Math.min(...ends)).toBeLessThanOrEqual(60_000);
      expect(new Set(answers.map(({ earlier }) => earlier?.inicio)).size).toBe(1);
      const end = new Date(
        Date.parse(answers.find(({ path }) => path.endsWith("painel"))?.earlier?.fim ?? ""),
      );
      expect([timeIn(new Date(asked)), timeIn(new Date())]).toContain(timeIn(end));
      const day = end.toLocaleDateString("pt-BR", { dateStyle: "long", timeZone: "America/Sao_Paulo" });
      expect(await textOf(page, "#compared")).toMatch(
        new RegExp(`(^| )${day.replace(/^1 /, "1º ")}, até as ${timeIn(end).replace(":", "h")}$`),
      );
    }
    await navigate(page, "?periodo=mes-passado");
    expect(await textOf(page, "#compared")).toMatch(/^Em comparação com 1º a \d+ de \S+ de \d{4}$/);
  });

  it.each(["?periodo=hoje", "?periodo=7-dias", "?periodo=7-dias&comparar=nada"])(
    "sends at most 14 requests for another view: %s (E3)",
    async (search) => {
      const { page, paths } = await openPanel(opened, "?periodo=mes-passado");
      paths.length = 0;
      await navigate(page, search);
      expect(paths.length).toBeGreaterThan(10);
      expect(paths.length).toBeLessThanOrEqual(14);
      expect(new Set(paths).size).toBe(paths.length);
    },
  );

  it("asks for the days of each period at the end of a month and of a year (R10)", async () => {
    const setDay = (page: Page, day: string) => page.clock.setFixedTime(new Date(`${day}T15:00:00Z`));
    const { page } = await openPanel(opened, "?periodo=7-dias", {
      prepare: (page) => setDay(page, "2026-11-30"),
    });
    const days: Record<string, Record<string, [from: string, to: string]>> = {
      "2026-11-30": { mes: ["2026-11-01", "2026-11-30"], "mes-passado": ["2026-10-01", "2026-10-31"] },
      "2026-12-01": { mes: ["2026-12-01", "2026-12-01"], "mes-passado": ["2026-11-01", "2026-11-30"] },
      "2027-01-01": { mes: ["2027-01-01", "2027-01-01"], ano: ["2027-01-01", "2027-01-01"] },
      "2027-03-31": { mes: ["2027-03-01", "2027-03-31"], "mes-passado": ["2027-02-01", "2027-02-28"] },
    };
    const kinds: Record<string, string> = { ano: "ano-anterior", hoje: "semana-anterior" };
    for (const [day, periods] of Object.entries(days)) {
      await setDay(page, day);
      for (const [period, [from, to]] of Object.entries({ ...periods, hoje: [day, day] as const })) {
        const query = await asked(page, `?periodo=${period}`);
        // A period that is only today ends with the current hour.
        const time = from === day ? "12:59:59.999999" : "23:59:59.999999";
        expect([
          day,
          period,
          ...["data_inicio", "data_fim", "comparar"].map((name) => query.get(name)),
        ]).toEqual([
          day,
          period,
          `${from}T00:00:00-03:00`,
          `${to}T${time}-03:00`,
          kinds[period] ?? "mes-anterior",
        ]);
      }
    }
  });

  it("shows no percentage if the earlier period begins before the data, or if the period begins in the future (R10)", async () => {
    const [{ first }] = await all(
      "select (min(data_hora) at time zone 'America/Sao_Paulo')::date::text as first from transacoes",
    );
    const { page } = await openPanel(
      opened,
      `?periodo=datas&de=${shifted(first, 5)}&ate=${shifted(first, 14)}`,
    );
    expect(await textOf(page, "#visits .before")).toMatch(/^antes: \d+ \(incompleto\)$/);
    expect(await page.locator("#panel .change:not(.same)").count()).toBe(0);
    await navigate(page, `?periodo=datas&de=${shifted(first, 20)}&ate=${shifted(first, 29)}`);
    expect(await page.locator("#visits .change").count()).toBe(1);
    await navigate(page, `?periodo=datas&de=${shifted(today, 3)}&ate=${shifted(today, 9)}`);
    expect(await textOf(page, "#compared")).toBe("Este período ainda não começou.");
    expect(await page.locator("#panel .before").count()).toBe(0);
  });

  it("ranks professionals by what each one did, with their share (R20)", async () => {
    const { page } = await openPanel(opened, "?periodo=ano");
    const rows = await all(
      `select coalesce(sum((s ->> 'valor')::numeric), 0)::float as value, count(*)::int as services
         from transacoes, jsonb_array_elements(servicos) s
         where data_hora >= ($1::date)::timestamp at time zone 'America/Sao_Paulo'
           and data_hora < ($2::date + 1)::timestamp at time zone 'America/Sao_Paulo'
           and jsonb_typeof(servicos) = 'array' and jsonb_typeof(s) = 'object' and jsonb_typeof(s -> 'valor') = 'number'
         group by estabelecimento_id, s ->> 'idProfissionalQueRealizouServico' order by 1 desc`,
      DAYS.ano,
    );
    const total = rows.reduce((sum, row) => sum + row.value, 0);
    const shown = await rowsOf(page, "professionals");
    expect(shown.slice(0, 10).map((row) => row.slice(1, 3))).toEqual(
      rows.slice(0, 10).map(({ value }) => [
        money(value),
        (value / total).toLocaleString("pt-BR", {
          style: "percent",
          minimumFractionDigits: 1,
          maximumFractionDigits: 1,
        }),
      ]),
    );
    expect(await page.locator("#professionals tr:visible").count()).toBe(11);
    await page
      .getByRole("button", { name: /^Ver todas as \d+ linhas$/ })
      .first()
      .click();
    expect(await page.locator("#professionals tr:visible").count()).toBe(shown.length + 1);
  });

  it("opens the records of a figure, pages through them, and goes back (A2)", async () => {
    const { page, complaints } = await openPanel(opened, "?periodo=ano");
    const [pending, visits] = [
      Number(/(\d+) pendente/.exec(await textOf(page, "#sent .more"))?.[1]),
      Number((await textOf(page, "#visits .figure")).replace(".", "")),
    ];
    expect(visits).toBeGreaterThan(50);
    const status = page.locator("#record-table [role=status]");
    await page.locator('#sent a[href*="lista=pendentes"]').click();
    await status.filter({ hasText: `${pending} registro` }).waitFor();
    await page.goBack();
    await page.locator("#visits a").click();
    await status
      .filter({ hasText: `${count(visits)} registros · página 1 de ${Math.ceil(visits / 50)}` })
      .waitFor();
    expect(await page.locator("#record-table tbody tr").count()).toBe(50);
    await page.getByRole("link", { name: "Próxima ›" }).click();
    await status.filter({ hasText: "página 2 de" }).waitFor();
    expect(await page.locator("#record-table tbody tr").count()).toBe(Math.min(50, visits - 50));
    await page.goBack();
    await status.filter({ hasText: "página 1 de" }).waitFor();
    await page.getByRole("link", { name: "Voltar ao painel" }).click();
    expect(new URL(page.url()).search).toBe("?periodo=ano");
    expect(await page.locator("#overview").isVisible()).toBe(true);
    expect(complaints).toEqual([]);
  });

  describe("with more than 999 records of a figure", () => {
    const REMOVALS = [
      "transacoes where salon_id",
      "vendas_produto where transacao_id",
      "pagamentos_erp where descricao",
    ];
    beforeAll(async () => {
      await all(
        `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
           select 'many-' || i, '101', 100, '2025-03-10T12:00:00-03:00', '{}'
           from generate_series(1, 1100) i`,
      );
      await all(
        `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id,
             produto_nome, quantidade, valor_total, forma_pagamento)
           select 'loja', 'many-' || i, '202', '2025-03-10T12:00:00-03:00', 'many', 'Many', 1, 10,
             case when i <= 5 then 'Descontar do Profissional' end from generate_series(1, 1105) i`,
      );
      await all(
        `insert into pagamentos_erp (erp_id, id_centro_custo, situacao, valor, data_vencimento, descricao,
             raw_data) select 770000 + i, '7001', 1, 1, '2025-03-10', 'many-' || i, '{}' from generate_series(1, 1100) i`,
      );
    });
    afterAll(async () => {
      for (const rows of REMOVALS) await all(`delete from ${rows} like 'many-%'`);
    });

    it.each([
      ["a unit", "#units tbody a", ["Atendimentos"], "Atendimentos", 1100],
      ["a bar", "#periods tr:nth-child(10) a", ["Atendimentos"], "Atendimentos", 1100],
      ["a product", "#products a", ["Vendidos", "Retirados por profissionais"], "Vendas de produtos", 1105],
      [
        "overdue payments",
        "#payments tr:has-text('Salão Jardins') a",
        ["Vencidos"],
        "Pagamentos vencidos",
        1100,
      ],
    ])(
      "opens the records of %s, as many as the figure says (A2)",
      async (_, selector, columns, title, least) => {
        const { page } = await openPanel(opened, "?periodo=datas&de=2025-03-01&ate=2025-03-31");
        for (const summary of await page.locator("#overview summary").all()) await summary.click();
        const link = page.locator(selector).first();
        const row = link.locator("xpath=ancestor::tr");
        const numbers = await Promise.all(
          columns.map(async (column) =>
            numberIn((await row.locator(`[data-label="${column}"]`).textContent()) ?? ""),
          ),
        );
        await link.click();
        await page.getByRole("heading", { name: title, exact: true }).waitFor();
        const shown = numberIn((await textOf(page, "#record-table [role=status]")).split(" ·")[0] ?? "");
        expect(shown).toBe(numbers.reduce((sum, one) => sum + one, 0));
        expect(shown).toBeGreaterThanOrEqual(least);
      },
    );
  });

  it("downloads the rows of a table for Excel, as the service sends them (X1)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado");
    const { from, to } = { from: DAYS["mes-passado"]?.[0], to: DAYS["mes-passado"]?.[1] };
    for (const [id, name] of [
      ["professionals", "producao-por-profissional"],
      ["forms", "transacoes-por-forma-pagamento"],
    ]) {
      const arriving = page.waitForEvent("download");
      await page.locator(`button[data-get="${id}"]`).click();
      const download = await arriving;
      expect(download.suggestedFilename()).toBe(`${name}-${from}-${to}.csv`);
      const text = readFileSync(await download.path(), "utf8");
      expect(text.startsWith("\uFEFF")).toBe(true);
      const rows = (await rowsOf(page, id ?? "")).length;
      expect(text.trim().split("\r\n")).toHaveLength(rows + 1);
    }
    // More than one page of 200 records.
    await navigate(page, `?periodo=datas&de=2020-01-01&ate=${today}&lista=atendimentos`);
    await page.locator("#record-table [role=status]").waitFor();
    const total = await page.locator("#record-table [role=status]").textContent();
    const arriving = page.waitForEvent("download");
    await page.locator('button[data-get="records"]').click();
    const lines = readFileSync(await (await arriving).path(), "utf8")
      .trim()
      .split("\r\n");
    expect(`${count(lines.length - 1)} registros`).toBe(total?.split(" · ")[0]);
    expect(lines.length).toBeGreaterThan(201);
    expect(lines.slice(1).filter((line) => line.startsWith("salon_id"))).toEqual([]);
  });

  it("copies the address, which is the view (A2)", async () => {
    const { page } = await openPanel(opened, "?periodo=7-dias&unidade=101", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: "Compartilhar" }).click();
    await page.locator("#notice").filter({ hasText: "Link copiado." }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(page.url());
  });

  it("opens the installed app signed in, on the unit that was chosen last (A12)", async () => {
    const { page } = await opened.open("/painel");
    await page.check("#keep");
    await signIn(page);
    await waitForPanel(page);
    await page.locator("#unit").selectOption("103");
    await page.waitForURL("**/painel?unidade=103");
    await page.goto(`${opened.base}/painel?inicio=app`);
    await waitForPanel(page);
    expect(new URL(page.url()).search).toBe("?unidade=103");
    expect(await page.locator("#unit").inputValue()).toBe("103");
  });

  it("requests the cards again after ten minutes, and keeps five tabs within the quota of a user (A2, E3)", async () => {
    const { page, paths } = await openPanel(opened, "", { prepare: installClock });
    const first = paths.length;
    paths.length = 0;
    const requests: Request[] = [];
    page.on("request", (request) => requests.push(request));
    await navigate(page, "?periodo=7-dias");
    const atFirst = requests.splice(0).filter(isOfCard);
    expect(atFirst).toHaveLength(7);
    const minutes: Request[][] = [];
    for (let minute = 0; minute < 15; minute += 1) {
      await page.clock.runFor(60_500);
      await page.waitForLoadState("networkidle");
      await waitForPanel(page);
      minutes.push(requests.splice(0));
    }
    expect(minutes.slice(0, 8).flat().filter(isOfCard)).toEqual([]);
    const again = minutes.flat().filter(isOfCard);
    expect(again.map((one) => one.url()).sort()).toEqual(atFirst.map((one) => one.url()).sort());
    for (const request of again) {
      expect((await request.allHeaders())["if-none-match"]).toMatch(/"/);
      expect((await request.response())?.status()).toBe(304);
    }
    expect(paths.length).toBeGreaterThan(30);
    // A change of the period in each tab, and 15 minutes of five tabs.
    expect(5 * (first + paths.length)).toBeLessThan(500);
  });

  it("hides the card of clients, and does not request it, for more than 400 days (R20)", async () => {
    const { page, paths } = await openPanel(opened);
    for (const [count, isShown] of [
      [400, true],
      [401, false],
    ] as const) {
      paths.length = 0;
      await navigate(page, `?periodo=datas&de=${shifted(today, 1 - count)}&ate=${today}`);
      expect([count, await page.locator("section:has(#clients)").isVisible()]).toEqual([count, isShown]);
      expect(await page.locator('[data-jump="clients"]').isVisible()).toBe(isShown);
      expect(paths.some((path) => path.includes("clientes_novos"))).toBe(isShown);
    }
  });

  it("counts clients for a reader without the right to personal data in whole months only (R24)", async () => {
    const user = { email: "clients@example.com", name: "Clients", password: "manager-password" };
    await addUser(db, user);
    await limitUser(db, user.email, { personalData: false });
    const { page, paths } = await openPanel(opened, "?periodo=mes-passado");
    const complete = await page.locator("#clients dd").allTextContents();
    expect(complete).toHaveLength(4);
    await page.locator("#sign-out").click();
    await signIn(page, user);
    await waitForPanel(page);
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(response.url());
    });
    await navigate(page, "?periodo=mes-passado&unidade=103");
    await navigate(page, "?periodo=mes-passado");
    // Only rows by client, which are a 403 for them, say how many visits name no client.
    expect(await page.locator("#clients dd").allTextContents()).toEqual(complete.slice(0, 3));
    for (const [search, isShown] of [
      ["?periodo=ano", true],
      ["?periodo=hoje", false],
      ["?periodo=7-dias", false],
      ["?periodo=datas&de=2026-01-01&ate=2026-02-28", true],
      ["?periodo=datas&de=2026-01-01&ate=2026-02-27", false],
    ] as const) {
      paths.length = 0;
      await navigate(page, search);
      expect([search, await page.locator("section:has(#clients)").isVisible()]).toEqual([search, isShown]);
      expect(paths.filter((path) => path.includes("clientes"))).toHaveLength(isShown ? 1 : 0);
    }
    expect(refused).toEqual([]);
    await db.query("delete from users where email = $1", [user.email]);
  });

  it("shows the last picture of a view from memory while it loads again (A2)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado");
    const before = await textOf(page, "#value .figure");
    await navigate(page, "?periodo=ano");
    expect(await textOf(page, "#value .figure")).not.toBe(before);
    const held: (() => void)[] = [];
    await page.route("**/v1/**", async (route) => {
      await new Promise<void>((resolve) => held.push(resolve));
      await route.abort();
    });
    await goTo(page, "?periodo=mes-passado");
    expect(await textOf(page, "#value .figure")).toBe(before);
    for (const release of held) release();
    await page.close();
  });

  it("shows Faturamento and the other figures of a phone without scrolling, with targets of 44 px (A2)", async () => {
    const { page } = await openPanel(opened, "?periodo=mes-passado", PHONE);
    for (const id of ["value", "visits", "ticket", "sent"]) {
      const box = await page.locator(`#${id} .figure`).boundingBox();
      expect([id, (box?.y ?? 1e6) + (box?.height ?? 0) < 844]).toEqual([id, true]);
    }
    const sizes = await page.evaluate<Record<string, number>>(
      `Object.fromEntries(["value", "visits", "ticket", "sent"].map((id) =>
         [id, parseFloat(getComputedStyle(document.querySelector("#" + id + " .figure")).fontSize)]))`,
    );
    expect(Math.max(...Object.values(sizes))).toBe(sizes.value);
    const small = await page.evaluate<string[]>(
      // The link of a card is as large as the card.
      `[...document.querySelectorAll("main.page :is(button, select, summary, a, .chips label)")]
         .filter((one) => one.checkVisibility() && !one.matches(".cards a") && one.getBoundingClientRect().height < 43.5)
         .map((one) => one.outerHTML.slice(0, 80))`,
    );
    expect(small).toEqual([]);
    const cell = page.locator("#units tbody tr").first().locator("td:not(.lead, .also)").first();
    expect(await cell.isVisible()).toBe(false);
    await page.locator("#units .opener").first().tap();
    expect(await cell.isVisible()).toBe(true);
    const box = await page.locator("#chart canvas").boundingBox();
    await page.locator("#chart .u-over").tap({ position: { x: 60, y: 60 } });
    expect(box?.width).toBeGreaterThan(300);
    const readout = page.locator("#readout");
    await readout.filter({ hasText: /\d atendimentos?.*Ver atendimentos/ }).waitFor();
    const first = await readout.textContent();
    // A finger moves: a browser sends pointer events for it, and no mouse events.
    await page.evaluate(`(() => {
      const over = document.querySelector("#chart .u-over");
      const { left, top } = over.getBoundingClientRect();
      const at = { clientX: left + 160, clientY: top + 20, pointerType: "touch", bubbles: true };
      over.dispatchEvent(new PointerEvent("pointermove", at));
    })()`);
    await expect.poll(() => readout.textContent()).not.toBe(first);
  });

  /** Each view on one screen, alternately light and dark: a check takes a second. */
  const VIEWS: [screen: BrowserContextOptions, searches: string[]][] = [
    [
      PHONE,
      ["?periodo=hoje", "?periodo=mes", "?periodo=ano", "?periodo=ano&comparar=nada&lista=atendimentos"],
    ],
    [
      { viewport: { width: 1280, height: 900 } },
      [
        "?periodo=7-dias",
        "?periodo=mes-passado",
        "?periodo=datas&de=2024-01-01&ate=2026-06-30&lista=vendas",
        "?lista=vencidos",
      ],
    ],
  ];
  it.each<[string, NamedRights]>([
    ["the manager of a salon", { units: ["101"], payments: false }],
    ["the manager of a store", { units: ["202"], payments: true }],
    ["an auditor", { personalData: false }],
  ])(
    "passes the accessibility checks in every period, on every screen, for %s (A2, A11)",
    async (name, rights) => {
      const user = { email: `${name.replaceAll(" ", "-")}@example.com`, name, password: "manager-password" };
      await addUser(db, user);
      await limitUser(db, user.email, rights);
      const check = async (page: Page, what: string) => {
        expect([what, await accessibilityViolations(page), await fits(page)]).toEqual([what, [], true]);
      };
      for (const [screen, searches] of VIEWS) {
        const { page, complaints } = await openPanel(opened, "", { user, ...screen });
        for (const [index, search] of searches.entries()) {
          if (search.includes("vencidos") && rights.payments === false) continue;
          await page.emulateMedia({ colorScheme: index % 2 ? "dark" : "light" });
          await navigate(page, search);
          if (search.includes("lista"))
            await page.locator("#record-table [role=status], #record-table .nothing").first().waitFor();
          // From the last: an opened one leaves the list.
          for (const closed of (await page.locator("details:not([open]) > summary:visible").all()).reverse())
            await closed.click();
          const opener = page.locator(".opener:visible").first();
          if (await opener.isVisible()) await opener.click();
          await check(page, search);
        }
        await page.locator("#sessions-open").click();
        await page.locator("#sessions-list tbody tr").first().waitFor();
        await check(page, "sessions");
        expect(complaints).toEqual([]);
      }
      await db.query("delete from users where email = $1", [user.email]);
    },
  );

  it("stays below 80 KiB with all the files that a browser requests (A2)", async () => {
    const { page } = await opened.open("");
    const files: Response[] = [];
    page.on("response", (response) => {
      if (/^\/(?:painel$|assets\/|icons\/)/.test(new URL(response.url()).pathname)) files.push(response);
    });
    await page.goto(`${opened.base}/painel`);
    await signIn(page);
    await waitForPanel(page);
    const names = files.map((file) => new URL(file.url()).pathname);
    for (const pattern of [/painel$/, /\.css$/, /painel-.*\.js$/, /session-.*\.js$/])
      expect(names.filter((name) => pattern.test(name)).length).toBeGreaterThan(0);
    const sizes = await Promise.all(files.map(async (file) => gzipSync(await file.body()).length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(80 * 1024);
  });
});
