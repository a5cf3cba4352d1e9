// How an answer is shown: as the service sent it, with line breaks.

/** Objects deeper than this are on one line. */
const OPEN_DEPTH = 2;
const MAX_LINES = 200;

/** Breaks JSON into lines. It keeps every digit, which parsing would not: 60443.30 stays. */
export const breakJson = (json: string): string => {
  let depth = 0;
  const newLine = () => `\n${"  ".repeat(depth)}`;
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]\s*/g, (token) => {
    const mark = token.trim();
    if (mark === "{" || mark === "[") {
      depth += 1;
      return depth <= OPEN_DEPTH ? mark + newLine() : mark;
    }
    if (mark === "}" || mark === "]") {
      depth -= 1;
      return depth < OPEN_DEPTH ? newLine() + mark : mark;
    }
    if (mark === ",") return depth <= OPEN_DEPTH ? mark + newLine() : ", ";
    return mark === ":" ? ": " : token;
  });
};

/** The first lines of a long answer, and how many follow. */
export const firstLines = (text: string): string => {
  const lines = text.trimEnd().split("\n");
  const rest = lines.length - MAX_LINES;
  return rest > 0 ? [...lines.slice(0, MAX_LINES), `… ${rest} more lines`].join("\n") : lines.join("\n");
};

const plural = (count: number) => `${count} ${count === 1 ? "row" : "rows"}`;

/** How many rows an answer has; "" if it has none to count, as an error. */
export const countRows = (text: string, contentType: string): string => {
  if (contentType.startsWith("text/csv"))
    return plural(
      text
        .replaceAll(/"[^"]*"/g, "")
        .trimEnd()
        .split("\n").length - 1,
    );
  if (contentType.startsWith("application/x-ndjson")) return plural(text.split("\n").filter(Boolean).length);
  if (!contentType.startsWith("application/json")) return "";
  const { data, linhas }: { data?: unknown; linhas?: number } = JSON.parse(text);
  if (!Array.isArray(data)) return "";
  return linhas !== undefined && linhas > data.length
    ? `${data.length} of ${plural(linhas)}`
    : plural(data.length);
};
