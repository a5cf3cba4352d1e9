// @module-tag slow
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasChromium } from "../support/node/installed.ts";
import { clockOf, type Read, readWorkbook } from "../support/workbook.ts";
import { base, expireOnce, openPage } from "./browser.ts";
import { downloaded, fileButton } from "./downloads.ts";
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
import { addPeople, removePeople } from "./people-rows.ts";

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
  ["aba=financeiro&parte=pessoas", "Lançamentos por pessoa", `lancamentos-por-pessoa-${FROM}-${TO}`],
  ["aba=mais&parte=horarios", "Atendimentos por dia da semana", `horarios-${FROM}-${TO}`],
  ["aba=mais&parte=servicos", "Serviços", `servicos-${FROM}-${TO}`],
  ["aba=mais&parte=produtos", "Produtos", `produtos-${FROM}-${TO}`],
  ["aba=mais&parte=clientes", "Clientes novos", `clientes-novos-${FROM}-${TO}`],
  ["aba=mais&parte=assiduos", "Assíduos sem voltar há 60 dias", `assiduos-que-sumiram-${today}`],
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

/** Whether the screen shows what a cell of a file holds. */
const isShown = (screen: string, cell: Read) => {
  if (cell === null) return screen === "—" || screen === "";
  const { value, format } = cell;
  if (typeof value === "string") return screen.includes(plain(value));
  if (format?.startsWith("dd/mm"))
    return screen.includes(clockOf(cell).slice(0, 10).split("-").reverse().join("/"));
  // A table leaves some zeros blank. A change has an arrow in place of its sign.
  if (value === 0 && screen === "") return true;
  if (format !== undefined) {
    const change = `${value < 0 ? "−" : "+"}${money(Math.abs(value))}`;
    return screen.includes(money(value)) || screen.includes(change);
  }
  const share = percent(Math.abs(value) / 100);
  return [count(value), share, share.replace("%", "")].some((shown) => screen.includes(shown));
};

describe.runIf(hasChromium)("the files of /painel", () => {
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

  it("hold each table with its titles, in the order of the screen, and its total (A2)", async () => {
    await addPeople();
    onTestFinished(async () => void (await removePeople()));
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
      expect([caption, found.name]).toEqual([caption, `${file}.xlsx`]);
      const [columns = [], ...cells] = found.rows;
      const names = columns.map((cell) => cell?.value);
      const at = titles.map((title) => names.indexOf(title));
      expect([caption, at.includes(-1), titles]).toEqual([caption, false, titles]);
      const shown = [...rows, ...totals];
      expect([caption, cells.length]).toEqual([caption, shown.length]);
      const wrong = shown.flatMap((row, line) =>
        row.flatMap((screen, index) => {
          const cell = cells[line]?.[at[index] ?? -1] ?? null;
          return isShown(screen, cell) ? [] : [[titles[index], screen, cell]];
        }),
      );
      expect([caption, wrong]).toEqual([caption, []]);
      if (totals.length > 0) expect([caption, cells.at(-1)?.[0]?.value]).toEqual([caption, "Total"]);
    }
    expect(complaints).toEqual([]);
  });

  it("are named after their list (A2)", async () => {
    const { page } = await openPanel("?lista=vencidos");
    const names = async (search: string, caption: string) => {
      await navigate(page, search);
      return (await downloaded(page, caption)).name;
    };
    const march = "de=2025-03-01&ate=2025-03-31";
    expect(await names("?aba=financeiro&parte=contas&lista=vencidos", "Pagamentos vencidos")).toBe(
      `pagamentos-vencidos-ate-${new Date(Date.parse(today) - 86_400_000).toISOString().slice(0, 10)}.xlsx`,
    );
    expect(await names(`?${march}&lista=vendas`, "Vendas de produtos")).toBe(
      "vendas-2025-03-01-2025-03-31.xlsx",
    );
    expect(await names("?lista=todos-pendentes", "Atendimentos não enviados")).toBe(
      `atendimentos-nao-enviados-${today}.xlsx`,
    );
  });

  it("can be shared where the browser shares files, and are what is saved (A2)", async () => {
    const place = "?aba=equipe&periodo=mes-passado";
    const desk = await openPanel(place);
    expect(await fileButton(desk.page, "Profissionais", "Compartilhar arquivo").count()).toBe(0);
    const { page } = await openPanel(place, {
      ...PHONE,
      prepare: async (page) => {
        await page.addInitScript(`
          navigator.canShare = ({ files }) => files?.every(({ name }) => name.endsWith(".xlsx")) ?? false;
          navigator.share = async ({ files: [file] }) => {
            globalThis.shared = { name: file.name, bytes: [...new Uint8Array(await file.arrayBuffer())] };
          };`);
      },
    });
    await fileButton(page, "Profissionais", "Compartilhar arquivo").tap();
    const shared = () => page.evaluate<{ name: string; bytes: number[] } | null>("globalThis.shared ?? null");
    await expect.poll(shared).not.toBe(null);
    const { name = "", bytes = [] } = (await shared()) ?? {};
    expect({ name, rows: readWorkbook(Uint8Array.from(bytes)) }).toEqual(
      await downloaded(page, "Profissionais"),
    );
  });

  it.each([
    [429, "Limite de consultas atingido."],
    [503, "Serviço indisponível no momento."],
  ])("say why one could not be made, and when to try again: %i (A2)", async (status, reason) => {
    const { page } = await openPanel("?periodo=mes-passado&lista=atendimentos");
    await page.route(/tudo=true/, refuse(status, 90));
    await fileButton(page, "Atendimentos").click();
    const said = new RegExp(`^Nenhum arquivo foi salvo\\. ${reason} Tente novamente às \\d\\d:\\d\\d\\.$`);
    await page.getByText(said).waitFor();
    expect(await fileButton(page, "Atendimentos").isEnabled()).toBe(true);
  });

  it("renew an expired token, and load the code of workbooks with the first file only (A2, A3)", async () => {
    const { page, complaints } = await openPanel("?periodo=mes-passado&lista=atendimentos");
    const scripts: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/workbook-")) scripts.push(request.url());
    });
    await page.getByText(/registros/).waitFor();
    expect(scripts).toEqual([]);
    await expireOnce(page, "**/v1/transacoes?**tudo=true**");
    await downloaded(page, "Atendimentos");
    await downloaded(page, "Atendimentos");
    expect(scripts).toEqual([expect.stringContaining(`${base}/assets/workbook-`)]);
    expect(complaints).toEqual([]);
  });

  it("are not needed to share a view: its address is copied (A2)", async () => {
    const { page } = await openPanel("?periodo=7-dias&unidade=101", {
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await page.getByRole("button", { name: /^Menu de/ }).click();
    await page.getByRole("button", { name: "Compartilhar esta tela" }).click();
    await page.locator("#notice.good").filter({ hasText: "Link copiado." }).waitFor();
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
