// @module-tag slow
import { readFileSync } from "node:fs";
import type { Download, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { base, openPage } from "./browser.ts";
import {
  count,
  DAYS,
  money,
  navigate,
  openPanel,
  PHONE,
  percent,
  plain,
  refuse,
  signIn,
  today,
  waitForPanel,
} from "./panel.ts";
import { db } from "./warehouse.ts";

const [FROM = "", TO = ""] = DAYS["mes-passado"] ?? [];

/** Each table: its place, its caption, and the name of its file without days. */
const TABLES: [place: string, caption: string, file: string][] = [
  ["aba=unidades", "Unidades · ", `unidades-${FROM}-${TO}`],
  ["aba=equipe", "Profissionais · ", `equipe-${FROM}-${TO}`],
  [
    "aba=financeiro&parte=contas",
    "Pagamentos pendentes por vencimento",
    `pagamentos-por-vencimento-${today}`,
  ],
  ["aba=financeiro&parte=taxas", "Taxas por forma de pagamento", `taxas-${FROM}-${TO}`],
  ["aba=financeiro&parte=envio", "Atendimentos não enviados ao ERP, por mês", `nao-enviados-ao-erp-${today}`],
  ["aba=financeiro&parte=comissoes", "Lançamentos por pessoa", `comissoes-${FROM}-${TO}`],
  ["aba=mais&parte=horarios", "Atendimentos por dia da semana", `horarios-${FROM}-${TO}`],
  ["aba=mais&parte=servicos", "Serviços", `servicos-${FROM}-${TO}`],
  ["aba=mais&parte=produtos", "Produtos", `produtos-${FROM}-${TO}`],
  ["aba=mais&parte=clientes", "Clientes sem voltar há 60 dias", `clientes-sem-voltar-60-dias-${today}`],
  [
    "aba=mais&parte=sem-centro",
    "Profissionais sem centro de custo no ERP",
    `sem-centro-de-custo-${FROM}-${TO}`,
  ],
  ["aba=mais&parte=rotinas", "Rotinas que atualizam os dados", "rotinas"],
  ["aba=mais&parte=rotinas", "Catálogo de produtos por unidade", "catalogo-de-produtos"],
  ["aba=mais&parte=pdf", "Faturamento por unidade", `unidades-${FROM}-${TO}`],
  ["aba=mais&parte=pdf", "Produção por profissional", `equipe-${FROM}-${TO}`],
];

/** The cells of a file for Excel. */
const cellsOf = (text: string) => {
  expect(text).toMatch(/^\uFEFF[^\uFEFF]*\r\n$/);
  return text
    .slice(1, -2)
    .split("\r\n")
    .map((row) =>
      row
        .split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/)
        .map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)),
    );
};
const fileOf = async (download: Download) => ({
  name: download.suggestedFilename(),
  rows: cellsOf(readFileSync(await download.path(), "utf8")),
});

/** Whether the screen shows what a cell of a file holds. */
const isShown = (screen: string, cell: string) => {
  const text = /^="(.*)"$/s.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;
  if (text === "") return screen === "—" || screen === "";
  if (!/^-?\d+(,\d+)?$/.test(text))
    return screen.includes(plain(text.replace(/(\d{4}) \d\d:\d\d:\d\d$/, "$1")));
  const value = Number(text.replace(",", "."));
  const share = percent(Math.abs(value) / 100);
  // A table leaves some zeros blank. A change has an arrow in place of its sign.
  if (value === 0 && screen === "") return true;
  const sign = value < 0 ? "−" : "+";
  const change = `${sign}${money(Math.abs(value))}`;
  return [money(value), change, count(value), share, share.replace("%", "")].some((shown) =>
    screen.includes(shown),
  );
};

describe.runIf(hasChromium)("the files of /painel", () => {
  const named = (page: Page, caption: string, verb = "Baixar") =>
    page.getByRole("button", { name: new RegExp(`^${verb}: ${caption}`) });
  const downloaded = async (page: Page, caption: string) => {
    const arriving = page.waitForEvent("download");
    await named(page, caption).click();
    return fileOf(await arriving);
  };
  /** The titles, the rows and the total of a table, as the page shows them. */
  const tableIn = async (page: Page, caption: string) => {
    const table = page.getByRole("table", { name: new RegExp(`^${caption}`) });
    const read = (part: string) =>
      table
        .locator(`${part} tr`)
        .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
    const [[titles = []], rows, totals] = [await read("thead"), await read("tbody"), await read("tfoot")];
    const texts = (cells: string[]) => cells.map(plain);
    return {
      titles: texts(titles).map((title) => title.replace(/ [↓↑]$/, "")),
      rows: rows.map(texts),
      totals: totals.map(texts),
    };
  };

  it("hold each table with its titles, in the order of the screen, and its total (X1)", async () => {
    const { page, complaints } = await openPanel();
    for (const [place, caption, file] of TABLES) {
      await navigate(page, `?${place}&periodo=mes-passado`);
      // Sorted by the last number, which no table is at first.
      const head = page
        .getByRole("table", { name: new RegExp(`^${caption}`) })
        .locator("thead th.number button")
        .last();
      if ((await head.count()) > 0) await head.click();
      const { titles, rows, totals } = await tableIn(page, caption);
      const found = await downloaded(page, caption);
      expect([caption, found.name]).toEqual([caption, `${file}.csv`]);
      const [columns = [], ...cells] = found.rows;
      const at = titles.map((title) => columns.indexOf(title));
      expect([caption, at.includes(-1), titles]).toEqual([caption, false, titles]);
      const shown = [...rows, ...totals];
      expect([caption, cells.length]).toEqual([caption, shown.length]);
      const wrong = shown.flatMap((row, line) =>
        row.flatMap((screen, index) => {
          const cell = cells[line]?.[at[index] ?? -1] ?? "";
          return isShown(screen, cell) ? [] : [[titles[index], screen, cell]];
        }),
      );
      expect([caption, wrong]).toEqual([caption, []]);
      if (totals.length > 0) expect([caption, cells.at(-1)?.[0]]).toEqual([caption, "Total"]);
    }
    expect(complaints).toEqual([]);
  });

  it("hold all records of a list with their total, and say if they are cut (X1)", async () => {
    const { page } = await openPanel(`?de=2020-01-01&ate=${today}&lista=atendimentos`);
    const { rows } = await downloaded(page, "Atendimentos");
    const [sums] = (
      await db.query(
        "select count(*)::int as visits, sum(total)::text as value from transacoes where data_hora >= '2020-01-01T00:00:00-03:00'",
      )
    ).rows;
    const [titles = [], ...records] = rows;
    // More than one page of 200 records.
    expect(sums.visits).toBeGreaterThan(200);
    expect(records).toHaveLength(sums.visits + 1);
    expect(records.at(-1)?.[0]).toBe("Total");
    expect(Number(records.at(-1)?.[titles.indexOf("Valor")]?.replace(",", "."))).toBe(Number(sums.value));
    await page.route(/per_page=200/, async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { pagination: { total_pages: number } };
      body.pagination.total_pages = 21;
      await route.fulfill({ response, json: body });
    });
    // Not in memory, so that its answer has a body.
    await navigate(page, `?de=2021-01-01&ate=${today}&lista=atendimentos`);
    const cut = await downloaded(page, "Atendimentos");
    expect(cut.rows.map((row) => row[0])).not.toContain("Total");
    await page.getByText("O arquivo tem os primeiros 4.000 registros. Escolha um período menor.").waitFor();
  });

  it("are named after their list (X1)", async () => {
    const { page } = await openPanel("?lista=vencidos");
    const names = async (search: string, caption: string) => {
      await navigate(page, search);
      return (await downloaded(page, caption)).name;
    };
    const march = "de=2025-03-01&ate=2025-03-31";
    expect(await names("?aba=financeiro&parte=contas&lista=vencidos", "Pagamentos vencidos")).toBe(
      `pagamentos-vencidos-ate-${new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)}.csv`,
    );
    expect(await names(`?${march}&lista=vendas`, "Vendas de produtos")).toBe(
      "vendas-2025-03-01-2025-03-31.csv",
    );
    expect(await names("?lista=todos-pendentes", "Atendimentos não enviados")).toBe(
      `atendimentos-nao-enviados-${today}.csv`,
    );
  });

  it("can be shared where the browser shares files, and are what is saved (X1)", async () => {
    const place = "?aba=equipe&periodo=mes-passado";
    const desk = await openPanel(place);
    expect(await named(desk.page, "Profissionais", "Compartilhar arquivo").count()).toBe(0);
    const { page } = await openPanel(place, {
      ...PHONE,
      prepare: async (page) => {
        await page.addInitScript(`
          navigator.canShare = ({ files }) => files?.every(({ type }) => type === "text/csv") ?? false;
          navigator.share = async ({ files: [file] }) => {
            globalThis.shared = { name: file.name, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(await file.arrayBuffer()) };
          };`);
      },
    });
    await named(page, "Profissionais", "Compartilhar arquivo").tap();
    const shared = () => page.evaluate<{ name: string; text: string } | null>("globalThis.shared ?? null");
    await expect.poll(shared).not.toBe(null);
    const { name = "", text = "" } = (await shared()) ?? {};
    expect({ name, rows: cellsOf(text) }).toEqual(await downloaded(page, "Profissionais"));
  });

  it("say when one could not be made (X1)", async () => {
    const { page } = await openPanel("?periodo=mes-passado&lista=atendimentos");
    await page.route(/per_page=200/, refuse(503, 90));
    await named(page, "Atendimentos").click();
    await page.getByText(/^Não foi possível criar o arquivo\. Tente novamente às \d\d:\d\d\.$/).waitFor();
    expect(await named(page, "Atendimentos").isEnabled()).toBe(true);
  });

  it("are not needed to share a view: its address is copied (A2)", async () => {
    const { page } = await openPanel("?periodo=7-dias&unidade=101", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: /^Menu de/ }).click();
    await page.getByRole("button", { name: "Compartilhar esta tela" }).click();
    await page.getByText("Link copiado.").waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(page.url());
  });

  it("start the installed app signed in, on the unit that was chosen last (A12)", async () => {
    const { page } = await openPage("/painel");
    await page.check("#keep");
    await signIn(page);
    await waitForPanel(page);
    await page.getByLabel("Unidade", { exact: true }).selectOption("103");
    await page.waitForURL("**/painel?unidade=103");
    await page.goto(`${base}/painel?inicio=app`);
    await page.waitForURL("**/painel?unidade=103");
    await waitForPanel(page);
    expect(await page.getByLabel("Unidade", { exact: true }).inputValue()).toBe("103");
  });
});
