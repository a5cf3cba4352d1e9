// @module-tag slow
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import * as clients from "./client-figures.ts";
import * as figures from "./figures.ts";
import { counted, dateOf, delta, sumOf } from "./figures.ts";
import { addOddRows, removeOddRows } from "./odd-rows.ts";
import { goalRows } from "./outlook-figures.ts";
import {
  cardOf,
  count,
  money,
  navigate,
  openPanel,
  percent,
  plain,
  rowsOf,
  shifted,
  tableOf,
  textOf,
  today,
} from "./panel.ts";
import * as tables from "./tab-figures.ts";
import { askedOf, earlierOf, type Ranges, rangeOf } from "./views.ts";
import { addReader, all, type Row } from "./warehouse.ts";

describe.runIf(hasChromium)("the tabs of /painel", () => {
  beforeAll(() => addOddRows());
  afterAll(() => removeOddRows());

  const rangesOf = (unit: string): Ranges => {
    const asked = askedOf("mes-passado", unit);
    return { now: rangeOf(asked), earlier: earlierOf(asked, new Date()) };
  };
  const search = (tab: string, part: string, unit: string) =>
    `?aba=${tab}${part && `&parte=${part}`}&periodo=mes-passado${unit && `&unidade=${unit}`}`;

  /** Each table: its place, its caption, and its rows by plain SQL. */
  const TABLES: [tab: string, part: string, caption: string, rows: (of: Ranges) => Promise<string[][]>][] = [
    ["unidades", "", "Unidades · ", (of) => tables.unidades(of)],
    ["unidades", "", "Lojas", (of) => tables.lojas(of)],
    ["equipe", "", "Profissionais · ", (of) => tables.equipe(of)],
    ["financeiro", "contas", "Pagamentos pendentes por vencimento", (of) => tables.contas(of)],
    ["financeiro", "taxas", "Taxas por forma de pagamento", (of) => tables.taxas(of)],
    ["financeiro", "taxas", "Taxas das vendas das lojas", (of) => tables.taxasDasLojas(of)],
    ["financeiro", "envio", "Atendimentos não enviados ao ERP, por mês", (of) => tables.envio(of)],
    [
      "financeiro",
      "envio",
      "Lançamentos não enviados ao sistema do salão, por unidade",
      (of) => tables.lancamentos(of),
    ],
    ["financeiro", "pessoas", "Lançamentos por pessoa", (of) => tables.pessoas(of)],
    ["mais", "horarios", "Média de atendimentos por dia da semana e hora", (of) => tables.horarios(of)],
    ["mais", "servicos", "Serviços", (of) => tables.servicos(of)],
    ["mais", "produtos", "Produtos", (of) => tables.produtos(of)],
    ["mais", "clientes", "Clientes novos", (of) => clients.clientes(of)],
    ["mais", "sem-centro", "Profissionais sem centro de custo no ERP", (of) => tables.semCentro(of)],
  ];

  it("leave today, which is not over, out of the average of its weekday (A2)", async () => {
    const { paths } = await openPanel("?aba=mais&parte=horarios&periodo=7-dias");
    const asked = paths.filter((path) => path.includes("dia_semana"));
    expect(
      asked.map((path) => new URLSearchParams(path.split("?")[1]).get("data_fim")?.slice(0, 10)),
    ).toEqual([shifted(today, -1)]);
  });

  it.each([
    ["all units", ""],
    ["a salon", "103"],
  ])("show in each table the rows of plain SQL, for %s (R9, R20, R23)", async (_, unit) => {
    const { page, complaints } = await openPanel(search("mais", "", unit));
    for (const [tab, part, caption, expected] of TABLES) {
      if (unit && tab === "unidades") continue;
      await navigate(page, search(tab, part, unit));
      const rows = await expected(rangesOf(unit));
      expect([caption, await rowsOf(page, caption)]).toEqual([caption, rows]);
      // The invented ledger is of few units.
      if (!unit) expect([caption, rows.length]).not.toEqual([caption, 0]);
    }
    expect(
      await cardOf(page, "Unidades sem centro de custo").getByRole("listitem").allTextContents(),
    ).toEqual(await tables.unmappedUnits(rangesOf(unit)));
    expect(complaints).toEqual([]);
  });

  /** The figures above the tables: their titles, values and what is below. */
  const kpisOf = async (page: Page) => {
    const rows = await page
      .locator(".kpi")
      .evaluateAll((all) => all.map((one) => [...one.children].map(({ textContent }) => textContent ?? "")));
    return rows.map((row) => row.map(plain));
  };

  it("show the figures of plain SQL above the tables (R20, R23)", async () => {
    const { page } = await openPanel(search("equipe", "", "103"));
    const ranges = rangesOf("103");
    const rows = await figures.people(ranges);
    const past = rows.map(({ anterior, ...row }) => ({ ...row, ...anterior }));
    const people = (of: Row[]) =>
      of.filter(({ profissional_salon_id: id, servicos }) => id !== null && servicos > 0).length;
    const figure = (title: string, value: number, before: number, format = count) => [
      title,
      format(value),
      delta(value, before, format),
    ];
    expect(await kpisOf(page)).toEqual([
      figure("Produção", sumOf(rows, "valor_total"), sumOf(past, "valor_total"), money),
      figure("Serviços", sumOf(rows, "servicos"), sumOf(past, "servicos")),
      figure("Profissionais", people(rows), people(past)),
    ]);
    await navigate(page, search("financeiro", "contas", "103"));
    const due = async (title: string, from: string, to: string, more: (oldest: string) => string) => {
      const { count: payments, value, oldest } = await figures.due("103", from, to);
      return [
        title,
        money(value),
        payments ? counted(payments, "conta", "contas") + more(oldest ?? "") : "nenhuma conta",
      ];
    };
    expect(await kpisOf(page)).toEqual([
      await due("Vencidos", "1900-01-01", shifted(today, -1), (oldest) => ` · desde ${dateOf(oldest)}`),
      await due("Vencem em 7 dias", today, shifted(today, 6), () => " · contando hoje"),
      await due("Vencem em 30 dias", today, shifted(today, 29), () => " · com as dos 7 dias"),
      ["Sem data", money(7.7), "1 conta"],
    ]);
    await navigate(page, search("mais", "clientes", "103"));
    const { clientes, clientes_novos: news } = await figures.clients(ranges);
    const split = cardOf(page, /^Clientes · /);
    expect((await split.locator(".figure, .legend strong").allTextContents()).map(plain)).toEqual(
      [clientes, clientes - news, news].map(count),
    );
  });

  it.each(["", "periodo=mes-passado"])(
    "show the goal, the pace and what is missing of each unit, as plain SQL, for %j (A2, B1)",
    async (period) => {
      const { page } = await openPanel(`?aba=unidades&${period}`);
      const rows = cardOf(page, "Metas das unidades").locator(".goal-row");
      await rows.first().waitFor();
      const shown = await rows.evaluateAll((all) =>
        all.map((one) =>
          [".name", ".value", ".more", ".share"].flatMap(
            (part) => one.querySelector(part)?.textContent ?? [],
          ),
        ),
      );
      const expected = await goalRows(askedOf(period ? "mes-passado" : "mes"));
      expect(expected.length).toBeGreaterThan(2);
      expect(shown.map((row) => row.map(plain))).toEqual(expected);
      // Each unit's page says the same of its goal, a store's, too.
      for (const [index, unit] of [
        [0, "103"],
        [1, "202"],
      ] as const) {
        await navigate(page, `?aba=unidades&${period}&unidade=${unit}`);
        const [row = []] = await goalRows(askedOf(period ? "mes-passado" : "mes", unit));
        const card = cardOf(page, /^Meta de /);
        const missing = plain((await card.locator(".headline").textContent()) ?? "");
        expect([index, row[2]?.replaceAll(/ (para|da meta) /g, " ")]).toEqual([
          index,
          missing.replace(/(Faltam|Faltaram|Passou)/, "$1 ").replace(/(para a|da) meta de /, " "),
        ]);
      }
    },
  );

  it("say why the revenue of a salon changed, in parts that add up to the cent (R20)", async () => {
    const { page } = await openPanel(search("unidades", "", "103"));
    const cents = (text: string) => Number(text.replaceAll(/[^\d−]/g, "").replace("−", "-"));
    const { anterior: past, ...row } = await figures.revenueOf(rangesOf("103"));
    const byVisits = Math.round((100 * (row.visitas - past.visitas) * past.valor_servicos) / past.visitas);
    const byProducts = Math.round(100 * (row.valor_produtos - past.valor_produtos));
    const change = Math.round(100 * (row.valor_total - past.valor_total));
    const card = cardOf(page, "Por que mudou");
    const shown = (await card.locator(".reasons .value").allTextContents()).map(cents);
    expect(shown).toEqual([byVisits, change - byVisits - byProducts, byProducts, change]);
  });

  it("show the sales of a store, why they changed, its products and its fees by plain SQL (R20, R23)", async () => {
    const { page, complaints } = await openPanel(search("unidades", "", "203"));
    const medidas = ["valor_total", "vendas", "vendas_com_cliente", "taxas"];
    const [total] = await figures.rowsOfReport("vendas", [], rangesOf("203"), { medidas });
    const { anterior: before } = total;
    const perSale = (of: Row) => Math.round((100 * of.valor_total) / of.vendas) / 100;
    expect(await kpisOf(page)).toEqual([
      ["Vendas", count(total.vendas), delta(total.vendas, before.vendas, count)],
      ["Valor por venda", money(perSale(total)), delta(perSale(total), perSale(before), money)],
      [
        "Cliente identificado",
        percent(total.vendas_com_cliente / total.vendas),
        `${count(total.vendas_com_cliente)} de ${count(total.vendas)} vendas`,
      ],
      ["Taxas de cartão", money(total.taxas), `${percent(total.taxas / total.valor_total)} das vendas`],
    ]);
    const reasons = await cardOf(page, "Por que mudou").locator("li .name").allTextContents();
    expect(reasons).toEqual(["Número de vendas", "Valor por venda", "Mudança total"]);
    const products = await figures.rowsOfReport("vendas", ["produto"], rangesOf("203"), {
      ordem: "-valor_total",
    });
    expect((await rowsOf(page, "Produtos mais vendidos")).map((row) => row[1])).toEqual(
      products
        .filter(({ valor_total, quantidade }) => valor_total !== 0 || quantidade !== 0)
        .map(({ valor_total }) => money(valor_total)),
    );
    await page.getByText("Taxas por forma de pagamento").click();
    await tableOf(page, "Taxas das vendas das lojas").waitFor();
    expect(await rowsOf(page, "Taxas das vendas das lojas")).toEqual(
      await tables.taxasDasLojas(rangesOf("203")),
    );
    expect(complaints).toEqual([]);
  });

  it("compare two units side by side, a store without visits (R20, R23)", async () => {
    const { page } = await openPanel(`${search("unidades", "comparar", "")}&a=101&b=202`);
    const { nameOf } = await figures.units();
    const rows = await figures.revenueBy(["unidade"], rangesOf(""));
    const pair = ["101", "202"].map((unit) => rows.find(({ estabelecimento_id: id }) => id === unit));
    const measures = [
      ["Faturamento", "valor_total", money],
      ["Serviços", "valor_servicos", money],
      ["Produtos", "valor_produtos", money],
      ["Atendimentos", "visitas", count],
      ["Ticket médio", "ticket_medio", money],
    ] as const;
    const cell = (row: Row, key: string, format: typeof money) => {
      const [value, past] = [row[key], row.anterior[key]];
      return (value === null ? "—" : format(value)) + (past === null ? "" : delta(value, past, format));
    };
    expect(await rowsOf(page, `${nameOf("101")} e ${nameOf("202")}`)).toEqual(
      measures.map(([title, key, format]) => [title, ...pair.map((row) => cell(row, key, format))]),
    );
    await page.getByLabel("Segunda unidade").selectOption("101");
    await page.waitForURL(/a=202&b=101/);
  });

  it("print the whole of Início, units, team and fees in one report (A2)", async () => {
    const { page } = await openPanel(search("mais", "pdf", ""));
    const of = rangesOf("");
    const named = (rows: string[][]) => rows.map(([name, value]) => [name, value]);
    expect(named(await rowsOf(page, "Faturamento por unidade"))).toEqual(named(await tables.unidades(of)));
    expect((await rowsOf(page, "Produção por profissional")).map((row) => row[2])).toEqual(
      expect.arrayContaining((await tables.equipe(of)).map((row) => row[1])),
    );
    const fees = (await rowsOf(page, "Taxas por forma de pagamento")).map(
      ([name, value]) => `${name} ${value}`,
    );
    const { rows } = await figures.fees({ now: of.now });
    expect(fees.sort()).toEqual(
      rows.map(({ forma_pagamento: form, taxas }) => `${form ?? "Não informada"} ${money(taxas)}`).sort(),
    );
  });

  it("keep the order of a table by the name of its column, and the roles of its parts (A2)", async () => {
    const compared = search("equipe", "", "");
    const { page } = await openPanel(compared);
    await navigate(page, `${compared}&comparar=nada`);
    await page.getByRole("button", { name: "Serviços" }).click();
    await navigate(page, compared);
    const sortedBy = await page.locator("th[aria-sort]").allTextContents();
    expect(sortedBy).toEqual(["Serviços ↓"]);
    const services = (await rowsOf(page, "Profissionais")).map((row) => Number(row[6]?.replaceAll(".", "")));
    expect(services.length).toBeGreaterThan(1);
    expect(services).toEqual(services.toSorted((a, b) => b - a));
    // On a phone the style makes them blocks, which have no roles of their own.
    const roles = "table.data:not([role]), .data :is(thead, tbody, tfoot, tr, th, td):not([role])";
    expect([await page.locator(".data tr").count(), await page.locator(roles).count()]).toEqual([
      services.length + 2,
      0,
    ]);
  });

  const UNKNOWN = "Profissional não identificado";

  it.each([
    ["people", "equipe", "Profissionais"],
    ["units", "unidades", "Unidades"],
  ])("rank %s by the change in reais, who had less than R$ 300 before last (A2)", async (_, tab, caption) => {
    const { page } = await openPanel(search(tab, "", ""));
    const header = page.locator("th", { hasText: /^Variação/ });
    expect((await header.allTextContents()).map(plain)).toEqual(["Variação (%)", "Variação (R$)"]);
    expect(await page.getByRole("button", { name: "Variação (%)" }).count()).toBe(0);
    const reais = (text = "") => Number(text.replaceAll(/[^\d−]/g, "").replace("−", "-"));
    for (const sign of [-1, 1]) {
      await page.getByRole("button", { name: "Variação (R$)" }).click();
      const cells = await rowsOf(page, caption);
      const names = cells.map(([name]) => name);
      const rows = cells.map((row) => [reais(row[3]), reais(row[4])] as const);
      const known = rows.filter(
        ([, before], index) => before >= 300_00 && !names[index]?.startsWith(UNKNOWN),
      );
      expect([known.length > 2, known.length < rows.length]).toEqual([true, true]);
      expect(rows.slice(0, known.length)).toEqual(known.toSorted(([a], [b]) => sign * (a - b)));
    }
  });

  it("show no growing cost as good (A2)", async () => {
    const { page } = await openPanel();
    for (const [part, caption] of [
      ["pessoas", "Lançamentos por pessoa"],
      ["taxas", "Taxas por forma de pagamento"],
    ] as const) {
      await navigate(page, search("financeiro", part, ""));
      const changes = async (kind: string) =>
        tableOf(page, caption).locator(`.delta.${kind} .change`).allTextContents();
      const [good, bad] = [await changes("good"), await changes("bad")];
      expect([
        part,
        good.filter((text) => !text.includes("↓")),
        bad.filter((text) => !text.includes("↑")),
      ]).toEqual([part, [], []]);
      expect([part, good.length + bad.length > 0]).toEqual([part, true]);
    }
  });

  it("show no zero for the clients of a store, and the fees of its sales (A2)", async () => {
    const { page } = await openPanel(search("mais", "clientes", "201"));
    const clients = cardOf(page, /^Clientes · /);
    expect(await clients.locator(".figure").count()).toBe(0);
    expect(plain((await clients.textContent()) ?? "")).toContain(
      "Nenhum atendimento com cliente neste período.",
    );
    await navigate(page, "?unidade=201&periodo=mes-passado");
    expect(await page.locator(".kpi").count()).toBe(0);
    await navigate(page, search("financeiro", "taxas", "201"));
    expect(await rowsOf(page, "Taxas das vendas das lojas")).toEqual(
      await tables.taxasDasLojas(rangesOf("201")),
    );
  });

  it("count clients until the data, and not until its last load, and say so in the header (R23, R24)", async () => {
    const user = await addReader({ personalData: false });
    const lastDay = shifted(`${today.slice(0, 8)}01`, -1);
    const { page } = await openPanel("?aba=mais&parte=clientes&periodo=mes-passado", {
      user,
      prepare: async (each) => {
        await each.route("**/v1/frescor", async (route) => {
          const response = await route.fetch();
          const body = { ...(await response.json()), dados_ate: `${lastDay}T12:04:00-03:00` };
          await route.fulfill({ response, json: body });
        });
      },
    });
    await page.getByText("Clientes são contados em meses encerrados.").waitFor();
    expect(await textOf(page, ".age")).toBe(`Dados de ${dateOf(lastDay)} às 12:04`);
  });

  it("show no comparison before the data reaches the period (R23)", async () => {
    const { page } = await openPanel("", {
      prepare: async (each) => {
        await each.route("**/v1/relatorios/**", async (route) => {
          const response = await route.fetch();
          const body = await response.text();
          const empty = body.replaceAll(/("anterior":\{"inicio":("[^"]*"),"fim":)"[^"]*"/g, "$1$2");
          await route.fulfill({ response, body: empty });
        });
      },
    });
    const places = [
      ...["", "aba=unidades", "aba=unidades&parte=comparar", "aba=unidades&unidade=101", "aba=equipe"],
      ...["aba=financeiro&parte=taxas", "aba=financeiro&parte=pessoas"],
      ...["aba=mais&parte=servicos", "aba=mais&parte=produtos", "aba=mais&parte=pdf"],
    ];
    for (const place of places) {
      for (const period of ["periodo=mes-passado", "periodo=7-dias"]) {
        await navigate(page, `?${period}&${place}`);
        const cards = await page.locator("main section, main header").allTextContents();
        const compared = /antes|Variação|vs\.|Comparado|em relação|caiu|subiu/i;
        // What waits for long is "de antes".
        const texts = cards.map((text) => plain(text).replaceAll("de antes", ""));
        expect([place, texts.filter((text) => compared.test(text))]).toEqual([place, []]);
        expect(await page.locator(".delta").count()).toBe(0);
      }
    }
    await navigate(page, "?periodo=hoje");
    expect(await textOf(page, "select.compare option:checked")).toBe(
      "sem comparação: ainda não há dados deste período",
    );
  });

  it("show each job with its last success and failure (A2)", async () => {
    const { page } = await openPanel(search("mais", "rotinas", ""));
    const jobs = await all(
      `select max(created_at) filter (where status = 'completed') as success,
         max(created_at) filter (where status = 'failed') as failure
       from jobs_log group by job_name
       order by array_position(array['sync-transacoes', 'send-receber', 'send-pagar'], job_name)`,
    );
    const at = (instant: Date | null) =>
      instant?.toLocaleString("pt-BR", {
        dateStyle: "short",
        timeStyle: "short",
        timeZone: "America/Sao_Paulo",
      }) ?? "nenhuma";
    const shown = await rowsOf(page, "Rotinas que atualizam os dados");
    expect(shown.map(([, , success = "", failure]) => [success.replace(/ há .*/, ""), failure])).toEqual(
      jobs.map(({ success, failure }) => [at(success), at(failure)]),
    );
    expect((await rowsOf(page, "Catálogo de produtos por unidade")).length).toBeGreaterThan(3);
  });

  it("count clients for a reader without personal data in months that are over, and for others over any days (R20, R22, R24)", async () => {
    const { clientes } = await figures.clients(rangesOf(""));
    const limited = await addReader({ personalData: false });
    for (const [user, isCounted] of [
      [undefined, true],
      [limited, false],
    ] as const) {
      const { page, paths } = await openPanel(search("mais", "clientes", ""), user && { user });
      const figure = cardOf(page, /^Clientes · /).locator(".figure");
      expect((await figure.allTextContents()).map(plain)).toEqual([count(clientes)]);
      paths.length = 0;
      await navigate(page, `?aba=mais&parte=clientes&de=${shifted(today, -400)}&ate=${today}`);
      expect(await figure.count()).toBe(isCounted ? 1 : 0);
      expect(paths.some((path) => path.includes("clientes_novos"))).toBe(isCounted);
    }
  });
});
