// The names of files: what they hold, and of which days.
import { elapsedDays, type View } from "./view.ts";

/** taxas-2026-11-01-2026-11-27; of one day, and of all time as of today: envio-2026-11-27. */
export const fileName = (what: string, { from, to = from }: { from: string; to?: string }): string =>
  `${what}-${from}${to === from ? "" : `-${to}`}`;

/** The name of a file of the view's days. */
export const periodFileName = (what: string, view: View): string => fileName(what, elapsedDays(view));

/** The name of a file that is of all time. */
export const todayFileName = (what: string, { clock: { today } }: View): string =>
  fileName(what, { from: today });
