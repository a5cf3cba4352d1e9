import type pg from "pg";
import type { Figure } from "./figures.ts";
import { measureGeneral } from "./general.ts";
import { measurePanel } from "./panel.ts";
import { ROUTES } from "./routes.ts";
import { asApi, compare, statementOf } from "./timed.ts";

/** Shows the Postgres time of every data route, of the panel and of the reports, without the network. */

/** The most that a route may take longer in the largest warehouse than in the smallest. */
const SIZES_BAR = 3;

const compareSizes = async (large: pg.Client, small: pg.Client, sizes: string): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const [name, ask] of Object.entries(ROUTES)) {
    const statement = await statementOf(ask);
    const [us, them] = [
      { on: large, statement },
      { on: small, statement },
    ];
    figures.push(await compare(`${name}, ${sizes} visits`, SIZES_BAR, 60, us, them));
  }
  return figures;
};

/** @param sizes connection strings by number of visits, ascending */
export const measureSql = async (
  sizes: [visits: number, url: string][],
  progress: (line: string) => void,
): Promise<Figure[]> => {
  const [smallest, largest] = [sizes[0], sizes.at(-1)];
  if (smallest === undefined || largest === undefined) throw new Error("no sizes");
  const figures: Figure[] = [];
  for (const [visits, url] of sizes) {
    progress(`SQL: general reports of ${visits} visits`);
    figures.push(...(await asApi(url, (db) => measureGeneral(db, visits, url === largest[1]))));
  }
  await asApi(largest[1], async (large) => {
    progress("SQL: panel");
    figures.push(...(await measurePanel(large)));
    progress("SQL: drizzle-cube");
    // Its package may be missing until `ensureInstalled` has said so.
    const { measureCube } = await import("./cube.ts");
    figures.push(...(await measureCube(largest[1])));
    progress("SQL: sizes");
    const names = `${largest[0]} / ${smallest[0]}`;
    figures.push(...(await asApi(smallest[1], (small) => compareSizes(large, small, names))));
  });
  return figures;
};
