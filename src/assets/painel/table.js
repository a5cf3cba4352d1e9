// Tables for whoever reads or listens. Text is text here: nothing that came from a record is taken for HTML.

/** @typedef {string | Node} Child */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Record<string, string>} attributes
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export const h = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

/**
 * A bar of a length, beside the figure it shows.
 * @param {number} value
 * @param {number} most the value of the longest
 */
export const bar = (value, most) => {
  const filled = h("span", { class: "filled" });
  filled.style.width = `${most > 0 ? Math.max(0, (value / most) * 100) : 0}%`;
  return h("span", { class: "meter", "aria-hidden": "true" }, filled);
};

/**
 * What heads a row: a name of any length, what else there is to say of it, and its bar.
 * @param {string} name
 * @param {{ more?: string, meter?: Node, isMissing?: boolean }} [besides] whether the name is ours, for want of one
 */
export const named = (name, { more, meter, isMissing = false } = {}) =>
  h(
    "span",
    { class: "named" },
    h("span", { class: isMissing ? "name missing" : "name" }, name),
    ...(more ? [h("span", { class: "more" }, more)] : []),
    ...(meter ? [meter] : []),
  );

/** A name that says something, or what is said for want of one. @param {string | null | undefined} name @param {string} ours */
export const nameOr = (name, ours) => name?.trim() || ours;

/**
 * A table whose first column names the row and whose others are figures. On a narrow screen each row is a block of its
 * own: roles are said, as a browser forgets them with the layout of tables.
 * @param {string} caption
 * @param {string[]} columns
 * @param {Child[][]} rows
 * @param {string} [nothing] said where there are none
 */
export const table = (caption, columns, rows, nothing = "Nenhum registro neste período.") => {
  const head = columns.map((name) => h("th", { role: "columnheader", scope: "col" }, name));
  const cellOf = (/** @type {Child} */ child, /** @type {number} */ column) =>
    column === 0
      ? h("th", { role: "rowheader", scope: "row" }, child)
      : h("td", { role: "cell", "data-label": columns[column] ?? "" }, child);
  return rows.length === 0
    ? h("p", { class: "nothing" }, nothing)
    : h(
        "table",
        { role: "table" },
        h("caption", { class: "unseen" }, caption),
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...head)),
        h("tbody", { role: "rowgroup" }, ...rows.map((row) => h("tr", { role: "row" }, ...row.map(cellOf)))),
      );
};
