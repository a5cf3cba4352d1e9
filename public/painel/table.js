// Accessible tables. Text from records is added as text nodes, never as HTML.

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
 * A horizontal bar below a name.
 * @param {number} value
 * @param {number} max the value of a full bar
 */
export const bar = (value, max) => {
  const filled = h("span", { class: "filled" });
  filled.style.width = `${max > 0 ? Math.max(0, (value / max) * 100) : 0}%`;
  return h("span", { class: "meter", "aria-hidden": "true" }, filled);
};

/**
 * The first cell of a row: a name, a detail and a bar.
 * @param {string} name
 * @param {{ more?: string, meter?: Node, isMissing?: boolean }} [options] `isMissing` if the name is a fallback
 */
export const named = (name, { more, meter, isMissing = false } = {}) =>
  h(
    "span",
    { class: "named" },
    h("span", { class: isMissing ? "name missing" : "name" }, name),
    ...(more ? [h("span", { class: "more" }, more)] : []),
    ...(meter ? [meter] : []),
  );

/** The trimmed name, or the fallback if it is blank. @param {string | null | undefined} name @param {string} fallback */
export const nameOr = (name, fallback) => name?.trim() || fallback;

/**
 * A table with row headers in the first column. Roles are explicit: on a narrow screen CSS lays rows out as blocks,
 * which removes the implicit roles.
 * @param {string} caption
 * @param {string[]} columns
 * @param {Child[][]} rows
 * @param {string} [emptyText] shown if there are no rows
 */
export const table = (caption, columns, rows, emptyText = "Nenhum registro neste período.") => {
  const head = columns.map((name) => h("th", { role: "columnheader", scope: "col" }, name));
  const cellOf = (/** @type {Child} */ child, /** @type {number} */ column) =>
    column === 0
      ? h("th", { role: "rowheader", scope: "row" }, child)
      : h("td", { role: "cell", "data-label": columns[column] ?? "" }, child);
  return rows.length === 0
    ? h("p", { class: "nothing" }, emptyText)
    : h(
        "table",
        { role: "table" },
        h("caption", { class: "sr-only" }, caption),
        h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...head)),
        h("tbody", { role: "rowgroup" }, ...rows.map((row) => h("tr", { role: "row" }, ...row.map(cellOf)))),
      );
};
