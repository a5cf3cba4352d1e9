// Closed months (F2): what an operator signed, and what changed since.
import { useAnswer } from "./context.ts";
import { isMonthOver, monthOf } from "./pace.ts";
import type { View } from "./view.ts";

export interface Closing {
  mes: string;
  tipo: "fechamento" | "reabertura";
  registrado_em: string;
}
type Figures = { faturamento: number };
type Threefold = { assinado: Figures; atual: Figures; diferenca: Figures };
export interface ClosedMonth {
  mes: string;
  totais: Threefold;
  unidades: ({ estabelecimento_id: string } & Threefold)[];
  alteracoes: {
    lista: "transacoes" | "vendas-produto" | "lancamentos" | "pagamentos-erp";
    desde: string | null;
    gravados: number | null;
    removidos: number | null;
  }[];
}

/** The finished month that a view is of: 2026-10. */
const finishedMonth = (view: View): string | undefined =>
  isMonthOver(view) ? monthOf(view)?.from.slice(0, 7) : undefined;

/** All closings, the newest first. */
export const useClosings = (isAsked = true) =>
  useAnswer<{ data: Closing[] }>(isAsked ? "/v1/fechamentos?per_page=200" : undefined, ["data"]);

/** A closed month beside its present figures. */
export const useClosedMonth = (month: string | undefined) =>
  useAnswer<ClosedMonth>(month && `/v1/fechamentos/${month}`, ["totais", "unidades", "alteracoes"]);

/** The closing of the month that the view is of, and when it was closed; undefined unless it is closed. */
export const useClosing = (view: View): { closedAt: string; body: ClosedMonth } | "loading" | undefined => {
  const month = finishedMonth(view);
  const list = useClosings(month !== undefined);
  const newest = list.body?.data.find(({ mes }) => mes === month);
  const isClosed = newest?.tipo === "fechamento";
  const closed = useClosedMonth(isClosed ? month : undefined);
  const isMissing = (answer: typeof list | typeof closed) => answer.body === undefined && !answer.error;
  if (month && (isMissing(list) || (isClosed && isMissing(closed)))) return "loading";
  return isClosed && closed.body ? { closedAt: newest.registrado_em, body: closed.body } : undefined;
};

const NONE: Threefold = {
  assinado: { faturamento: 0 },
  atual: { faturamento: 0 },
  diferenca: { faturamento: 0 },
};

/** The units of the view whose revenue changed since. */
export const changedUnits = ({ unidades }: ClosedMonth, { unit }: View) =>
  unidades.filter(
    ({ estabelecimento_id: id, diferenca }) => diferenca.faturamento !== 0 && (unit === "" || unit === id),
  );

/** +R$ 1.234,56; 2 unidades mudaram; undefined without a change. @param textOf of an amount */
export const changeText = (
  closed: ClosedMonth,
  view: View,
  textOf: (reais: number) => string,
): string | undefined => {
  const { faturamento } = revenueIn(closed, view).diferenca;
  const changed = changedUnits(closed, view).length;
  if (changed === 0) return undefined;
  return faturamento === 0 ? `${changed} unidades mudaram` : textOf(faturamento);
};

/** The revenue of the view's unit, or of all units. */
export const revenueIn = ({ totais, unidades }: ClosedMonth, { unit }: View): Threefold =>
  unit === "" ? totais : (unidades.find(({ estabelecimento_id: id }) => id === unit) ?? NONE);
