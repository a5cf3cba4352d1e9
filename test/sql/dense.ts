const WIDTH = 110;

const indentOf = (line: string) => line.length - line.trimStart().length;

/** Joins lines that fit into one: a clause with the lines below it, a bracket with its content, the items of a list. */
export const dense = (text: string): string => {
  const lines = text.split("\n");
  // Bottom-up, so that inner lines are joined first.
  for (let at = lines.length - 1; at >= 0; at--) {
    const [line = "", next = ""] = lines.slice(at);
    const size = lines.slice(at + 1).findIndex((inner) => indentOf(inner) <= indentOf(line));
    const inside = lines.slice(at + 1, size === -1 ? undefined : at + 1 + size);
    const isOpened = /(?:\(|\bcase)$/.test(line);
    const rest = isOpened ? lines.slice(at + 1, at + 2 + inside.length) : inside;
    const joined = [line, ...rest.map((one) => one.trim())].join(" ").replaceAll(/(?<=\() | (?=\))/g, "");
    const isItem = line.endsWith(",") && !line.trim().startsWith(")") && indentOf(next) === indentOf(line);
    const isNextWhole = !next.endsWith("(") && indentOf(lines[at + 2] ?? "") <= indentOf(next);
    if (inside.length > 0 && joined.length <= WIDTH) lines.splice(at, 1 + rest.length, joined);
    else if (line.trim() === "from" && next.trim().startsWith("("))
      lines.splice(
        at,
        1 + inside.length,
        `${line} ${next.trim()}`,
        ...inside.slice(1).map((one) => one.slice(2)),
      );
    else if (isItem && isNextWhole && line.length + next.trim().length < WIDTH)
      lines.splice(at, 2, `${line} ${next.trim()}`);
  }
  return lines.join("\n");
};
