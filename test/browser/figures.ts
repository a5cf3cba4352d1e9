import type { Page } from "playwright-core";
import type { Frescor } from "../../src/v1/frescor/schemas.ts";
import type { Painel as Body, Resumo } from "../../src/v1/relatorios/schemas.ts";

// Formats the figures without the code of the panel, so that a shared mistake cannot hide.
const currency = new Intl.NumberFormat("pt-BR", { style: "currency", currency: "BRL" });
const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();
const money = (reais: number) => plain(currency.format(reais));
const signed = (reais: number) =>
  plain(reais.toLocaleString("pt-BR", { style: "currency", currency: "BRL", signDisplay: "exceptZero" }));
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

interface OfUnit {
  estabelecimento_id: string;
  unidade_nome: string | null;
}
interface Visits {
  visitas: number;
  valor_total: number;
  ticket_medio: number | null;
  enviadas: number;
  pendentes: number;
  valor_pendente: number;
}
interface Lines {
  quantidade: number;
  valor_total: number;
  quantidade_profissional: number;
  valor_profissional: number;
}
interface Rows<Row> {
  data: Row[];
}

/** The parts that are general reports have the columns that were asked for. */
export type Painel = Pick<Body, "resumo" | "por_forma_pagamento"> & {
  por_periodo: Rows<Visits & { dia?: string; mes?: string }>;
  por_estabelecimento: Rows<OfUnit & Visits>;
};

/** Lines of products, by unit. */
export type Sales = Record<"salao" | "loja", (OfUnit & Lines)[]>;

/** Everything that the service returns for a view. Each range was asked for by itself, and not compared. */
export interface Answers {
  panel: Painel;
  sales: Sales;
  products: (Lines & { produto_id: string | null; produto_nome: string | null })[];
  /** Undefined if the view is not compared. */
  past: { panel: Painel; sales: Sales } | undefined;
  /** Units with visits, and with sales, when the earlier period began. */
  known: { visits: Set<string>; sales: Set<string> };
  hours: { hora: number; visitas: number; valor_total: number }[];
  fresh: Frescor;
}

const cents = (reais: number) => BigInt(reais.toFixed(2).replace(".", ""));
const sum = (amounts: number[]) => amounts.reduce((total, one) => total + cents(one), 0n);
const reais = (amount: bigint) => Number(amount) / 100;

/** Faturamento and its parts in centavos, of one unit or of all. */
const revenueOf = (visits: number, { salao, loja }: Sales) => {
  const [sold, taken] = [
    sum(salao.map((row) => row.valor_total)),
    sum(salao.map((row) => row.valor_profissional)),
  ];
  const stores = sum(loja.map((row) => row.valor_total));
  return {
    total: cents(visits) - taken + stores,
    parts: [cents(visits) - sold - taken, sold, stores],
    taken: taken + sum(loja.map((row) => row.valor_profissional)),
  };
};

const changeOf = (now: number, past: number | undefined, isFair: boolean) =>
  isFair && past !== undefined && past > 0
    ? percent((now - past) / past, { signDisplay: "exceptZero" })
    : undefined;

/** The units whose data must begin before the earlier period, for Faturamento to have a percentage. */
const startOf = ({ panel, known }: Answers) =>
  panel.resumo.transacoes.total > 0 ? known.visits : known.sales;

/** A card's figure and the line below it, without the change, which the panel shows with an arrow. */
const cardsOf = (answers: Answers) => {
  const { panel, sales, past, known } = answers;
  const [now, old] = [panel.resumo.transacoes, past?.panel.resumo.transacoes];
  const before = (text: string, units = known.visits) =>
    past ? `antes: ${text}${units.size > 0 ? "" : " (incompleto)"}` : "";
  const revenue = (visits: number, of: Sales) => money(reais(revenueOf(visits, of).total));
  return [
    [
      revenue(now.valor_total, sales),
      before(past && old ? revenue(old.valor_total, past.sales) : "", startOf(answers)),
    ],
    [count(now.total), before(old ? count(old.total) : "")],
    [ticketOf(now), before(old ? ticketOf(old) : "")],
    [share(now.enviadas_erp, now.total), before(old ? share(old.enviadas_erp, old.total) : "")],
  ];
};

/** The changes of Faturamento, visits, average and share sent, without those that would mislead. */
const changesOf = (answers: Answers) => {
  const { panel, sales, past, known } = answers;
  if (!past) return [];
  const isFair = known.visits.size > 0;
  const [now, old] = [panel.resumo.transacoes, past.panel.resumo.transacoes];
  const total = (of: Resumo["transacoes"], sold: Sales) => reais(revenueOf(of.valor_total, sold).total);
  const sent = ({ enviadas_erp, total }: Resumo["transacoes"]) => enviadas_erp / total;
  const points = (100 * (sent(now) - sent(old))).toLocaleString("pt-BR", {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  });
  return [
    changeOf(total(now, sales), total(old, past.sales), startOf(answers).size > 0),
    changeOf(now.total, old.total, isFair),
    changeOf(now.valor_total * old.total, old.valor_total * now.total, isFair),
    isFair && now.total > 0 && old.total > 0 ? `${points} p.p.` : undefined,
  ].filter((change) => change !== undefined);
};

const rowsOf = (sales: Sales, id: string): Sales => ({
  salao: sales.salao.filter((row) => row.estabelecimento_id === id),
  loja: sales.loja.filter((row) => row.estabelecimento_id === id),
});

/** The rows of the table by unit, in its order. */
const unitsOf = ({ panel, sales, past, known }: Answers, nameOf: (id: string) => string) => {
  const visitsOf = (of: Painel, id: string) =>
    of.por_estabelecimento.data.find((row) => row.estabelecimento_id === id);
  const idsOf = (of: { panel: Painel; sales: Sales }) =>
    [...of.panel.por_estabelecimento.data, ...of.sales.salao, ...of.sales.loja].map(
      (row) => row.estabelecimento_id,
    );
  const totalOf = (of: { panel: Painel; sales: Sales }, id: string) =>
    revenueOf(visitsOf(of.panel, id)?.valor_total ?? 0, rowsOf(of.sales, id)).total;
  const here = [...new Set(idsOf({ panel, sales }))];
  const gone = [...new Set(past ? idsOf(past) : [])].filter((id) => !here.includes(id));
  const by = (of: { panel: Painel; sales: Sales }) => (a: string, b: string) =>
    Number(totalOf(of, b) - totalOf(of, a)) || a.localeCompare(b);
  return [...here.sort(by({ panel, sales })), ...(past ? gone.sort(by(past)) : [])].map((id) => {
    const visits = visitsOf(panel, id);
    const lines = [...rowsOf(sales, id).salao, ...rowsOf(sales, id).loja];
    const old = past && { panel: past.panel, sales: past.sales };
    const names = [
      visits,
      ...lines,
      old && visitsOf(old.panel, id),
      ...(old ? [...rowsOf(old.sales, id).salao, ...rowsOf(old.sales, id).loja] : []),
    ];
    const now = totalOf({ panel, sales }, id);
    const before = old && idsOf(old).includes(id) ? totalOf(old, id) : undefined;
    const isSalon = visits !== undefined || known.visits.has(id);
    const isFair = (isSalon ? known.visits : known.sales).has(id);
    const growth = changeOf(reais(now), before === undefined ? undefined : reais(before), isFair);
    return [
      plain(
        (names.find((row) => row?.unidade_nome)?.unidade_nome || `Unidade ${id}`) +
          (nameOf(id).endsWith(" (inativa)") ? " (inativa)" : ""),
      ),
      money(reais(now)),
      growth === undefined ? "—" : `${growth} ${signed(reais(now - (before ?? 0n)))}`,
      isSalon ? count(visits?.visitas ?? 0) : "—",
      visits ? money(visits.ticket_medio as number) : "—",
      count(Number(lines.reduce((total, row) => total + row.quantidade, 0).toFixed(6))),
      visits ? share(visits.enviadas, visits.visitas) : "—",
      isSalon ? money(visits?.valor_pendente ?? 0) : "—",
    ];
  });
};

interface Period {
  visits: number;
  value: bigint;
  earlier?: bigint;
  sent?: number;
  pending?: number;
}

/** Hours of one day; days; weeks from Monday, if there are more than 62 days; months beyond two years. */
const periodsOf = ({ panel, past, hours }: Answers, days: number): string[][] => {
  const rows = panel.por_periodo.data;
  const old = past?.panel.por_periodo.data;
  const parts: Period[] = [];
  for (const [index, row] of rows.entries()) {
    const isMonday = new Date(`${row.dia ?? row.mes}T12:00:00Z`).getUTCDay() === 1;
    if (index === 0 || days <= 62 || days > 731 || isMonday)
      parts.push({ visits: 0, value: 0n, sent: 0, pending: 0, ...(old?.[index] && { earlier: 0n }) });
    const last = parts.at(-1) as Required<Period>;
    last.visits += row.visitas;
    last.value += cents(row.valor_total);
    last.sent += row.enviadas;
    last.pending += row.pendentes;
    if (old?.[index]) last.earlier += cents(old[index].valor_total);
  }
  if (days === 1)
    return hours.filter((row) => row.visitas > 0).map((row) => [money(row.valor_total), count(row.visitas)]);
  return parts.map((part) => [
    money(reais(part.value)),
    count(part.visits),
    ...(old ? [part.earlier === undefined ? "—" : money(reais(part.earlier))] : []),
    count(part.sent ?? 0),
    count(part.pending ?? 0),
  ]);
};

/** Every figure of a panel as text, by part of the page. @param nameOf the name of a unit @param days of the period */
export const expected = (answers: Answers, nameOf: (id: string) => string, days: number) => {
  const {
    panel,
    sales,
    products,
    fresh: { data, catalogo },
  } = answers;
  const { parts, taken } = revenueOf(panel.resumo.transacoes.valor_total, sales);
  return {
    cards: cardsOf(answers),
    // A store shows only its own part.
    parts: [
      ...parts.filter((part) => part !== 0n).map((part) => money(reais(part))),
      `Fora do faturamento: produtos retirados por profissionais, ${money(reais(taken))}`,
    ],
    changes: changesOf(answers),
    sent: `${count(panel.resumo.transacoes.enviadas_erp)} ${panel.resumo.transacoes.enviadas_erp === 1 ? "enviado" : "enviados"}, ${count(panel.resumo.transacoes.pendentes_erp)} ${panel.resumo.transacoes.pendentes_erp === 1 ? "pendente" : "pendentes"}`,
    periods: periodsOf(answers, days),
    units: unitsOf(answers, nameOf),
    forms: panel.por_forma_pagamento.data.map((row) => [
      plain(row.forma_pagamento || "Forma não informada"),
      money(row.valor_total),
      count(row.total_transacoes),
      money(row.ticket_medio),
      row.taxa_cobrada_profissional === null
        ? "—"
        : percent(row.taxa_cobrada_profissional, { minimumFractionDigits: 2, maximumFractionDigits: 10 }),
    ]),
    products: products.map((row) => [
      plain(
        row.produto_nome ||
          (row.produto_id ? `Produto sem nome (cód. ${row.produto_id})` : "Produto não identificado"),
      ),
      money(row.valor_total),
      count(row.quantidade),
      count(row.quantidade_profissional),
      money(row.valor_profissional),
    ]),
    jobs: data.map((job) => [job.job_name, at(job.ultimo_sucesso), at(job.ultima_falha)]),
    catalogue: catalogo.map((unit) => [plain(nameOf(unit.estabelecimento_id)), at(unit.synced_at)]),
    lastDay: `Nas últimas 24 horas: ${count(panel.resumo.jobs_ultimas_24h.concluidos)} ${panel.resumo.jobs_ultimas_24h.concluidos === 1 ? "execução concluída" : "execuções concluídas"}, ${count(panel.resumo.jobs_ultimas_24h.falhados)} ${panel.resumo.jobs_ultimas_24h.falhados === 1 ? "execução" : "execuções"} com falha.`,
  };
};

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
    ["value", "visits", "ticket", "sent"].map(async (id) => [
      plain((await read(`#${id} .figure`))[0] ?? ""),
      plain((await read(`#${id} .before > span:last-child`))[0] ?? ""),
    ]),
  );
  const [periods, jobs] = [await rowsOf("periods"), await rowsOf("jobs")];
  const isByHour = periods.some(([name = ""]) => /^\d+h às/.test(name));
  /** Without the links to records. */
  const withoutLinks = (rows: string[][]) => rows.map((row) => row.slice(0, -1));
  return {
    cards,
    parts: [...(await read("#value-parts dd")), ...(await read("#value-parts .more"))]
      .map(plain)
      .filter((part) => part !== "R$ 0,00"),
    changes: (await read("#value .change, #visits .change, #ticket .change, #sent .change")).map((text) =>
      text.replace(/^[▲▼] /, ""),
    ),
    sent: (await read("#sent .figure + .more"))[0] ?? "",
    // The chart also has hours without visits.
    periods: isByHour
      ? periods.filter(([, , visits]) => visits !== "0").map((row) => row.slice(1, 3))
      : withoutLinks(periods).map((row) => row.slice(1)),
    units: withoutLinks(await rowsOf("units")),
    forms: await rowsOf("forms"),
    products: withoutLinks(await rowsOf("products")),
    jobs: jobs.map(([job = "", , success = "", failure = ""]) => [
      /(?:sync|send)-\w+/.exec(job)?.[0] ?? "",
      success.replace(/há .*/, ""),
      failure,
    ]),
    catalogue: await rowsOf("catalogue"),
    lastDay: (await read("#jobs > .more"))[0] ?? "",
  };
};
