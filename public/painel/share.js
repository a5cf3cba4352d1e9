// The address is the view: it can be sent to a colleague, who signs in and sees their own units.
import { byId } from "../session.js";

/** @param {(message: string) => void} notify */
export const openSharing = (notify) => {
  byId("share").addEventListener("click", async () => {
    const link = { title: document.title, url: location.href };
    try {
      if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.(link)) await navigator.share(link);
      else {
        await navigator.clipboard.writeText(location.href);
        notify("Link copiado. Quem abrir o link entra com a própria senha.");
      }
    } catch (error) {
      // The user closed the dialog of the phone.
      if (error instanceof DOMException && error.name === "AbortError") return;
      notify("Não foi possível copiar. Copie o endereço da página.");
    }
  });
  byId("print").addEventListener("click", () => print());
};
