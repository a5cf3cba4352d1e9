// Why the revenue of a unit changed: the change in centavos, split into three parts that add up to it.
import { average, centavos, counted, money, number } from "../../format.ts";
import type { Revenue } from "../../reports.ts";

export interface Reason {
  name: string;
  /** What it was, and what it is. */
  detail: string;
  /** What happened, within a sentence. */
  cause: string;
  reais: number;
}

const servicesOf = ({ valor_total, valor_produtos }: Revenue) =>
  centavos(valor_total) - centavos(valor_produtos);

const perVisit = (revenue: Revenue) =>
  revenue.visitas === 0 ? undefined : Math.round(servicesOf(revenue) / revenue.visitas);

const reais = (cents: number | undefined) => (cents === undefined ? "—" : money(cents / 100));
const side = (difference: number) => (difference < 0 ? "a menos" : "a mais");

/** Visits, services per visit and products. None without earlier visits and an earlier revenue. */
export const reasonsOf = (now: Revenue, before: Revenue | undefined): Reason[] => {
  if (before === undefined || before.visitas === 0 || before.valor_total <= 0) return [];
  const visits = now.visitas - before.visitas;
  const byVisits = Math.round((visits * servicesOf(before)) / before.visitas);
  const byValue = servicesOf(now) - servicesOf(before) - byVisits;
  const byProducts = centavos(now.valor_produtos) - centavos(before.valor_produtos);
  const [value, oldValue] = [perVisit(now), perVisit(before)];
  return [
    {
      name: "Atendimentos",
      detail: `${counted(now.visitas, "atendimento", "atendimentos")}, antes ${number(before.visitas)}`,
      cause: `${counted(Math.abs(visits), "atendimento", "atendimentos")} ${side(visits)}`,
      reais: byVisits / 100,
    },
    {
      name: "Valor por atendimento",
      detail: `${reais(value)} em serviços, antes ${reais(oldValue)}`,
      cause: `${reais(Math.abs((value ?? 0) - (oldValue ?? 0)))} ${side(byValue)} em serviços por atendimento`,
      reais: byValue / 100,
    },
    {
      name: "Produtos",
      detail: `${money(now.valor_produtos)}, antes ${money(before.valor_produtos)}`,
      cause: `${reais(Math.abs(byProducts))} ${side(byProducts)} em produtos`,
      reais: byProducts / 100,
    },
  ];
};

/** What a store sold. */
export interface Sold {
  valor_total: number;
  /** The number of sales. */
  vendas: number;
}

/** The average sale; null without sales. */
export const perSale = ({ valor_total, vendas }: Sold): number | null => average(valor_total, vendas) ?? null;

/** Sales and their average value: a store has neither visits nor services. None without earlier sales. */
export const salesReasons = (now: Sold, before: Sold | undefined): Reason[] => {
  if (before === undefined || before.vendas === 0 || before.valor_total <= 0) return [];
  const sales = now.vendas - before.vendas;
  const bySales = Math.round((sales * centavos(before.valor_total)) / before.vendas);
  const byValue = centavos(now.valor_total) - centavos(before.valor_total) - bySales;
  const [value, oldValue] = [perSale(now) ?? 0, perSale(before) ?? 0];
  return [
    {
      name: "Número de vendas",
      detail: `${counted(now.vendas, "venda", "vendas")}, antes ${number(before.vendas)}`,
      cause: `${counted(Math.abs(sales), "venda", "vendas")} ${side(sales)}`,
      reais: bySales / 100,
    },
    {
      name: "Valor por venda",
      detail: `${money(value)}, antes ${money(oldValue)}`,
      cause: `${money(Math.abs((centavos(value) - centavos(oldValue)) / 100))} ${side(byValue)} por venda`,
      reais: byValue / 100,
    },
  ];
};

/** The part that moved the revenue most, in the direction in which it changed. */
export const mainReason = (reasons: readonly Reason[], difference: number): Reason | undefined =>
  reasons
    .filter((reason) => reason.reais * difference > 0)
    .toSorted((a, b) => Math.abs(b.reais) - Math.abs(a.reais))[0];
