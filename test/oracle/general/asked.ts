import type { Rights } from "../../../src/core/rights.ts";
import type { Instant } from "../instants.ts";
import type { GeneralQuestion } from "./general-question.ts";
import type { PlainSource } from "./plain-source.ts";

export interface Range {
  from?: Instant | undefined;
  to?: Instant | undefined;
}

export interface Asked {
  source: PlainSource;
  question: GeneralQuestion;
  rights: Rights;
  range: Range;
  /** The range to compare with. */
  earlier?: Range | undefined;
  /** Whether everything that matched is one row. */
  isTotal?: boolean;
}

export type Row = Record<string, unknown>;
