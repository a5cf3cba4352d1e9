// Draws the heading and the totals of the panel.

import { byId } from "../session.js";
import { fill, toggleCard } from "./card.js";
import { average, change, counted, days, money, number, points, share } from "./format.js";
import { listSearch } from "./links.js";
import { isComparable, isStore } from "./picture.js";
import { earlierDays, isToday } from "./ranges.js";
import { quantityOf, revenueOf } from "./revenue.js";
import { entry, h, link, signOf } from "./table.js";
import { elapsedDays, isFuture } from "./view.js";

/**
 * @typedef {import("../../src/v1/relatorios/schemas.ts").Resumo} Summary
 * @typedef {import("./view.js").View} View
 * @typedef {import("./answers.js").Picture} Picture
 * @typedef {import("./table.js").Child} Child
 */

/** Whether the figures include sales of stores. @param {Picture} picture */
const hasStores = ({ details: { sales } }) => (sales?.stores.length ?? 0) > 0;

const ARROWS = { up: "▲ ", down: "▼ ", same: "" };

/** A line whose length the stylesheet knows, to choose the font size. @param {string} name @param {string} figure @param {Child[]} children */
const sized = (name, figure, ...children) => {
  const line = h("p", { class: name }, ...children);
  line.style.setProperty("--length", String(figure.length));
  return line;
};

/** @typedef {{ kind: "visits" | "sales", now: string, previous?: string | undefined, difference?: string | undefined, more?: Child[] }} Figures */

/** A card: a figure and its change from the earlier period. @param {string} id @param {Picture} picture @param {Figures} figures */
const card = (id, picture, { kind, now, previous, difference, more = [] }) => {
  const sign = signOf(difference ?? "");
  const isFair = isComparable(picture, kind);
  const arrow = h(
    "span",
    { class: `change ${sign}` },
    h("span", { "aria-hidden": "true" }, ARROWS[sign]),
    difference ?? "",
  );
  const note = isFair || picture.details.known === undefined ? "" : " (incompleto)";
  const before = `antes: ${previous ?? "indisponível"}${note}`;
  const hasEarlier = earlierDays(picture.view) !== undefined && !isFuture(picture.view);
  fill(
    id,
    sized("figure", now, now),
    ...more,
    ...(hasEarlier
      ? [h("p", { class: "before" }, ...(difference && isFair ? [arrow, " "] : []), h("span", {}, before))]
      : []),
  );
};

/** @param {Picture} picture @param {boolean} isLimited whether the user may read some units only */
const showRevenue = (picture, isLimited) => {
  const { panel, details } = picture;
  const maySell = isStore(picture) || (picture.view.unit === "" && !isLimited);
  const revenue = details.sales && revenueOf(panel.resumo.transacoes.valor_total, details.sales);
  const past =
    panel.anterior && details.earlierSales
      ? revenueOf(panel.anterior.resumo.transacoes.valor_total, details.earlierSales)
      : undefined;
  const part = (/** @type {string} */ name, /** @type {number} */ amount) => entry(name, money(amount));
  const parts = revenue
    ? [
        h(
          "dl",
          { class: "parts" },
          ...(isStore(picture)
            ? []
            : [part("Serviços", revenue.services), part("Produtos nos salões", revenue.products)]),
          // A salon has no sales of stores.
          ...(!maySell && revenue.stores === 0 ? [] : [part("Produtos nas lojas", revenue.stores)]),
        ),
        h(
          "p",
          { class: "more" },
          `Fora do faturamento: produtos retirados por profissionais, ${money(revenue.taken)}`,
        ),
      ]
    : [];
  card("value", picture, {
    kind: isStore(picture) || panel.resumo.transacoes.total === 0 ? "sales" : "visits",
    now: revenue ? money(revenue.total) : "—",
    previous: past && money(past.total),
    difference: change(revenue?.total, past?.total),
  });
  byId("value-parts").replaceChildren(...parts);
};

/** @param {Summary["transacoes"]} visits */
const ticketOf = ({ valor_total, total }) => {
  const ticket = average(valor_total, total);
  return ticket === undefined ? "—" : money(ticket);
};

/** @param {Picture} picture */
const showVisits = (picture) => {
  const { view, panel, details } = picture;
  const now = panel.resumo.transacoes;
  const past = panel.anterior?.resumo.transacoes;
  card("visits", picture, {
    kind: "visits",
    now: number(now.total),
    previous: past && number(past.total),
    difference: change(now.total, past?.total),
    more: [h("p", { class: "more" }, link(listSearch(view, { name: "atendimentos" }), "Ver lista"))],
  });
  card("ticket", picture, {
    kind: "visits",
    now: ticketOf(now),
    more: hasStores(picture) ? [h("p", { class: "more" }, "só salões")] : [],
    previous: past && ticketOf(past),
    // Compares the averages before rounding: a/b with c/d is a·d with c·b.
    difference: past && change(now.valor_total * past.total, past.valor_total * now.total),
  });
  const pending = link(
    listSearch(view, { name: "pendentes" }),
    counted(now.pendentes_erp, "pendente", "pendentes"),
  );
  const { pending: allPending = 0 } = details;
  const all = link(
    listSearch(view, { name: "todos-pendentes" }),
    `${number(allPending)} pendentes ao todo`,
    `${number(allPending)} pendentes ao todo, de todos os períodos`,
  );
  // Pending visits of other periods would go unnoticed.
  const others = allPending > now.pendentes_erp ? [h("p", { class: "more apart" }, all)] : [];
  card("sent", picture, {
    kind: "visits",
    now: share(now.enviadas_erp, now.total),
    previous: past && share(past.enviadas_erp, past.total),
    more: [
      h("p", { class: "more" }, `${counted(now.enviadas_erp, "enviado", "enviados")}, `, pending),
      ...others,
    ],
    difference: past && points([now.enviadas_erp, now.total], [past.enviadas_erp, past.total]),
  });
};

/** @param {Picture} picture */
const showSold = (picture) => {
  const { view, details } = picture;
  const past = details.earlierSales && quantityOf(details.earlierSales.stores);
  const now = details.sales && quantityOf(details.sales.stores);
  card("sold", picture, {
    kind: "sales",
    now: now === undefined ? "—" : number(now),
    previous: past === undefined ? undefined : number(past),
    difference: change(now, past),
    more: [h("p", { class: "more" }, link(listSearch(view, { name: "vendas" }), "Ver vendas"))],
  });
};

/** The days that are compared. @param {View} view */
const comparedText = (view) => {
  const earlier = earlierDays(view);
  if (isFuture(view)) return "Este período ainda não começou.";
  if (!earlier) return "";
  const until = isToday(view) ? `, até as ${view.clock.hour + 1}h` : "";
  return `Em comparação com ${days(earlier)}${until}`;
};

/**
 * @param {Picture} picture
 * @param {(id: string) => string} nameOf the name of a unit, or of all if the id is empty
 * @param {boolean} isLimited whether the user may read some units only
 */
export const showTotals = (picture, nameOf, isLimited) => {
  const { view } = picture;
  byId("title").textContent = days(elapsedDays(view));
  byId("of-unit").textContent = nameOf(view.unit);
  byId("compared").textContent = comparedText(view);
  showRevenue(picture, isLimited);
  showVisits(picture);
  showSold(picture);
  const store = isStore(picture);
  for (const id of ["visits", "ticket", "sent"]) toggleCard(id, !store);
  toggleCard("sold", store);
};
