import type { z } from "@hono/zod-openapi";
import {
  type Comparison,
  type ComparisonRule,
  earlierRange,
  FIRST_YEAR,
  formatRange,
  type InstantRange,
  isServed,
  LAST_YEAR,
  minuteWithin,
  Period,
} from "../../core/periods.ts";
import { metadataOf } from "../../core/schema-metadata.ts";

export interface RangeParameters {
  data_inicio?: string | undefined;
  data_fim?: string | undefined;
  periodo?: Period | undefined;
  comparar?: Comparison | undefined;
}

const RANGE_NAMES = ["data_inicio", "data_fim", "periodo", "comparar"] as const;

/** The parameters that were sent. An invalid value is undefined. */
export const validRangeValues = (q: object): RangeParameters => {
  const sent = Object.entries(q).filter(([name]) => (RANGE_NAMES as readonly string[]).includes(name));
  const isValid = (value: unknown) => typeof value === "string" || value instanceof Period;
  return Object.fromEntries(sent.map(([name, value]) => [name, isValid(value) ? value : undefined]));
};

/** Where a running range is cut to be compared: at the data instant, now, or its end, which may lie ahead (R23). */
export type Cut = "data-instant" | "now" | "end";

/** @param shape the query parameters of a route @param query their values */
export const cutOf = ({ periodo }: z.core.$ZodShape, query: { data?: unknown }): Cut => {
  const { mayLieAhead = false } = metadataOf(periodo);
  if (typeof mayLieAhead === "boolean") return mayLieAhead ? "end" : "data-instant";
  // The data instant is that of visits. Another job writes rows with a choice of dates.
  return query.data === mayLieAhead.data ? "end" : "now";
};

const ENDS = ["data_inicio", "data_fim"] as const;

/** The range whose ends are known without the clock. Any other range can be compared. */
const fixedRange = ({ data_inicio, data_fim, periodo }: RangeParameters): InstantRange | undefined => {
  if (periodo !== undefined) return periodo.fixedRange;
  return data_inicio === undefined || data_fim === undefined ? undefined : { data_inicio, data_fim };
};

/** What is wrong with the range to compare with; undefined if it is valid or not known. */
const earlierError = (q: RangeParameters): string | undefined => {
  const range = fixedRange(q);
  if (q.comparar === undefined || range === undefined || range.data_inicio > range.data_fim) return undefined;
  const earlier = earlierRange(q.comparar, range);
  if (earlier.data_inicio > earlier.data_fim) return "a range that ends before it starts";
  return isServed(earlier) ? undefined : `a range outside the years ${FIRST_YEAR} to ${LAST_YEAR}`;
};

/** The combinations of parameters that are errors. They get the `validRangeValues`. */
export const RANGE_RULES: {
  name: keyof RangeParameters;
  isBroken: (q: RangeParameters) => boolean;
  message: (q: RangeParameters) => string;
}[] = [
  {
    name: "data_inicio",
    isBroken: ({ data_inicio, data_fim }) =>
      data_inicio !== undefined && data_fim !== undefined && data_inicio > data_fim,
    message: () => "must not be later than `data_fim`",
  },
  {
    name: "periodo",
    isBroken: (q) => "periodo" in q && ENDS.some((name) => name in q),
    message: (q) => {
      const ends = ENDS.filter((name) => name in q).map((name) => `\`${name}\``);
      return `must not be given together with ${ends.join(" and ")}. Omit \`periodo\` or ${ends.join(" and ")}`;
    },
  },
  {
    name: "comparar",
    isBroken: (q) => "comparar" in q && !("periodo" in q) && ENDS.some((name) => !(name in q)),
    message: (q) => {
      const missing = ENDS.filter((name) => !(name in q)).map((name) => `\`${name}\``);
      return `must not be given without ${missing.join(" and ")}. Send both ends of the range, or \`periodo\``;
    },
  },
  {
    name: "comparar",
    isBroken: (q) => earlierError(q) !== undefined,
    message: (q) => `must not give ${earlierError(q)}. Send another range, or omit \`comparar\``,
  },
];

/** The earlier range of the whole period, without the cuts at today and at the data instant (R7). */
const earlierInFull = (
  { periodo, comparar }: RangeParameters,
  range: InstantRange,
  now: number,
): InstantRange | undefined => {
  if (comparar === undefined) return undefined;
  // `anterior` shifts by the days of the range: those of the whole period would shift its start, too.
  const whole = comparar === "anterior" ? undefined : periodo?.resolve(now, { mayLieAhead: true });
  return earlierRange(comparar, whole ?? range);
};

/**
 * Replaces `periodo` by the ends of its range, and says what to compare with (I7, R10).
 * @param parameters valid by `RANGE_RULES` @param now epoch milliseconds
 */
export const resolveRanges = (parameters: RangeParameters, now: number, cut: Cut) => {
  const { periodo, comparar, data_inicio, data_fim, ...others } = parameters;
  // Undefined unless both of its ends are known.
  const range = periodo?.resolve(now, { mayLieAhead: cut === "end" }) ?? fixedRange(parameters);
  const instant = cut === "now" && range ? minuteWithin(range, now) : undefined;
  const minute = instant === undefined ? undefined : { instant };
  const earlier: ComparisonRule | undefined = comparar &&
    range && { comparison: comparar, cutAt: cut === "data-instant" ? cut : minute }; // mistake: compares-too-far
  return {
    query: { ...others, ...(range ?? { data_inicio, data_fim }) },
    earlier,
    earlierInFull: range && earlierInFull(parameters, range, now),
    /** The range of `periodo`, as clients write it. */
    applied: periodo && range && formatRange(range),
  };
};
