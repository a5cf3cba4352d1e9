// The filter form. The URL stores the view: the form shows it, and a choice in the form changes it.

import { byId } from "../session.js";
import { withStorage } from "../tokens.js";
import { h } from "./table.js";
import { clockAt, readView, searchOf } from "./view.js";
import { allUnits } from "./words.js";

/** Arrow keys step through the periods: after the first, load only after a pause. */
const DEBOUNCE_MS = 300;
/** Space beside the chosen period, in pixels. */
const CHIP_MARGIN = 12;
/** Where the unit is kept that the user chose last. */
const UNIT_KEY = "painel.unidade";

const inputs = () => /** @type {HTMLFormElement} */ (byId("view")).elements;
const input = (/** @type {string} */ name) =>
  /** @type {HTMLInputElement | RadioNodeList | HTMLSelectElement} */ (inputs().namedItem(name));

/**
 * The view in the URL. A unit that the user may not read is replaced by the user's only unit, or by all of theirs.
 * @param {string[] | null} allowed the units that the user may read; null means all
 * @returns {import("./view.js").View}
 */
export const currentView = (allowed) => {
  const view = readView(location.search, clockAt(Date.now()));
  if (allowed === null || allowed.includes(view.unit)) return view;
  const [only = "", ...others] = allowed;
  return { ...view, unit: others.length === 0 ? only : "", isOutside: view.unit !== "" };
};

/** The installed app starts at `?inicio=app`: it opens on the unit that was chosen last. */
export const openLastUnit = (/** @type {string[] | null} */ allowed) => {
  const params = new URLSearchParams(location.search);
  if (params.get("inicio") !== "app") return;
  const last = withStorage(() => localStorage.getItem(UNIT_KEY)) ?? "";
  // Somebody else may have chosen it in this browser.
  const unit = allowed === null || allowed.includes(last) ? last : "";
  history.replaceState(
    null,
    "",
    location.pathname + (unit ? `?${new URLSearchParams({ unidade: unit })}` : ""),
  );
};

/** @param {string} unit */
const rememberUnit = (unit) =>
  withStorage(() => (unit ? localStorage.setItem(UNIT_KEY, unit) : localStorage.removeItem(UNIT_KEY)));

/** The view chosen in the form. */
const chosenView = () => {
  const query = new URLSearchParams({
    periodo: input("period").value,
    unidade: input("unit").value,
    de: input("from").value,
    ate: input("to").value,
    comparar: input("compared").value,
  });
  return readView(`?${query}`, clockAt(Date.now()));
};

/**
 * Connects the form.
 * @param {object} page
 * @param {() => Map<string, string> | undefined} page.units unit names by id, once loaded
 * @param {(id: string) => string} page.nameOf the name of a unit, or a fallback
 * @param {() => string[] | null} page.allowed the units that the user may read; null means all
 * @param {() => void} page.onChange called when the form changes the view in the URL
 */
export const openForm = ({ units, nameOf, allowed, onChange }) => {
  /** Shows the view of the URL in the form. */
  const show = () => {
    const own = allowed();
    const view = currentView(own);
    const options = [...(own?.length === 1 ? [] : [["", allUnits(own)]]), ...(units() ?? [])];
    if (view.unit && !units()?.has(view.unit)) options.push([view.unit, nameOf(view.unit)]);
    byId("unit").replaceChildren(
      ...options.map(([value = "", name = ""]) => h("option", { value }, name || nameOf(value))),
    );
    input("unit").value = view.unit;
    input("period").value = view.period;
    input("compared").value = view.compared;
    input("from").value = view.from;
    input("to").value = view.to;
    byId("dates").hidden = view.period !== "datas";
    const chips = document.querySelector(".chips");
    const chip = chips?.querySelector(":checked")?.closest("label");
    // On a phone, the row of periods is wider than the screen: scroll to the chosen one.
    if (chips && chip)
      chips.scrollLeft = chip.offsetLeft + chip.offsetWidth + CHIP_MARGIN - chips.clientWidth;
  };

  /** Opens another view as a new history entry. @param {import("./view.js").View} view */
  const navigate = (view) => {
    const search = searchOf(view);
    if (search !== location.search) history.pushState(null, "", location.pathname + search);
    onChange();
  };

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let changedAt = -DEBOUNCE_MS;
  byId("view").addEventListener("change", ({ target }) => {
    const { name } = /** @type {HTMLInputElement} */ (target);
    if (name === "period") byId("dates").hidden = input("period").value !== "datas";
    if (name === "from" || name === "to") return;
    clearTimeout(timer);
    // A custom period needs its dates first.
    if (name === "period" && input("period").value === "datas") return;
    if (name === "unit") rememberUnit(input("unit").value);
    const isFirst = performance.now() - changedAt > DEBOUNCE_MS;
    changedAt = performance.now();
    if (isFirst) navigate(chosenView());
    else timer = setTimeout(() => navigate(chosenView()), DEBOUNCE_MS);
  });
  byId("view").addEventListener("submit", (event) => {
    event.preventDefault();
    const [from, to] = [input("from").value, input("to").value];
    const view = chosenView();
    byId("dates-message").textContent =
      view.period === "datas"
        ? ""
        : !from || !to
          ? "Informe a data inicial e a final."
          : from > to
            ? "A data inicial não pode ser depois da final."
            : "Use datas entre 2000 e 2089.";
    if (view.period === "datas") navigate(view);
  });
  return { show };
};
