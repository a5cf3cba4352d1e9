import type { Plugin } from "vite";
import ofLimits from "../../access/limits/mistakes.json" with { type: "json" };
import ofStreams from "../../api/v1/stream-mistakes.json" with { type: "json" };

/** The mistakes that the worker's tests plant. The oracle plants others. */
export const WORKER_MISTAKES = [...ofLimits, ...ofStreams];

/** A line with `// mistake: its-name` at its end, or on the line before it. */
const MARKED_LINE = /^(?=.*\/\/ mistake: (\S+)$)(?: *\/\/.*\n)?.*$/gm;

export const marksIn = (code: string): string[] =>
  Array.from(code.matchAll(MARKED_LINE), ([, mark]) => mark as string);

/** Replaces the marked line. */
export const plantMistake = (code: string, { mark, wrong }: { mark: string; wrong: string }): string =>
  code.replace(MARKED_LINE, (line, name) => (name === mark ? wrong : line));

/** Loads a module like `tally.ts?mistake=its-name` with the mistake of that name. */
export const plantMistakes = (): Plugin => ({
  name: "plant-mistakes",
  enforce: "pre",
  transform: (code, id) => {
    const mistake = WORKER_MISTAKES.find(({ mark }) => id.endsWith(`?mistake=${mark}`));
    return mistake && plantMistake(code, mistake);
  },
});
