// The unit that was chosen last in this browser. The installed app opens on it.
import { withStorage } from "../tokens.ts";

const UNIT_KEY = "painel.unidade";

export const rememberUnit = (unit: string): void =>
  void withStorage(() => (unit ? localStorage.setItem(UNIT_KEY, unit) : localStorage.removeItem(UNIT_KEY)));

/** Whether the installed app starts, at no place of its own. */
export const isAppStart = (params: URLSearchParams): boolean => params.get("inicio") === "app";

/** `allowed` are the units that the user may read; null means all. */
export const openLastUnit = (allowed: string[] | null): void => {
  const params = new URLSearchParams(location.search);
  if (!isAppStart(params)) return;
  params.delete("inicio");
  const last = withStorage(() => localStorage.getItem(UNIT_KEY)) ?? "";
  // Somebody else may have chosen it in this browser.
  if (last && (allowed === null || allowed.includes(last))) params.set("unidade", last);
  history.replaceState(null, "", location.pathname + (params.size > 0 ? `?${params}` : ""));
};
