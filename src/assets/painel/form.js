// What is looked at: the form says what the address does, and the address what is chosen in the form.
import { byId } from "../session.js";
import { h } from "./table.js";
import { dayOf, readView, searchOf } from "./view.js";

/** Arrow keys go through the periods: only where they stop so long is asked for. */
const CHOSEN_MS = 300;

const inputs = () => /** @type {HTMLFormElement} */ (byId("view")).elements;
const input = (/** @type {string} */ name) =>
  /** @type {HTMLInputElement | RadioNodeList | HTMLSelectElement} */ (inputs().namedItem(name));

/** The view of the address. */
export const viewNow = () => readView(location.search, dayOf(Date.now()));

/** The view that is chosen in the form. */
const chosenView = () => {
  const chosen = new URLSearchParams({
    periodo: input("period").value,
    unidade: input("unit").value,
    de: input("from").value,
    ate: input("to").value,
  });
  return readView(`?${chosen}`, dayOf(Date.now()));
};

/**
 * Takes the form into use.
 * @param {object} page
 * @param {() => Map<string, string> | undefined} page.units their names by id, as far as they are known
 * @param {(id: string) => string} page.nameOf a unit, known or not
 * @param {() => void} page.look told when the address names another view
 */
export const openForm = ({ units, nameOf, look }) => {
  /** The form says what the address does. */
  const show = () => {
    const view = viewNow();
    const options = [["", "Todas as unidades"], ...(units() ?? [])];
    if (view.unit && !units()?.has(view.unit)) options.push([view.unit, nameOf(view.unit)]);
    byId("unit").replaceChildren(
      ...options.map(([value = "", name = ""]) => h("option", { value }, name || nameOf(value))),
    );
    input("unit").value = view.unit;
    input("period").value = view.period;
    input("from").value = view.from;
    input("to").value = view.to;
    byId("dates").hidden = view.period !== "datas";
  };

  /** Goes to another view, as an address that one can go back from. @param {import("./view.js").View} view */
  const go = (view) => {
    const search = searchOf(view);
    if (search !== location.search) history.pushState(null, "", location.pathname + search);
    show();
    look();
  };

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  byId("view").addEventListener("change", ({ target }) => {
    const { name } = /** @type {HTMLInputElement} */ (target);
    if (name === "period") byId("dates").hidden = input("period").value !== "datas";
    if (name === "from" || name === "to") return;
    clearTimeout(timer);
    // From–to waits for its dates.
    if (name === "period" && input("period").value === "datas") return;
    timer = setTimeout(() => go(chosenView()), CHOSEN_MS);
  });
  byId("view").addEventListener("submit", (event) => {
    event.preventDefault();
    const [from, to] = [input("from").value, input("to").value];
    const view = chosenView();
    byId("dates-message").textContent =
      view.period === "datas"
        ? ""
        : !from || !to
          ? "Preencha as duas datas."
          : "A data inicial deve ser anterior ou igual à final. Use datas de 2000 a 2089.";
    if (view.period === "datas") go(view);
  });
  addEventListener("popstate", () => {
    show();
    look();
  });

  return { show };
};
