// `Baixar`: the rows of a table as a file for Excel.

/** @typedef {(id: string, path: string, name?: string) => void} Offer sets what the button of a table downloads, and the file's name if it is not the resource's */

/** A list is downloaded in pages of 200 rows, at most this many. */
const MAX_PAGES = 20;
const BYTE_ORDER_MARK = "\uFEFF";

/** @param {Blob} blob @param {string} name */
const saveFile = (blob, name) => {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
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
 * @param {{ path: string, name: string | undefined }} file
 * @returns {Promise<boolean>} whether the file has every row
 */
const download = async (session, { path, name: named }) => {
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
    parts.push(page === 1 ? BYTE_ORDER_MARK + text : text.slice(text.indexOf("\r\n") + 2));
    // A report has no pages.
    hasMore = isList && /rel="?next"?/.test(response.headers.get("Link") ?? "");
  }
  saveFile(new Blob(parts, { type: "text/csv" }), fileName(path, named));
  return !hasMore;
};

/**
 * Connects the buttons with `data-get`.
 * @param {import("../session.js").Session} session
 * @param {(message: string) => void} notify
 */
export const openDownloads = (session, notify) => {
  /** @type {Map<string, { path: string, name: string | undefined }>} */
  const files = new Map();
  document.addEventListener("click", async ({ target }) => {
    const button = /** @type {Element} */ (target).closest("button[data-get]");
    const file = files.get(/** @type {HTMLElement} */ (button)?.dataset.get ?? "");
    if (!(button instanceof HTMLButtonElement) || file === undefined) return;
    button.disabled = true;
    try {
      const isComplete = await download(session, file);
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
  const offer = (id, path, name) => {
    files.set(id, { path, name });
    const button = document.querySelector(`button[data-get="${id}"]`);
    if (button instanceof HTMLButtonElement) button.hidden = false;
  };
  return { offer, clear: () => files.clear() };
};
