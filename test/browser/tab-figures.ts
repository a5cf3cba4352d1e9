// The tables of the tabs by plain SQL, as the texts of their cells. The views are compared.
import { expectedReport } from "../oracle/answers.ts";
import {
  changeCells,
  counted,
  dateOf,
  fees,
  instantsOf,
  namedUnits,
  ofUnit,
  people,
  personName,
  revenueBy,
  rowsOfReport,
  share,
  sumOf,
  units,
} from "./figures.ts";
import { count, money, plain, shifted, today } from "./panel.ts";
import { daysBetween, type Range, type Ranges } from "./views.ts";
import { all, db, type Row } from "./warehouse.ts";

type Table = string[][];

const changes = (row: Row, key = "valor_total") => changeCells(row[key], row.anterior[key]);

/** Of last month, which has goals. */
export const unidades = async (ranges: Ranges): Promise<Table> => {
  const { nameOf } = await units();
  const goals = await all(
    "select estabelecimento_id as key, valor::float as goal from metas where mes = $1 and valor > 0",
    [ranges.now.from.slice(0, 10)],
  );
  return (await revenueBy(["unidade"], ranges)).map((row) => {
    const { estabelecimento_id: id, anterior, ticket_medio: ticket } = row;
    const isStore = row.visitas + row.valor_servicos + anterior.visitas + anterior.valor_servicos === 0;
    const ofSalon = (text: string) => (isStore ? "" : text);
    return [
      nameOf(id),
      money(row.valor_total),
      ...changes(row),
      share(row.valor_total, goals.find(({ key }) => key === id)?.goal ?? 0),
      ofSalon(money(row.valor_servicos)),
      money(row.valor_produtos),
      ofSalon(count(row.visitas)),
      ofSalon(ticket === null ? "—" : money(ticket)),
    ];
  });
};

/** The stores: their sales, the value of a sale and of all. */
export const lojas = async ({ now }: Ranges): Promise<Table> => {
  const { nameOf } = await units();
  const asked = { medidas: ["vendas", "valor_total"], ordem: "-valor_total", filters: { origem: "loja" } };
  const rows = await rowsOfReport("vendas", ["unidade"], { now }, asked);
  return rows.map((row) => [
    nameOf(row.estabelecimento_id),
    counted(row.vendas, "venda", "vendas") +
      (row.vendas ? ` · ${money(Math.round((100 * row.valor_total) / row.vendas) / 100)} cada` : ""),
    money(row.valor_total),
  ]);
};

export const equipe = async (ranges: Ranges): Promise<Table> => {
  const { nameOf } = await units();
  const rows = await people(ranges);
  const working = rows.filter(({ servicos }) => servicos > 0);
  const isKnown = ({ profissional_salon_id: id }: Row) => id !== null;
  const ordered = [
    ...working.filter(isKnown),
    ...working.filter((row) => !isKnown(row)),
    ...rows.filter(({ servicos }) => servicos === 0),
  ];
  return ordered.map((row) => [
    row.name +
      [
        ...(ranges.now.unit ? [] : [namedUnits(row.units.map(nameOf))]),
        ...(row.servicos ? [] : ["sem serviços neste período"]),
      ].join(" · "),
    money(row.valor_total),
    ...changes(row),
    row.visitas ? money(Math.round((100 * row.valor_total) / row.visitas) / 100) : "—",
    count(row.servicos),
    row.cortesias ? count(row.cortesias) : "",
    share(row.valor_total, sumOf(rows, "valor_total")),
  ]);
};

export const taxas = async (ranges: Ranges): Promise<Table> => {
  const { rows } = await fees(ranges);
  return rows
    .filter(({ visitas, anterior }) => visitas > 0 || anterior.taxas > 0)
    .map((row) => [
      plain(row.forma_pagamento ?? "") || "Não informada",
      money(row.taxas),
      ...changes(row, "taxas"),
      share(row.taxas, row.valor_total),
      money(row.valor_total),
      count(row.visitas),
    ]);
};

/** Of the stores, in this order of their fees. */
export const taxasDasLojas = async ({ now }: Ranges): Promise<Table> => {
  const medidas = ["valor_total", "taxas"];
  const asked = { medidas, ordem: "-taxas", filters: { origem: "loja" } };
  const rows = await rowsOfReport("vendas", ["forma_pagamento"], { now }, asked);
  return rows
    .filter(({ valor_total, taxas }) => valor_total !== 0 || taxas !== 0)
    .map((row) => [
      plain(row.forma_pagamento ?? "") || "Não informada",
      money(row.taxas),
      share(row.taxas, row.valor_total),
      money(row.valor_total),
    ]);
};

/** What is not sent, by month, the newest first. */
export const envio = async ({ now }: Ranges): Promise<Table> => {
  const asked = { medidas: ["pendentes", "valor_pendente"], isOfAllTime: true };
  const rows = await rowsOfReport("visitas", ["mes"], { now }, asked);
  return rows
    .filter(({ pendentes }) => pendentes > 0)
    .toReversed()
    .map(({ mes, pendentes, valor_pendente }) => [
      new Date(`${mes.slice(0, 8)}15`).toLocaleDateString("pt-BR", { month: "long", year: "numeric" }),
      count(pendentes),
      money(valor_pendente),
    ]);
};

/** Ledger entries that are not sent, by unit. */
export const lancamentos = async ({ now }: Ranges): Promise<Table> => {
  const { nameOf } = await units();
  const rows = await rowsOfReport(
    "lancamentos",
    ["unidade"],
    { now },
    {
      medidas: ["lancamentos", "valor_total"],
      ordem: "-valor_total",
      filters: { sent_to_salon: "false" },
      isOfAllTime: true,
    },
  );
  return rows.map((row) => [nameOf(row.estabelecimento_id), count(row.lancamentos), money(row.valor_total)]);
};

/** Pending payments by day from a year ago to 29 days ahead, and what is due before, after or never. */
export const contas = async ({ now }: Ranges): Promise<Table> => {
  const [first, last] = [shifted(today, -365), shifted(today, 29)];
  const rows = await all(
    `select case when data_vencimento < $1 then 'Antes de' when data_vencimento > $2 then 'Depois de'
         else coalesce(data_vencimento::text, 'Sem data de vencimento') end as due,
       count(*)::int as payments, coalesce(sum(valor), 0)::float as value
     from pagamentos_erp
     where situacao = 1 and ($3 = '' or id_centro_custo =
       (select erp_centro_custo_id::text from estabelecimentos where salon_id = $3))
     group by 1 order by min(data_vencimento) nulls last`,
    [first, last, now.unit],
  );
  const nameOf = (due: string) => {
    if (due === "Antes de") return `${due} ${dateOf(first)}`;
    if (due === "Depois de") return `${due} ${dateOf(last)}`;
    if (due.startsWith("Sem")) return due;
    const weekday = new Date(due).toLocaleDateString("pt-BR", { weekday: "short", timeZone: "UTC" });
    return `${weekday}, ${dateOf(due)}`;
  };
  const statusOf = (due: string) => {
    if (due.startsWith("Sem")) return "Sem data";
    return due === "Antes de" || (due < today && due !== "Depois de") ? "Vencido" : "A vencer";
  };
  return rows.map(({ due, payments, value }) => [nameOf(due), statusOf(due), count(payments), money(value)]);
};

type Left = { faturamento: number; despesas: number | null; resultado: number | null };

/** Revenue, bills, what is left and the margin, as cells. */
const leftCells = ({ faturamento, despesas, resultado }: Left): string[] => [
  faturamento === 0 ? "—" : money(faturamento),
  despesas === null ? "—" : money(despesas),
  resultado === null ? "—" : money(resultado),
  resultado === null ? "—" : share(resultado, faturamento),
];

/** What is left by unit: the highest margin first, then stores by revenue, and the bills of no unit last. */
export const resultado = async ({ now }: Ranges): Promise<Table> => {
  const { nameOf } = await units();
  const known = await rowsOfReport("resultado", ["unidade"], { now });
  const rows = known.filter(({ faturamento, despesas }) => faturamento !== 0 || (despesas ?? 0) !== 0);
  const margin = (row: Row) => row.margem ?? Number.NEGATIVE_INFINITY;
  const [ofUnits, others] = [true, false].map((isUnit) =>
    rows.filter(({ estabelecimento_id: id }) => (id !== null) === isUnit),
  ) as [Row[], Row[]];
  const ordered = ofUnits.sort((a, b) =>
    margin(a) === margin(b) ? b.faturamento - a.faturamento : margin(b) - margin(a),
  );
  return [...ordered, ...others].map((row) => [
    row.estabelecimento_id === null ? "Escritório e sem unidade" : nameOf(row.estabelecimento_id),
    ...leftCells(row),
  ]);
};

/** The same by month, the newest first. */
export const resultadoPorMes = async (now: Range): Promise<Table> => {
  const rows = await rowsOfReport("resultado", ["mes"], { now });
  const nameOf = (mes: string) =>
    new Date(`${mes.slice(0, 8)}15`).toLocaleDateString("pt-BR", {
      month: "long",
      ...(mes.slice(0, 4) !== today.slice(0, 4) && { year: "numeric" }),
    });
  return rows.toReversed().map((row) => [nameOf(row.mes), ...leftCells(row)]);
};

export const pessoas = async (ranges: Ranges): Promise<Table> => {
  const rows = await rowsOfReport("lancamentos", ["pessoa"], ranges, { ordem: "-valor_total" });
  return rows.map((row) => [
    plain(row.pessoa ?? "") || "Pessoa não informada",
    money(row.valor_total),
    ...changes(row),
    count(row.lancamentos),
    count(row.pendentes),
    money(row.valor_pendente),
  ]);
};

/** The cells that the tables of services and products share. */
const valued = (row: Row, rows: Row[]) => [
  money(row.valor_total),
  ...changes(row),
  share(row.valor_total, sumOf(rows, "valor_total")),
];

export const servicos = async (ranges: Ranges): Promise<Table> => {
  const rows = await rowsOfReport("servicos", ["servico"], ranges, { ordem: "-valor_total" });
  return rows.map((row) => [
    plain(row.servico ?? "") || "Serviço sem nome",
    ...valued(row, rows),
    count(row.servicos),
    count(row.cortesias),
  ]);
};

export const produtos = async (ranges: Ranges): Promise<Table> => {
  const rows = await rowsOfReport("vendas", ["produto"], ranges, { ordem: "-valor_total" });
  const { nameOf } = await units();
  const sold = await rowsOfReport(
    "vendas",
    ["produto", "unidade"],
    { now: ranges.now },
    { ordem: "-valor_total" },
  );
  const bestOf = (row: Row) => {
    const isSame = (one: Row) => one.produto_id === row.produto_id && one.produto_nome === row.produto_nome;
    const best = sold.find((one) => isSame(one) && one.valor_total > 0);
    return best && !ranges.now.unit ? `mais em ${nameOf(best.estabelecimento_id)}` : "";
  };
  return rows.map((row) => [
    (plain(row.produto_nome ?? "") ||
      (row.produto_id ? `Produto sem nome (cód. ${row.produto_id})` : "Produto não identificado")) +
      bestOf(row),
    ...valued(row, rows),
    count(row.quantidade),
    row.quantidade_profissional ? count(row.quantidade_profissional) : "",
    row.valor_profissional ? money(row.valor_profissional) : "",
  ]);
};

/** The average of each weekday, and of each of its hours. */
export const horarios = async ({ now }: Ranges): Promise<Table> => {
  const rows = await rowsOfReport("visitas", ["dia_semana", "hora"], { now }, { medidas: ["visitas"] });
  const [from, to] = [now.from.slice(0, 10), now.to.slice(0, 10)];
  const dates = Array.from({ length: daysBetween(from, to) }, (_, index) => {
    return new Date(shifted(from, index)).getUTCDay() || 7;
  });
  const average = (day: number, hour?: number) => {
    const own = rows.filter((row) => row.dia_semana === day && (hour === undefined || row.hora === hour));
    const visits = own.reduce((total, { visitas }) => total + visitas, 0);
    return count(Math.round((10 * visits) / dates.filter((each) => each === day).length) / 10);
  };
  const week = [1, 2, 3, 4, 5, 6, 7];
  const hours = rows.filter(({ dia_semana }) => dia_semana === 1).map(({ hora }) => hora as number);
  return [
    ["dia", ...week.map((day) => average(day))],
    ...hours.map((hour) => [`${hour}h`, ...week.map((day) => average(day, hour))]),
  ];
};

const unmapped = ({ now }: Ranges): Promise<Row> =>
  expectedReport(db, "nao-mapeados", { filters: ofUnit(now), ...instantsOf(now), perPage: 0 });

export const semCentro = async (ranges: Ranges): Promise<Table> => {
  const { nameOf } = await units();
  const { profissionais } = await unmapped(ranges);
  return profissionais.map((row: Row) => [
    personName(row),
    money(row.valor_total),
    nameOf(row.estabelecimento_id),
    count(row.total_transacoes),
  ]);
};

export const unmappedUnits = async (ranges: Ranges): Promise<string[]> => {
  const { estabelecimentos } = await unmapped(ranges);
  return estabelecimentos
    .filter(({ salon_id }: Row) => ["", salon_id].includes(ranges.now.unit))
    .map(({ nome }: Row) => plain(nome));
};
