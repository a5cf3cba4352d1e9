// `Baixar`: the rows of a table as a file for Excel. The service writes the files of reports and lists; a table that the
// page itself puts together is written here.
import { atTime } from "./format.js";
import { RequestError } from "./service.js";
import { sheetText } from "./sheet.js";

/**
 * @typedef {import("./service.js").Service} Service
 * @typedef {import("./sheet.js").Sheet} Sheet
 * @typedef {(id: string, source: string | Sheet | undefined, name?: string) => void} Offer sets what the
 *   button of a table downloads: the path of a report or list, or a table; undefined hides the button. The name is the
 *   file's, if it is not the resource's
 * @typedef {{ source: string | Sheet, name: string | undefined }} File
 */

/** A list is downloaded in pages of 200 rows, at most this many. */
const MAX_PAGES = 20;
const PAGE_TIMEOUT_MS = 60_000;
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
 * @param {Service} service
 * @param {string} path
 * @param {AbortSignal} signal
 * @param {string} [name]
 * @returns {Promise<boolean>} whether the file has every row
 */
const download = async (service, path, signal, name) => {
  const isList = !path.startsWith("/v1/relatorios/");
  const url = new URL(path, location.origin);
  url.searchParams.set("formato", "excel");
  if (isList) url.searchParams.set("per_page", "200");
  /** @type {string[]} */
  const parts = [];
  let hasMore = true;
  for (let page = 1; hasMore && page <= MAX_PAGES; page += 1) {
    if (isList) url.searchParams.set("page", String(page));
    const timeLimited = AbortSignal.any([signal, AbortSignal.timeout(PAGE_TIMEOUT_MS)]);
    const response = await service.send(url.pathname + url.search, timeLimited);
    // Reading it as text drops the byte order mark.
    const text = await response.text();
    parts.push(page === 1 ? text : text.slice(text.indexOf("\r\n") + 2));
    // A report has no pages.
    hasMore = isList && /rel="?next"?/.test(response.headers.get("Link") ?? "");
  }
  saveFile(parts, fileName(path, name));
  return !hasMore;
};

const tooMany = `O arquivo tem os primeiros ${MAX_PAGES * 200} registros. Escolha um período menor.`;

/** @param {unknown} error */
const failureText = (error) => {
  const again =
    error instanceof RequestError && error.waitMs > 0 ? atTime(new Date(Date.now() + error.waitMs)) : "";
  return `Não foi possível baixar o arquivo. Tente novamente${again && ` ${again}`}.`;
};

/**
 * Connects the buttons with `data-get`.
 * @param {Service} service
 * @param {(message: string) => void} notify
 */
export const openDownloads = (service, notify) => {
  let session = new AbortController();
  /** @type {Map<string, File>} */
  const files = new Map();

  /** @param {File} file @param {AbortSignal} signal @returns {Promise<boolean>} whether the file has every row */
  const save = async ({ source, name }, signal) => {
    if (typeof source === "string") return download(service, source, signal, name);
    saveFile([sheetText(source)], `${source.name}.csv`);
    return true;
  };

  document.addEventListener("click", async ({ target }) => {
    const button = /** @type {Element} */ (target).closest("button[data-get]");
    const file = files.get(/** @type {HTMLElement} */ (button)?.dataset.get ?? "");
    if (!(button instanceof HTMLButtonElement) || file === undefined) return;
    const { signal } = session;
    button.disabled = true;
    try {
      if (!(await save(file, signal))) notify(tooMany);
    } catch (error) {
      if (!signal.aborted) notify(failureText(error));
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
  const clear = () => {
    files.clear();
    session.abort();
    session = new AbortController();
  };
  return { offer, clear };
};
