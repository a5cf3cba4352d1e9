// A table as CSV that Excel opens in Brazil, as the service writes it (`formato=excel`).

/**
 * @typedef {string | number | null} Value
 * @typedef {{ name: string, columns: string[], rows: Value[][] }} Sheet its file's name, without the extension
 */

/** An apostrophe keeps Excel from running a text as a formula. @param {Value} value */
const cell = (value) => {
  if (value === null) return "";
  if (typeof value === "number") return String(value).replace(".", ",");
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/** @param {Sheet} sheet */
export const sheetText = ({ columns, rows }) =>
  [columns, ...rows].map((row) => `${row.map(cell).join(";")}\r\n`).join("");
