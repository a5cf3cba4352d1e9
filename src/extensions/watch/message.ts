import { MAX_CATALOGUE_DAYS, type Problem } from "./problems.ts";

/** Discord accepts 2,000 characters, of which the first and the last line need few. */
const MAX_LENGTH = 1800;
/** A message shows this many characters of a name. */
export const MAX_NAME = 60;

// Slack reads `<!channel>` as markup, Discord `@everyone`. A quote would end the text in a card of Teams.
const ESCAPES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "@": "(at)",
  '"': "'",
  "\\": "/",
};
/** The name of a job, a unit or a rule, safe in every receiver of messages. */
export const escapeName = (name: string) =>
  name.slice(0, MAX_NAME).replaceAll(/[&<>@"\\\p{Cc}]/gu, (character) => ESCAPES[character] ?? " ");

const DIGITS = { minimumFractionDigits: 2, maximumFractionDigits: 6 };
const formatFigure = (value: number | undefined = 0) =>
  value.toLocaleString("en", Number.isInteger(value) ? {} : DIGITS);

/** Each is followed by "since …". */
const SENTENCES: Record<Problem["kind"], (name: string, problem: Problem) => string> = {
  late: (name) => `${name} has been late`,
  failed: (name) => `${name} has failed`,
  catalogue: (name) => `The product catalogue of unit ${name} has been older than ${MAX_CATALOGUE_DAYS} days`,
  database: () => "The database has not answered",
  audit: () => "Accesses to personal data have not been recorded",
  figure: (name, { value, above, below }) =>
    `${name} is ${formatFigure(value)}, ${above === undefined ? "below" : "above"} ` +
    `${formatFigure(above ?? below)},`,
  rule: (name, { status }) => `The rule ${name} could not be checked (${status})`,
};

const lineOf = (problem: Problem) =>
  `- ${SENTENCES[problem.kind](escapeName(problem.name), problem)} since ${problem.since}`;

/** The lines that fit into a message, and how many do not. */
const fittingLines = (problems: Problem[]): string[] => {
  const lines: string[] = [];
  let length = 0;
  for (const line of problems.map(lineOf)) {
    length += line.length + 1;
    if (length > MAX_LENGTH) return [...lines, `- and ${problems.length - lines.length} more`];
    lines.push(line);
  }
  return lines;
};

/** The body of an alert. Slack, and Discord below `/slack`, show `text`. */
export const messageOf = (problems: Problem[]) => {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const title = `Salon-to-ERP data service: ${problems.length === 0 ? "all problems are solved" : count}`;
  const state = problems.length === 0 ? "ok" : "problem";
  return { text: [title, ...fittingLines(problems)].join("\n"), state, problems };
};
