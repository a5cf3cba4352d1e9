import { useState } from "preact/hooks";
import { type Panel, usePanel } from "../context.ts";
import { chooseTheme, THEME_NAMES, type Theme, theme } from "../theme.ts";
import { AccountNote } from "./account.tsx";
import { Later } from "./later.tsx";
import { Sheet } from "./sheet.tsx";

/** Rarely opened: it is no part of the first visit. */
const loadSessions = async () => (await import("./sessions.tsx")).Sessions;

const ThemeChoice = () => {
  const [chosen, setChosen] = useState(theme);
  const choose = (next: Theme) => {
    chooseTheme(next);
    setChosen(next);
  };
  return (
    <fieldset class="choice">
      <legend>Tema</legend>
      {(Object.keys(THEME_NAMES) as Theme[]).map((each) => (
        <label key={each}>
          <input type="radio" name="theme" checked={chosen === each} onChange={() => choose(each)} />
          <span>{THEME_NAMES[each]}</span>
        </label>
      ))}
    </fieldset>
  );
};

/** The address is the view: a colleague who opens it signs in and sees their own units. */
const shareLink = async (notify: Panel["notify"]) => {
  const link = { title: document.title, url: location.href };
  try {
    if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.(link)) await navigator.share(link);
    else {
      await navigator.clipboard.writeText(location.href);
      notify("Link copiado. Quem abrir o link entra com a própria senha.", { isSuccess: true });
    }
  } catch (error) {
    // The user closed the dialog of the phone.
    if (error instanceof DOMException && error.name === "AbortError") return;
    notify("Não foi possível copiar. Copie o endereço da página.");
  }
};

/** Sessions, theme, sharing, print and sign-out. */
export const MenuSheet = ({ onClose }: { onClose: () => void }) => {
  const { session, email, notify } = usePanel();
  const [showsSessions, showSessions] = useState(false);
  if (showsSessions)
    return (
      <Sheet title="Sessões" onClose={onClose}>
        <Later load={loadSessions} />
      </Sheet>
    );
  const then = (act: () => unknown) => () => {
    onClose();
    void act();
  };
  return (
    <Sheet title="Menu" onClose={onClose}>
      <p class="more">{email}</p>
      <AccountNote />
      <div class="menu">
        <button type="button" onClick={() => showSessions(true)}>
          Sessões
        </button>
        <button type="button" onClick={then(() => shareLink(notify))}>
          Compartilhar esta tela
        </button>
        <button type="button" onClick={then(() => setTimeout(print))}>
          Imprimir ou salvar em PDF
        </button>
        <ThemeChoice />
        <button type="button" class="danger" onClick={then(session.signOut)}>
          Sair
        </button>
      </div>
    </Sheet>
  );
};
