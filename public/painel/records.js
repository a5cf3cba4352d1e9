// The records behind a figure: a list of the service with its filters, page by page.
import { byId } from "../session.js";
import { fill } from "./card.js";
import { atTime, counted, number } from "./format.js";
import { listSearch } from "./links.js";
import { queryOf, subtitleOf } from "./record-queries.js";
import { RequestError } from "./service.js";
import { h, link, skeleton, table } from "./table.js";
import { searchOf } from "./view.js";
import { REASONS } from "./words.js";

/**
 * @typedef {import("./links.js").List} List
 * @typedef {import("./view.js").View} View
 * @typedef {import("./record-queries.js").Context} Context
 * @typedef {import("./record-queries.js").Query} Query
 */

const PER_PAGE = 50;

/** @param {View} view @param {List} list @param {{ page: number, total: number, total_pages: number }} pagination */
const pager = (view, list, { page, total, total_pages: pages }) => {
  const to = (/** @type {number} */ at, /** @type {string} */ text) =>
    at < 1 || at > pages
      ? h("span", { class: "to off" }, text)
      : link(listSearch(view, { ...list, page: at }), text);
  const text =
    counted(total, "registro", "registros") +
    (pages > 1 ? ` · página ${number(page)} de ${number(pages)}` : "");
  return h(
    "nav",
    { "aria-label": "Páginas", class: "pager" },
    h("p", { role: "status" }, text),
    ...(pages > 1 ? [to(page - 1, "‹ Anterior"), to(page + 1, "Próxima ›")] : []),
  );
};

/** @param {List} list @param {Context} context @param {Query} query @param {any} body */
const draw = (list, { view }, { title, columns }, { data, pagination }) => {
  const rows = data.map((/** @type {any} */ row) => columns.map(([, cell]) => cell(row)));
  fill(
    "record-table",
    table(
      title,
      columns.map(([label]) => label),
      rows,
      { empty: "Nenhum registro." },
    ),
    pager(view, list, pagination),
  );
};

/**
 * Shows a list in place of the panel.
 * @param {import("./service.js").Service} service
 * @param {List} list
 * @param {Context} context
 * @param {import("./download.js").Offer} offer
 * @param {AbortSignal} signal
 */
export const showRecords = async (service, list, context, offer, signal) => {
  const query = queryOf(list, context);
  const path = `/v1/${query.resource}?${new URLSearchParams({ ...query.filters, campos: query.fields.join(",") })}`;
  const page = `${path}&per_page=${PER_PAGE}&page=${list.page}`;
  byId("records-title").textContent = query.title;
  byId("records-of").textContent = subtitleOf(list, context);
  byId("back").setAttribute("href", `/painel${searchOf(context.view)}`);
  document.title = `Painel · ${query.title}`;
  offer("records", path, query.file);
  const old = service.recall(page);
  if (old) draw(list, context, query, old);
  else fill("record-table", skeleton());
  try {
    const body = await service.get(page, ["data", "pagination"], signal);
    if (body !== old) draw(list, context, query, body);
  } catch (error) {
    if (signal.aborted) return;
    const { reason, waitMs } = error instanceof RequestError ? error : new RequestError("unreadable", 0);
    const again = waitMs > 0 ? ` Tente novamente ${atTime(new Date(Date.now() + waitMs))}.` : "";
    fill(
      "record-table",
      h("p", { class: "nothing" }, `Não foi possível carregar. ${REASONS[reason]}${again}`),
    );
  }
};
