import { get, read } from "./api.ts";

export type Query = Record<string, string>;
export type Row = Record<string, unknown>;

/** The body of a general report (R22). */
export interface GeneralAnswer {
  data: Row[];
  linhas: number;
  totais: Row;
  anterior?: { inicio: string; fim: string };
}

export const reportPath = (source: string, query: Query = {}) =>
  `/v1/relatorios/${source}?${new URLSearchParams(query)}`;

export const readReport = (source: string, query?: Query) => read<GeneralAnswer>(reportPath(source, query));

/** Reads the message of a 400. @throws for another status */
export const messageOf = async (source: string, query: Query): Promise<string> => {
  const response = await get(reportPath(source, query));
  const text = await response.text();
  if (response.status !== 400)
    throw new Error(`${reportPath(source, query)}: ${response.status} ${text.slice(0, 200)}`);
  return JSON.parse(text).message;
};
