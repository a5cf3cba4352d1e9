import type { Plugin } from "vite";
import mistakes from "../../limits/mistakes.json" with { type: "json" };

/** Loads `tally.ts?mistake=1` with the second mistake of the list. */
export const plantMistakes = (): Plugin => ({
  name: "plant-mistakes",
  enforce: "pre",
  transform: (code, id) => {
    const number = /\?mistake=(\d+)$/.exec(id)?.[1];
    if (number === undefined) return undefined;
    const { what, right, wrong } = mistakes[Number(number)] ?? { what: number, right: "", wrong: "" };
    if (code.split(right).length !== 2) throw new Error(`"${what}" replaces no text that is there once.`);
    return code.replace(right, () => wrong);
  },
});
