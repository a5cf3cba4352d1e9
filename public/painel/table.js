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

/** Takes the place of a part that is on its way. */
export const skeleton = () => h("p", { class: "skeleton" }, h("span", { class: "sr-only" }, "Carregando…"));

/** The trimmed name, or the fallback if it is blank. @param {string | null | undefined} name @param {string} fallback */
export const nameOr = (name, fallback) => name?.trim() || fallback;

/** A link within the panel: it opens without a reload. @param {string} search @param {string} text @param {string} [label] what it opens, for screen readers */
export const link = (search, text, label) =>
  h(
    "a",
    { href: `/painel${search}`, class: "to", "data-internal": "", ...(label && { "aria-label": label }) },
    text,
  );

/** An entry of a description list. @param {string} name @param {string} value */
export const entry = (name, value) => h("div", {}, h("dt", {}, name), h("dd", {}, value));

/** @param {string} difference @returns {"up" | "down" | "same"} */
export const signOf = (difference) => {
  if (difference.startsWith("+")) return "up";
  return /^[-−]/.test(difference) ? "down" : "same";
};

/** A change, for a cell. @param {string | undefined} difference @param {boolean} [isClosed] the fall of a closed unit is no alarm */
export const changeCell = (difference, isClosed = false) => {
  if (difference === undefined) return h("span", { class: "change same" }, "—");
  return h("span", { class: `change ${isClosed ? "same" : signOf(difference)}` }, difference);
};

/** On a narrow screen, a row is one line that this button opens. @param {Node} row @param {string} name */
const opener = (row, name) => {
  const button = h("button", {
    type: "button",
    class: "opener",
    "aria-expanded": "false",
    "aria-label": `Detalhes: ${name}`,
  });
  button.addEventListener("click", () => {
    const isOpen = /** @type {HTMLElement} */ (row).classList.toggle("open");
    button.setAttribute("aria-expanded", String(isOpen));
  });
  return button;
};

/** @param {HTMLElement} body the rows @param {number} shown @param {number} total */
const moreButton = (body, shown, total) => {
  const button = h("button", { type: "button", class: "quiet all" }, `Ver todas as ${total} linhas`);
  button.addEventListener("click", () => {
    const first = body.querySelector(".extra > th");
    for (const row of body.children) row.classList.remove("extra");
    button.remove();
    if (!(first instanceof HTMLElement)) return;
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
  });
  return total > shown ? [button] : [];
};

/** Names the rows that the printed page leaves out. @param {number} count */
const leftOut = (count) => {
  const text = count === 1 ? "Mais 1 linha não impressa." : `Mais ${count} linhas não impressas.`;
  return count > 0 ? [h("p", { class: "more left-out" }, text)] : [];
};

/**
 * @typedef {object} Options
 * @property {number} [lead] the column shown in the line of a closed row
 * @property {number} [shown] rows shown at first; all if left out
 * @property {number} [printed] rows on paper; as many as shown if left out
 * @property {string} [empty] the text without rows
 */

/**
 * A table with row headers in the first column. Roles are explicit: on a narrow screen CSS lays rows out as blocks,
 * which removes the implicit roles.
 * @param {string} caption
 * @param {string[]} columns
 * @param {Child[][]} rows
 * @param {Options} [options]
 */
export const table = (
  caption,
  columns,
  rows,
  { lead = 1, shown = rows.length, printed = shown, empty = "Nenhum registro neste período." } = {},
) => {
  if (rows.length === 0) return h("p", { class: "nothing" }, empty);
  const head = columns.map((name) => h("th", { role: "columnheader", scope: "col" }, name));
  const body = h("tbody", { role: "rowgroup" });
  for (const [index, cells] of rows.entries()) {
    const row = h("tr", { role: "row" });
    row.classList.toggle("extra", index >= shown);
    row.classList.toggle("unprinted", index >= printed);
    for (const [column, child] of cells.entries()) {
      const label = columns[column] ?? "";
      const place = column === lead ? "lead" : label === "Variação" ? "also" : "";
      const kind = { role: "cell", "data-label": label, ...(place && { class: place }) };
      row.append(column === 0 ? h("th", { role: "rowheader", scope: "row" }, child) : h("td", kind, child));
    }
    const [first] = row.children;
    const name = first?.querySelector(".name")?.textContent ?? first?.textContent ?? "";
    if (cells.length > 2) first?.append(opener(row, name.slice(0, 80)));
    body.append(row);
  }
  return h(
    "div",
    {},
    h(
      "table",
      { role: "table" },
      h("caption", { class: "sr-only" }, caption),
      h("thead", { role: "rowgroup" }, h("tr", { role: "row" }, ...head)),
      body,
    ),
    ...moreButton(body, shown, rows.length),
    ...leftOut(rows.length - printed),
  );
};
