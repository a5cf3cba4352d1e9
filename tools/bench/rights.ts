import type pg from "pg";
import { type Rights, UNRESTRICTED } from "../../src/core/rights.ts";
import { connected } from "../warehouse/databases.ts";
import { CLOSED_UNITS } from "../warehouse/invented/closed-units.ts";
import { atMost, type Figure, inTurn, median, plain, spread } from "./figures.ts";
import { QUESTIONS, type Question } from "./questions.ts";
import { answer, type Run, timed } from "./timed.ts";

const ROUNDS = 40;

/** A unit that is asked for costs the same, whether by a parameter or by the rights of the reader. */
const ONE_UNIT_BAR = 1.1;
const SEVERAL_UNITS_BAR = 2;
const SIZES_BAR = 3;

const UNIT = "103";
const limitedTo = (...units: string[]): Rights => ({ ...UNRESTRICTED, units });
const READERS: Record<string, [rights: Rights, unit?: string]> = {
  all: [UNRESTRICTED],
  parameter: [UNRESTRICTED, UNIT],
  one: [limitedTo(UNIT)],
  three: [limitedTo("101", UNIT, "201")],
  closed: [limitedTo(...CLOSED_UNITS)],
};

/** The statements of a question by reader. @throws if one returns no row: its plan would prove nothing */
const runsOf = async (on: pg.Client, { name, hasUnit, statementsOn }: Question) => {
  const runs: Record<string, Run[]> = {};
  for (const [reader, [rights, unit]] of Object.entries(READERS)) {
    if (unit !== undefined && !hasUnit) continue;
    runs[reader] = (await statementsOn(on, rights, unit)).map((statement) => ({ on, statement }));
    for (const run of runs[reader])
      if ((await answer(run)).rows.length !== 1) throw new Error(`${name} of ${reader} returned no row`);
  }
  return runs;
};

type Times = Record<string, number[]>;

/** The figure of the size with the higher ratio. @param sizes the times at each size */
const higher = (measure: string, bar: number, sizes: Times[], us: string, them: string): Figure => {
  const ratioIn = (times: Times) => median(times[us] ?? []) / median(times[them] ?? []);
  const detail = sizes.map((times) => `${spread(times[us] ?? [])} / ${spread(times[them] ?? [])}`);
  return atMost(measure, Math.max(...sizes.map(ratioIn)), bar, detail.join("; "));
};

const flatness = (measure: string, small: Times, large: Times): Figure => {
  const limited = ["one", "three", "closed"].map(
    (reader) => [large[reader] ?? [], small[reader] ?? []] as const,
  );
  const ratios = limited.map(([large, small]) => median(large) / median(small));
  const detail = limited.map(([large, small]) => `${spread(large)} / ${spread(small)}`);
  return atMost(measure, Math.max(...ratios), SIZES_BAR, detail.join("; "));
};

const textOf = (runs: Run[] | undefined) => JSON.stringify(runs?.map(({ statement }) => statement));

/** Times a question of each reader at both sizes, in turn. */
const measureQuestion = async (question: Question, small: pg.Client, large: pg.Client) => {
  const { name, hasUnit } = question;
  const runs = [await runsOf(small, question), await runsOf(large, question)];
  const isOneUnitSame = runs.every(({ one, parameter }) => textOf(one) === textOf(parameter));
  const measures = runs.flatMap((bySize, size) =>
    Object.entries(bySize)
      .filter(([reader]) => reader !== "parameter" || !isOneUnitSame)
      .map(
        ([reader, runs]) =>
          [`${reader} ${size}`, (round: number) => timed(runs[round % runs.length] as Run)] as const,
      ),
  );
  const taken = await inTurn(ROUNDS, Object.fromEntries(measures));
  const [ofSmall, ofLarge] = [0, 1].map((size) =>
    Object.fromEntries(Object.keys(READERS).map((reader) => [reader, taken[`${reader} ${size}`] ?? []])),
  ) as [Times, Times];
  const sizes = [ofSmall, ofLarge];
  const figures = [
    higher(`${name}: three units / all`, SEVERAL_UNITS_BAR, sizes, "three", "all"),
    higher(`${name}: two closed units / all`, SEVERAL_UNITS_BAR, sizes, "closed", "all"),
    flatness(`${name}: large / small, of one, three and two closed units`, ofSmall, ofLarge),
  ];
  const [them, bar] = hasUnit ? ["parameter", ONE_UNIT_BAR] : ["all", SEVERAL_UNITS_BAR];
  if (!isOneUnitSame)
    figures.unshift(
      higher(`${name}: one unit / ${hasUnit ? "`estabelecimento_id`" : "all"}`, bar, sizes, "one", them),
    );
  return { figures, isOneUnitSame };
};

/**
 * Compares readers who are limited to units with readers of every unit, on the smallest and the largest warehouse. A
 * figure of both sizes is the higher one.
 * @param sizes connection strings by number of visits, ascending
 */
export const measureRights = async (
  sizes: [visits: number, url: string][],
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const [smallest, largest] = [sizes[0], sizes.at(-1)];
  if (smallest === undefined || largest === undefined) throw new Error("no sizes");
  return connected(largest[1], (large) =>
    connected(smallest[1], async (small) => {
      for (const db of [large, small]) await db.query("set timezone = 'UTC'; set jit = off");
      const figures: Figure[] = [];
      let same = 0;
      for (const question of QUESTIONS) {
        progress(`Rights: ${question.name}`);
        const measured = await measureQuestion(question, small, large);
        figures.push(...measured.figures);
        same += Number(measured.isOneUnitSame);
      }
      const withUnit = QUESTIONS.filter(({ hasUnit }) => hasUnit).length;
      return [
        plain("one unit: the same statement as with `estabelecimento_id`", `${same} of ${withUnit}`),
        ...figures,
      ];
    }),
  );
};
