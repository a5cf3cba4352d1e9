// `Baixar`: the rows of a table as a file for Excel. The service writes the files of reports and lists; a table that the
// page itself puts together is written here.
import { sheetText } from "./sheet.js";

/**
 * @typedef {import("./sheet.js").Sheet} Sheet
 * @typedef {(id: string, source: string | Sheet | undefined, name?: string) => void} Offer sets what the
 *   button of a table downloads: the path of a report or list, or a table; undefined hides the button. The name is the
 *   file's, if it is not the resource's
 * @typedef {{ source: string | Sheet, name: string | undefined }} File
 */

/** A list is downloaded in pages of 200 rows, at most this many. */
const MAX_PAGES = 20;
const BYTE_ORDER_MARK = "\uFEFF";

/** @param {string[]} parts @param {string} name */
const saveFile = (parts, name) => {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(new Blob([BYTE_ORDER_MARK, ...parts], { type: "text/csv" }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
};

/** The name of the file: its name, or the resource, and the days. @param {string} path @param {string} [name] */
const fileName = (path, name) => {
  const url = new URL(path, location.origin);
  const days = ["data_inicio", "data_fim"].flatMap((end) => url.searchParams.get(end)?.slice(0, 10) ?? []);
  return `${[name ?? url.pathname.split("/").at(-1), ...days].join("-")}.csv`;
};

/**
 * Downloads a report, or all pages of a list. Every page has a byte order mark and the names of the columns: only those
 * of the first are kept.
 * @param {import("../session.js").Session} session
 * @param {string} path
 * @param {string} [name]
 * @returns {Promise<boolean>} whether the file has every row
 */
const download = async (session, path, name) => {
  const isList = !path.startsWith("/v1/relatorios/");
  const url = new URL(path, location.origin);
  url.searchParams.set("formato", "excel");
  if (isList) url.searchParams.set("per_page", "200");
  /** @type {string[]} */
  const parts = [];
  let hasMore = true;
  for (let page = 1; hasMore && page <= MAX_PAGES; page += 1) {
    if (isList) url.searchParams.set("page", String(page));
    const response = await session.fetch(url.pathname + url.search);
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const text = (await response.text()).replace(BYTE_ORDER_MARK, "");
    parts.push(page === 1 ? text : text.slice(text.indexOf("\r\n") + 2));
    // A report has no pages.
    hasMore = isList && /rel="?next"?/.test(response.headers.get("Link") ?? "");
  }
  saveFile(parts, fileName(path, name));
  return !hasMore;
};

/**
 * Connects the buttons with `data-get`.
 * @param {import("../session.js").Session} session
 * @param {(message: string) => void} notify
 */
export const openDownloads = (session, notify) => {
  /** @type {Map<string, File>} */
  const files = new Map();

  /** @param {File} file @returns {Promise<boolean>} whether the file has every row */
  const save = async ({ source, name }) => {
    if (typeof source === "string") return download(session, source, name);
    saveFile([sheetText(source)], `${source.name}.csv`);
    return true;
  };

  document.addEventListener("click", async ({ target }) => {
    const button = /** @type {Element} */ (target).closest("button[data-get]");
    const file = files.get(/** @type {HTMLElement} */ (button)?.dataset.get ?? "");
    if (!(button instanceof HTMLButtonElement) || file === undefined) return;
    button.disabled = true;
    try {
      const isComplete = await save(file);
      notify(
        isComplete
          ? ""
          : `O arquivo tem os primeiros ${MAX_PAGES * 200} registros. Escolha um período menor.`,
      );
    } catch {
      notify("Não foi possível baixar o arquivo. Tente novamente.");
    } finally {
      button.disabled = false;
    }
  });

  /** @type {Offer} */
  const offer = (id, source, name) => {
    if (source === undefined) files.delete(id);
    else files.set(id, { source, name });
    const button = document.querySelector(`button[data-get="${id}"]`);
    if (button instanceof HTMLButtonElement) button.hidden = source === undefined;
  };
  return { offer, clear: () => files.clear() };
};
