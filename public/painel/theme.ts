// Light or dark: as the system, unless the user chose otherwise in this browser.
import { withStorage } from "../tokens.ts";

const KEY = "painel.tema";
const THEMES = ["sistema", "claro", "escuro"] as const;
export type Theme = (typeof THEMES)[number];

export const THEME_NAMES: Record<Theme, string> = {
  sistema: "Do aparelho",
  claro: "Claro",
  escuro: "Escuro",
};

export const theme = (): Theme => {
  const kept = withStorage(() => localStorage.getItem(KEY));
  return THEMES.find((known) => known === kept) ?? "sistema";
};

export const showTheme = (): void => {
  document.documentElement.dataset.theme = theme();
};

export const chooseTheme = (chosen: Theme): void => {
  withStorage(() =>
    chosen === "sistema" ? localStorage.removeItem(KEY) : localStorage.setItem(KEY, chosen),
  );
  document.documentElement.dataset.theme = chosen;
};
