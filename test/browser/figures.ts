import type { Page } from "playwright-core";
import type { Frescor } from "../../src/v1/frescor/schemas.ts";
import type { Painel, Resumo } from "../../src/v1/relatorios/schemas.ts";

// Formats the figures without the code of the panel, so that a shared mistake cannot hide.
const currency = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();
const money = (reais: number) => plain(currency.format(reais));
const count = (value: number) => value.toLocaleString("pt-BR", { maximumFractionDigits: 20 });
const percent = (fraction: number, options: Intl.NumberFormatOptions = {}) =>
  fraction.toLocaleString("pt-BR", {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    ...options,
  });
const share = (part: number, whole: number) => (whole ? percent(part / whole) : "—");
const at = (instant: string | null) =>
  instant
    ? new Date(instant).toLocaleString("pt-BR", {
        dateStyle: "short",
        timeStyle: "short",
        timeZone: "America/Sao_Paulo",
      })
    : "nenhuma";

const ticketOf = ({ total, valor_total }: Resumo["transacoes"]) => {
  if (total === 0) return "—";
  const cents = BigInt(valor_total.toFixed(2).replace(".", ""));
  const rounded = (2n * cents + BigInt(total)) / (2n * BigInt(total));
  return money(Number(rounded) / 100);
};

/** A card's figures, without the change, which the panel shows with an arrow. */
const cardsOf = (now: Resumo["transacoes"], past: Resumo["transacoes"]) => [
  [count(now.total), `${count(past.total)} no período anterior`],
  [money(now.valor_total), `${money(past.valor_total)} no período anterior`],
  [ticketOf(now), `${ticketOf(past)} no período anterior`],
  [share(now.enviadas_erp, now.total), `${share(past.enviadas_erp, past.total)} no período anterior`],
];

const changeOf = (now: number, past: number) =>
  past > 0 ? [percent((now - past) / past, { signDisplay: "exceptZero" })] : [];

/** Every figure of a panel as text, by part of the page. @param nameOf the name of a unit */
export const expected = (
  panel: Painel,
  past: Resumo["transacoes"],
  { data, catalogo }: Frescor,
  nameOf: (id: string) => string,
) => ({
  cards: cardsOf(panel.resumo.transacoes, past),
  changes: changeOf(panel.resumo.transacoes.total, past.total),
  sent: `${count(panel.resumo.transacoes.enviadas_erp)} ${panel.resumo.transacoes.enviadas_erp === 1 ? "enviado" : "enviados"}, ${count(panel.resumo.transacoes.pendentes_erp)} ${panel.resumo.transacoes.pendentes_erp === 1 ? "pendente" : "pendentes"}`,
  periods: panel.por_periodo.data.map((row) => [
    count(row.total_transacoes),
    money(row.valor_total),
    count(row.enviadas_erp),
    count(row.pendentes_erp),
  ]),
  units: panel.por_estabelecimento.data.map((row) => [
    plain(row.nome || `Unidade ${row.estabelecimento_id}`),
    count(row.total_transacoes),
    money(row.valor_total),
    money(row.ticket_medio),
    share(row.enviadas_erp, row.total_transacoes),
    money(row.valor_pendente),
  ]),
  forms: panel.por_forma_pagamento.data.map((row) => [
    plain(row.forma_pagamento || "Forma não informada"),
    count(row.total_transacoes),
    money(row.valor_total),
    money(row.ticket_medio),
    row.taxa_cobrada_profissional === null
      ? "—"
      : percent(row.taxa_cobrada_profissional, { minimumFractionDigits: 2, maximumFractionDigits: 10 }),
  ]),
  professionals: panel.por_profissional.data.map((row) => [
    plain(
      (row.profissional ||
        (row.profissional_salon_id === null
          ? "Profissional não identificado"
          : `Profissional não cadastrado (cód. ${row.profissional_salon_id})`)) +
        nameOf(row.estabelecimento_id),
    ),
    count(row.total_transacoes),
    money(row.valor_total),
  ]),
  products: panel.vendas_por_produto.data.map((row) => [
    plain(
      row.produto_nome ||
        (row.produto_id ? `Produto sem nome (cód. ${row.produto_id})` : "Produto não identificado"),
    ),
    count(row.quantidade),
    money(row.valor_total),
    count(row.quantidade_profissional),
    money(row.valor_profissional),
  ]),
  jobs: data.map((job) => [job.job_name, at(job.ultimo_sucesso), at(job.ultima_falha)]),
  catalogue: catalogo.map((unit) => [plain(nameOf(unit.estabelecimento_id)), at(unit.synced_at)]),
  lastDay: `Nas últimas 24 horas: ${count(panel.resumo.jobs_ultimas_24h.concluidos)} ${panel.resumo.jobs_ultimas_24h.concluidos === 1 ? "execução concluída" : "execuções concluídas"}, ${count(panel.resumo.jobs_ultimas_24h.falhados)} ${panel.resumo.jobs_ultimas_24h.falhados === 1 ? "execução" : "execuções"} com falha.`,
});

/** Every figure that the page shows, in the form of `expected`. */
export const shown = async (page: Page): Promise<ReturnType<typeof expected>> => {
  const read = (selector: string): Promise<string[]> =>
    page.locator(selector).evaluateAll((all) => all.map((one) => one.textContent ?? ""));
  const rowsOf = async (id: string): Promise<string[][]> => {
    const rows = await page
      .locator(`#${id} tbody tr`)
      .evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent ?? "")));
    return rows.map((row) => row.map(plain));
  };
  const cards = await Promise.all(
    ["visits", "value", "ticket", "sent"].map(async (id) => [
      plain((await read(`#${id} .figure`))[0] ?? ""),
      plain((await read(`#${id} .before`))[0] ?? "").replace(/^.* · /, ""),
    ]),
  );
  const [periods, jobs] = [await rowsOf("periods"), await rowsOf("jobs")];
  return {
    cards,
    changes: (await read("#visits .change")).map((text) => text.replace(/^[▲▼] /, "")),
    sent: (await read("#sent .figure + .more"))[0] ?? "",
    periods: periods.map((row) => row.slice(1)),
    units: await rowsOf("units"),
    forms: await rowsOf("forms"),
    professionals: await rowsOf("professionals"),
    products: await rowsOf("products"),
    jobs: jobs.map(([job = "", , success = "", failure = ""]) => [
      /(?:sync|send)-\w+/.exec(job)?.[0] ?? "",
      success.replace(/há .*/, ""),
      failure,
    ]),
    catalogue: await rowsOf("catalogue"),
    lastDay: (await read("#jobs > .more"))[0] ?? "",
  };
};
