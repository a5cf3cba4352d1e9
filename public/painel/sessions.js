// The dialog with the user's own sessions: what is signed in, and a button to end each.
import { byId } from "../session.js";
import { ago, instant } from "./format.js";
import { h, named, table } from "./table.js";

/** @typedef {{ id: string, started_at: string, renewed_at: string, kind: "api" | "browser" | "oauth", client: string | null, device: string | null, current: boolean }} OwnSession */

const KINDS = { api: "Só até fechar a página", browser: "Navegador conectado" };

const age = (/** @type {string} */ at) => ago(Math.max(0, Date.now() - Date.parse(at)) / 1000);

/** What is signed in, and how. @param {OwnSession} session @returns {string[]} */
const labelsOf = ({ kind, client, device }) =>
  kind === "oauth"
    ? [`Assistente ${client}`, ...(device ? [`Autorizado por ${device}`] : [])]
    : [device ?? "Aparelho desconhecido", KINDS[kind]];
const nameOf = (/** @type {OwnSession} */ session) => {
  const [name = "", ...details] = labelsOf(session);
  const renewed = `${session.current ? "Esta sessão, renovada" : "Renovada"} ${age(session.renewed_at)}`;
  return named(name, { more: [...details, renewed].join(". ") });
};

/**
 * Connects the dialog.
 * @param {import("../session.js").Session} session
 * @returns a function that closes the dialog when the session ends
 */
export const openSessions = (session) => {
  const dialog = /** @type {HTMLDialogElement} */ (byId("sessions"));
  const showMessage = (/** @type {string} */ text) => {
    byId("sessions-message").textContent = text;
  };

  /** @param {{ session: string } | { all: true }} what @param {boolean} isOwn whether this ends the session of the page, too */
  const endSessions = async (what, isOwn) => {
    showMessage("");
    const response = await session
      .fetch("/auth/logout", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(what),
      })
      .catch(() => undefined);
    if (!response?.ok) return showMessage("Não foi possível encerrar. Tente novamente.");
    if (isOwn) await session.signOut();
    else if (await load()) showMessage("Sessão encerrada.");
  };

  /** Asks before all sessions end, or shows the buttons of the list again. @param {boolean} isAsking */
  const ask = (isAsking) => {
    byId("sessions-actions").hidden = isAsking;
    byId("sessions-confirm").hidden = !isAsking;
  };

  /** Resolves to whether the list is shown. */
  const load = async () => {
    const response = await session.fetch("/auth/sessions").catch(() => undefined);
    if (!response?.ok) {
      showMessage("Não foi possível carregar as sessões. Feche e abra novamente.");
      return false;
    }
    /** @type {{ data: OwnSession[] }} */
    const { data } = await response.json();
    // The session ended meanwhile, and the dialog with it.
    if (!dialog.open) return false;
    const rows = data.map((row) => {
      const label = `Encerrar ${labelsOf(row).join(", ")}, ${age(row.renewed_at)}`;
      const button = h("button", { type: "button", class: "quiet", "aria-label": label }, "Encerrar");
      button.addEventListener("click", () => void endSessions({ session: row.id }, row.current));
      return [nameOf(row), h("span", { title: instant(row.started_at) }, age(row.started_at)), button];
    });
    byId("sessions-list").replaceChildren(
      table("Sessões", ["Sessão", "Início", "Ação"], rows, {
        lead: 2,
        empty: "Nenhuma sessão aberta.",
      }),
    );
    return true;
  };

  byId("sessions-open").addEventListener("click", () => {
    showMessage("");
    ask(false);
    dialog.showModal();
    // The dialog would focus its first button, which Enter then presses.
    byId("sessions-title").focus();
    void load();
  });
  byId("sessions-close").addEventListener("click", () => dialog.close());
  byId("sessions-end-all").addEventListener("click", () => {
    ask(true);
    byId("sessions-confirm-cancel").focus();
  });
  byId("sessions-confirm-cancel").addEventListener("click", () => {
    ask(false);
    byId("sessions-end-all").focus();
  });
  byId("sessions-confirm-end").addEventListener("click", () => void endSessions({ all: true }, true));
  return () => dialog.close();
};
