// @module-tag slow
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { roundMoney, rowsOfReport, units } from "./figures.ts";
import { cardOf, count, money, navigate, openPanel, plain, rowsOf, waitForPanel } from "./panel.ts";
import { askedOf, rangeOf } from "./views.ts";
import { all } from "./warehouse.ts";

const MARCH = "de=2025-03-01&ate=2025-03-31";
/** Too long for a number of JavaScript. */
const LONG_ID = "9007199254740993";

describe.runIf(hasChromium)("the lists of /painel", () => {
  beforeAll(async () => {
    await all(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_nome, raw_data)
       select 'many-' || i, '101', 100, '2025-03-10T12:00:00-03:00', 'Many', '{}' from generate_series(1, 1103) i`,
    );
    await all(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data)
       select 'many-now-' || i, '101', 100, now() - interval '10 days', '{}' from generate_series(1, 1100) i`,
    );
    await all(
      `insert into lancamentos (salon_id, estabelecimento_id, raw_data, synced_at)
       select 'many-' || i, '101', '{"ValorBruto": 100.5}', now() - interval '10 days' from generate_series(1, 1100) i`,
    );
    await all(
      `insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_id, produto_nome,
         quantidade, valor_total, forma_pagamento)
       select 'loja', 'many-' || i, '202', '2025-03-10T12:00:00-03:00', 'many', 'Many', 1, 10,
         case when i <= 5 then 'Descontar do Profissional' end from generate_series(1, 1105) i`,
    );
    await all(
      `insert into pagamentos_erp (erp_id, id_centro_custo, situacao, valor, data_vencimento, descricao, raw_data)
       select case when i = 1 then ${LONG_ID} else 770000 + i end, '7001', 1, 1, '2025-12-10', 'many-' || i, '{}'
       from generate_series(1, 1100) i`,
    );
  });
  afterAll(async () => {
    for (const rows of [
      "transacoes where salon_id",
      "lancamentos where salon_id",
      "vendas_produto where transacao_id",
      "pagamentos_erp where descricao",
    ])
      await all(`delete from ${rows} like 'many-%'`);
  });

  const statusOf = async (page: Page) => {
    await waitForPanel(page);
    return plain((await page.locator(".pager [role=status]").textContent()) ?? "");
  };
  /** The first number of a text. */
  const numberIn = (text: string) => Number(/\d[\d.]*/.exec(text)?.[0].replaceAll(".", ""));

  it("open from a figure, page by page, and lead back (A2)", async () => {
    const { page, complaints } = await openPanel(`?aba=unidades&${MARCH}&unidade=101`);
    const visits = numberIn((await page.getByRole("region", { name: "Atendimentos" }).textContent()) ?? "");
    const pages = Math.ceil(visits / 50);
    expect(visits).toBeGreaterThan(1100);
    await page.getByRole("link", { name: "Ver atendimentos" }).click();
    expect(await statusOf(page)).toBe(`${count(visits)} registros · página 1 de ${pages}`);
    expect(await rowsOf(page, "Atendimentos")).toHaveLength(50);
    await page.getByRole("link", { name: "Próxima ›" }).click();
    expect(await statusOf(page)).toContain("página 2 de");
    expect(await rowsOf(page, "Atendimentos")).toHaveLength(50);
    await navigate(page, `?${MARCH}&unidade=101&lista=atendimentos&pagina=${pages}`);
    expect(await rowsOf(page, "Atendimentos")).toHaveLength(visits - 50 * (pages - 1));
    expect(await page.getByRole("link", { name: "Próxima ›" }).count()).toBe(0);
    await page.goBack();
    expect(await statusOf(page)).toContain("página 2 de");
    await page.goBack();
    expect(await statusOf(page)).toContain("página 1 de");
    await page.getByRole("link", { name: "Voltar" }).click();
    expect(new URL(page.url()).searchParams.get("lista")).toBeNull();
    expect(new URL(page.url()).searchParams.get("unidade")).toBe("101");
    expect(complaints).toEqual([]);
  });

  const alert = (page: Page, title: string) =>
    cardOf(page, "Precisa de atenção").getByRole("link").filter({ hasText: title });
  const row = (page: Page, caption: string, name: string) =>
    page.getByRole("table", { name: caption }).getByRole("row").filter({ hasText: name });

  /** Each figure: its place, what shows it, its link there, how many records it says, and its list. */
  const FIGURES: [
    name: string,
    search: string,
    of: (page: Page) => ReturnType<Page["locator"]>,
    amounts: RegExp,
    title: string,
  ][] = [
    [
      "what is overdue",
      "",
      (page) => alert(page, "Pagamentos vencidos"),
      /([\d.]+) contas/g,
      "Pagamentos vencidos",
    ],
    [
      "what is not sent",
      "?unidade=101",
      (page) => alert(page, "Atendimentos não enviados"),
      /([\d.]+) atendimentos/g,
      "Atendimentos não enviados ao ERP",
    ],
    [
      "a month that is not sent",
      "?aba=financeiro&parte=envio",
      (page) => row(page, "Atendimentos não enviados ao ERP, por mês", "março de 2025"),
      /2025([\d.]+)R/g,
      "Atendimentos não enviados ao ERP",
    ],
    [
      "what a cost centre has overdue",
      "?aba=financeiro&parte=contas&unidade=101",
      (page) => page.getByRole("region", { name: "Vencidos" }),
      /([\d.]+) contas/g,
      "Pagamentos vencidos",
    ],
    [
      "a due day",
      "?aba=financeiro&parte=contas",
      (page) => row(page, "Pagamentos pendentes por vencimento", "10/12/2025"),
      /Vencido([\d.]+)R/g,
      "Pagamentos pendentes",
    ],
    [
      "a product",
      `?aba=mais&parte=produtos&${MARCH}`,
      (page) => row(page, "Produtos", "Many"),
      /[%]([\d.]+?)(5)R/g,
      "Vendas de produtos",
    ],
  ];
  it.each(FIGURES)(
    "hold as many records as the figure says: %s (A2)",
    async (_, search, of, amounts, title) => {
      const { page } = await openPanel(search);
      const place = of(page).first();
      const text = plain((await place.textContent()) ?? "");
      const said = [...text.matchAll(amounts)].flatMap((found) => found.slice(1).map(numberIn));
      const link = place.getByRole("link").first();
      await ((await link.count()) > 0 ? link : place).click();
      await page.getByRole("heading", { name: title, exact: true }).waitFor();
      const shown = numberIn(await statusOf(page));
      expect([text, shown]).toEqual([text, said.reduce((sum, one) => sum + one, 0)]);
      expect(shown).toBeGreaterThanOrEqual(1100);
    },
  );

  it.each([
    ["vendas", "vendas_produto", "valor_total"],
    ["atendimentos", "transacoes", "total"],
  ])("say what all their records add up to: %s (A2)", async (list, table, column) => {
    const { page } = await openPanel(`?lista=${list}&${MARCH}`);
    const [{ sum }] = await all(
      `select coalesce(sum(${column}), 0) as sum from ${table}
       where data_hora between '2025-03-01T00:00:00-03:00' and '2025-03-31T23:59:59.999999-03:00'`,
    );
    expect(Number(sum)).toBeGreaterThan(0);
    await page
      .locator(".records > .more")
      .getByText(money(Number(sum)))
      .waitFor();
  });

  it.each([
    ["Pagamentos vencidos", ".records > .more"],
    ["Atendimentos não enviados", ".records > .more"],
    ["Lançamentos não enviados", "tfoot .main"],
    ["unidades abaixo da meta", ".missed"],
  ])("add up to the amount of the line that leads to them: %s (A2, R7)", async (title, sum) => {
    // So that the line is among the largest.
    await all("update metas set valor = valor * 10");
    onTestFinished(() => all("update metas set valor = valor / 10").then(() => undefined));
    const { page } = await openPanel("?periodo=mes-passado");
    const line = alert(page, title);
    const value = plain((await line.locator(".value").textContent()) ?? "");
    await line.click();
    await page.locator(sum).waitFor();
    await expect.poll(async () => plain((await page.locator(sum).textContent()) ?? "")).toMatch(/R\$/);
    const [amount = ""] = /R\$ [\d.,]+\d/.exec(plain((await page.locator(sum).textContent()) ?? "")) ?? [];
    const reais = Number(amount.replaceAll(/[R$ .]/g, "").replace(",", "."));
    expect([title, roundMoney(reais)]).toEqual([title, value]);
    expect(reais).toBeGreaterThan(0);
  });

  it("show the visits of plain SQL, of an hour and of a day, too (A2, L1)", async () => {
    const { page } = await openPanel("?periodo=mes-passado&unidade=103&lista=atendimentos");
    const { from, to } = rangeOf(askedOf("mes-passado", "103"));
    const rows = await all(
      `select coalesce(nullif(trim(cliente_nome), ''), 'Cliente não informado') as client, data_hora as at,
         total::float as value, coalesce(nullif(trim(forma_pagamento_principal), ''), 'Não informado') as form,
         qtd_servicos as services, sent_to_erp as sent, salon_id as id
       from transacoes where data_hora between $1 and $2 and estabelecimento_id = '103'`,
      [from, to],
    );
    const { nameOf } = await units();
    const at = (instant: Date) =>
      instant.toLocaleString("pt-BR", {
        dateStyle: "short",
        timeStyle: "short",
        timeZone: "America/Sao_Paulo",
      });
    const expected = rows.map(({ client, at: instant, value, form, services, sent, id }) => [
      plain(client),
      at(instant),
      nameOf("103"),
      money(value),
      plain(form),
      services === null ? "—" : count(services),
      sent ? "Enviado" : "Não enviado",
      id,
    ]);
    const shown = await rowsOf(page, "Atendimentos");
    expect(shown.length).toBe(Math.min(rows.length, 50));
    expect(expected).toEqual(expect.arrayContaining(shown));
    const hour = Number(
      rows[0].at.toLocaleString("en-GB", { hour: "2-digit", timeZone: "America/Sao_Paulo" }),
    );
    const day = rows[0].at.toLocaleDateString("en-CA", { timeZone: "America/Sao_Paulo" });
    for (const [more, prefix] of [
      ["", ""],
      [`&hora=${hour}`, ` ${String(hour).padStart(2, "0")}:`],
    ] as const) {
      await navigate(
        page,
        `?periodo=mes-passado&unidade=103&lista=atendimentos&lista-de=${day}&lista-ate=${day}${more}`,
      );
      const own = expected.filter(
        ([, when]) => when?.startsWith(day.split("-").reverse().join("/")) && when.includes(prefix),
      );
      expect((await rowsOf(page, "Atendimentos")).map((row) => row.at(-1)).sort()).toEqual(
        own.map((row) => row.at(-1)).sort(),
      );
    }
  });

  it("keep their day and hour with another unit, and begin at page 1 (A2)", async () => {
    const list = "lista=atendimentos&lista-de=2025-03-10&lista-ate=2025-03-10&hora=12";
    const { page } = await openPanel(`?${MARCH}&${list}&pagina=2`);
    const paramsAfter = async (act: Promise<unknown>) => {
      await act;
      await waitForPanel(page);
      const { searchParams } = new URL(page.url());
      return ["unidade", "lista-de", "lista-ate", "hora", "pagina"].map((name) => searchParams.get(name));
    };
    expect(await paramsAfter(page.getByLabel("Unidade", { exact: true }).selectOption("101"))).toEqual([
      "101",
      "2025-03-10",
      "2025-03-10",
      "12",
      null,
    ]);
    expect(await statusOf(page)).toContain("página 1 de");
    // Another period would show other records.
    expect(await page.getByRole("navigation", { name: "Período" }).count()).toBe(0);
  });

  it("show the payments by due day, and every digit of a long code (A2, L10)", async () => {
    const place = "?aba=financeiro&parte=contas&lista=vencidos&unidade=101";
    const { page } = await openPanel(place);
    const cellsOf = async (at: number) => {
      await navigate(page, `${place}&pagina=${at}`);
      return rowsOf(page, "Pagamentos vencidos");
    };
    const dayIn = (text = "") => /\d{2}\/\d{2}\/\d{4}/.exec(text)?.[0].split("/").reverse().join("-");
    const rows = await all(
      `select erp_id::text as code, data_vencimento::text as due from pagamentos_erp
       where situacao = 1 and id_centro_custo = '7001' and data_vencimento < (now() at time zone 'America/Sao_Paulo')::date
       order by due, id`,
    );
    const at = 1 + Math.floor(rows.findIndex(({ code }) => code === LONG_ID) / 50);
    for (const number of [at, Math.ceil(rows.length / 50)]) {
      const shown = (await cellsOf(number)).map((cells) => [cells.at(-1), dayIn(cells[1])]);
      expect(shown).toEqual(rows.slice(50 * (number - 1), 50 * number).map(({ code, due }) => [code, due]));
    }
  });

  it("are of the payments of the chosen unit, and of none for a unit without a cost centre (A2)", async () => {
    const { page, paths } = await openPanel("?aba=financeiro&unidade=101&lista=vencidos");
    const totalOf = async () => numberIn(await statusOf(page));
    const ofUnit = await totalOf();
    expect(paths.filter((path) => path.startsWith("/v1/pagamentos-erp"))).toEqual([
      expect.stringContaining("id_centro_custo=7001"),
    ]);
    await page.getByLabel("Unidade", { exact: true }).selectOption("");
    await expect.poll(totalOf).toBeGreaterThan(ofUnit);
    const [{ id }] = await all(
      "select salon_id as id from estabelecimentos where erp_centro_custo_id is null and ativo limit 1",
    );
    paths.length = 0;
    await page.getByLabel("Unidade", { exact: true }).selectOption(id);
    await page.getByText("não tem pagamentos próprios.").waitFor();
    expect(paths.filter((path) => path.startsWith("/v1/pagamentos-erp"))).toEqual([]);
  });

  it("are of sales for a store, which shows nothing about visits (R20)", async () => {
    const { page } = await openPanel("?aba=unidades&periodo=mes-passado&unidade=202");
    expect(await page.getByRole("region", { name: "Atendimentos" }).count()).toBe(0);
    expect(await page.getByRole("link", { name: "Ver atendimentos" }).count()).toBe(0);
    await page.getByRole("link", { name: "Ver vendas de produtos" }).click();
    const ranges = { now: rangeOf(askedOf("mes-passado", "202")) };
    const [{ linhas }] = await rowsOfReport("vendas", [], ranges, { medidas: ["linhas"] });
    expect(numberIn(await statusOf(page))).toBe(linhas);
  });
});
