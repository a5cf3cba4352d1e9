// Where there is nothing to compare, no part of the panel shows a comparison.
import type { EarlierRange } from "./reports.ts";

/** Whether the data has not reached the period (R23). */
export const isNothing = ({ inicio, fim }: EarlierRange): boolean => fim === inicio;

interface Compared {
  data: object[];
  totais: object;
  anterior: EarlierRange;
}

const isCompared = (part: unknown): part is Compared =>
  (part as Partial<Compared> | null)?.anterior?.inicio !== undefined;

const withoutEarlier = ({ anterior, ...measures }: { anterior?: unknown }) => measures;

const comparable = (part: unknown): unknown =>
  isCompared(part) && isNothing(part.anterior)
    ? { ...part, data: part.data.map(withoutEarlier), totais: withoutEarlier(part.totais) }
    : part;

/** An answer, or its parts, without earlier measures that are of nothing: the service sends zeros. */
export const withoutNothing = (body: unknown): unknown =>
  comparable(Object.fromEntries(Object.entries(body ?? {}).map(([name, part]) => [name, comparable(part)])));
