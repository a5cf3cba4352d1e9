// A table as CSV that Excel opens in Brazil, as the service writes it (`formato=excel`).

export type Value = string | number | Date | null;
/** `name` is the file's name, without the extension. */
export type Sheet = { name: string; columns: string[]; rows: Value[][] };

// The patterns of src/platform/db/csv-sql.ts.
const LETTERS = "a-zA-Z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u024F";
const BETWEEN = `[^${LETTERS}\\u0300-\\u036F]`;
const LIKE_TEXT = new RegExp(`^([${LETTERS}{["]|(0|[1-9][0-9]{0,7})?$)`);
const BOOLEAN = new RegExp(`^(true|false|verdadeiro|falso)${BETWEEN}*$`, "i");
const DIGIT = /[0-9\uFF10-\uFF19]/;
const DATE_WORD =
  "(jan|janeiro|january|fev|fevereiro|feb|february|mar([çÇ]o|ch)?|abr|abril|apr|april|mai|maio|may|jun|junho|june|" +
  "jul|julho|july|ago|agosto|aug|august|set|setembro|sep|sept|september|out|outubro|oct|october|nov|novembro|" +
  "november|dez|dezembro|dec|december|seg|segunda|ter([çÇ]a)?|qua|quarta|qui|quinta|sex|sexta|s[aáÁ]b(ado)?|dom|" +
  "domingo|mon|monday|tue|tuesday|wed|wednesday|thu|thursday|fri|friday|sat|saturday|sun|sunday)";
const AMOUNT_OR_DATE = new RegExp(
  `^([a-z]{1,3}[$\uFF04]|${DATE_WORD}(${BETWEEN}+(${DATE_WORD}|feira|de|[ap]m))*${BETWEEN}*$)`,
  "i",
);

/** Whether Excel keeps a text as it is. */
const isKept = (text: string): boolean =>
  LIKE_TEXT.test(text) && !BOOLEAN.test(text) && !(DIGIT.test(text) && AMOUNT_OR_DATE.test(text));

/** Excel accepts this much text in a formula. */
const MAX_FORMULA_TEXT = 255;

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** The formula `="…"` keeps text from becoming a number, a date or a formula. */
const textCell = (text: string): string => {
  if (isKept(text)) return /[;"\r\n]|^$/.test(text) ? quoted(text) : text;
  return quoted(text.length <= MAX_FORMULA_TEXT ? `=${quoted(text)}` : `'${text}`);
};

const CLOCK = new Intl.DateTimeFormat("pt-BR", {
  timeZone: "America/Sao_Paulo",
  dateStyle: "short",
  timeStyle: "medium",
});

const cell = (value: Value): string => {
  if (value === null) return "";
  if (typeof value === "number") return String(value).replace(".", ",");
  return value instanceof Date
    ? CLOCK.format(value).replace(",", "").replace(" 00:00:00", "")
    : textCell(value);
};

export const sheetText = ({ columns, rows }: Sheet): string =>
  [columns, ...rows].map((row) => `${row.map(cell).join(";")}\r\n`).join("");
