import { askReport } from "./reports.ts";

/** What is read of a row of `/v1/fechamentos`. */
interface Version {
  mes: string;
  tipo: "fechamento" | "reabertura";
}
type Figures = Record<string, number>;
type Compared = { diferenca: Figures };

/** What is read of `/v1/fechamentos/{mes}` (F2). */
interface ClosingAnswer {
  mes: string;
  totais: Record<"assinado" | "atual" | "diferenca", Figures>;
  unidades: Compared[];
  pagamentos: Compared[] | null;
}

/** A closed month whose figures differ from the signed ones. */
export interface ChangedMonth extends Pick<ClosingAnswer, "mes" | "totais"> {
  /** The names of the figures of which any row differs. */
  figures: string[];
}

/** The number of latest closed months to compare. */
const MAX_MONTHS = 12;

/** The latest months whose newest row is a closing. */
const closedMonths = (versions: Version[]): string[] => {
  const newest = new Map(versions.toReversed().map(({ mes, tipo }) => [mes, tipo]));
  const closed = [...newest].flatMap(([mes, tipo]) => (tipo === "fechamento" ? [mes] : []));
  return closed.sort().reverse().slice(0, MAX_MONTHS);
};

const changedMonth = ({ mes, totais, unidades, pagamentos }: ClosingAnswer): ChangedMonth => {
  const differing = [...unidades, ...(pagamentos ?? [])].flatMap(({ diferenca }) =>
    Object.keys(diferenca).filter((name) => diferenca[name] !== 0),
  );
  return { mes, totais, figures: [...new Set(differing)] };
};

/**
 * The closed months that changed since their closing, latest first. One after the other, because each costs a report.
 * @param at epoch ms @param deadline epoch ms, of the present @throws what `askReport` throws
 */
export const readChangedMonths = async (env: Env, at: number, deadline?: number): Promise<ChangedMonth[]> => {
  const ask = async (path: string) =>
    JSON.parse(await askReport(env, at, `/v1/fechamentos${path}`, deadline));
  const { data }: { data: Version[] } = await ask("?per_page=200");
  const months: ChangedMonth[] = [];
  for (const mes of closedMonths(data)) months.push(changedMonth(await ask(`/${mes}`)));
  return months.filter(({ figures }) => figures.length > 0);
};
