// Draws the heading and the totals of the panel.

import { byId } from "../session.js";
import { fill, toggleCard } from "./card.js";
import { average, change, clockTime, counted, days, money, number, points, share } from "./format.js";
import { listSearch } from "./links.js";
import { hasStores, isComparable, isStore } from "./picture.js";
import { comparisonOf } from "./ranges.js";
import { productsOf, quantityOf } from "./revenue.js";
import { entry, h, link, signOf } from "./table.js";
import { dayOf, elapsedDays, isFuture } from "./view.js";

/**
 * @typedef {import("../../src/v1/relatorios/schemas.ts").Resumo} Summary
 * @typedef {import("./view.js").View} View
 * @typedef {import("./answers.js").Picture} Picture
 * @typedef {import("./table.js").Child} Child
 */

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
  const hasEarlier = comparisonOf(picture.view) !== undefined && !isFuture(picture.view);
  fill(
    id,
    sized("figure", now, now),
    ...more,
    ...(hasEarlier
      ? [h("p", { class: "before" }, ...(difference && isFair ? [arrow, " "] : []), h("span", {}, before))]
      : []),
  );
};

/** What Faturamento consists of. @param {Picture} picture @param {boolean} isLimited whether the user may read some units only */
const partsOf = (picture, isLimited) => {
  const { view, details } = picture;
  if (!details.sales) return [];
  const { revenue, lines } = details.sales;
  const stores = productsOf(details.sales, "loja");
  // A salon has no sales of stores.
  const maySell = isStore(picture) || (view.unit === "" && !isLimited) || stores !== 0;
  const part = (/** @type {string} */ name, /** @type {number} */ amount) => entry(name, money(amount));
  const ofSalons = [
    part("Serviços", revenue.totais.valor_servicos),
    part("Produtos nos salões", productsOf(details.sales, "salao")),
  ];
  return [
    h(
      "dl",
      { class: "parts" },
      ...(isStore(picture) ? [] : ofSalons),
      ...(maySell ? [part("Produtos nas lojas", stores)] : []),
    ),
    h(
      "p",
      { class: "more" },
      `Fora do faturamento: produtos retirados por profissionais, ${money(lines.totais.valor_profissional)}`,
    ),
  ];
};

/** @param {Picture} picture @param {boolean} isLimited */
const showRevenue = (picture, isLimited) => {
  const totals = picture.details.sales?.revenue.totais;
  const past = totals?.anterior?.valor_total;
  card("value", picture, {
    kind: isStore(picture) || picture.panel.resumo.transacoes.total === 0 ? "sales" : "visits",
    now: totals ? money(totals.valor_total) : "—",
    previous: past === undefined ? undefined : money(past),
    difference: change(totals?.valor_total, past),
  });
  byId("value-parts").replaceChildren(...partsOf(picture, isLimited));
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
  const past = panel.resumo.anterior?.transacoes;
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
  const { view, panel, details } = picture;
  const lines = details.sales?.lines.data.filter(({ origem }) => origem === "loja");
  const now = lines && quantityOf(lines);
  const past =
    lines && panel.resumo.anterior ? quantityOf(lines.flatMap(({ anterior }) => anterior ?? [])) : undefined;
  card("sold", picture, {
    kind: "sales",
    now: now === undefined ? "—" : number(now),
    previous: past === undefined ? undefined : number(past),
    difference: change(now, past),
    more: [h("p", { class: "more" }, link(listSearch(view, { name: "vendas" }), "Ver vendas"))],
  });
};

/** What the period is compared with: the range that the service chose. @param {Picture} picture */
const comparedText = ({ view, panel }) => {
  const { anterior } = panel.resumo;
  if (isFuture(view)) return "Este período ainda não começou.";
  if (!anterior) return "";
  const [from, to] = [dayOf(Date.parse(anterior.inicio)), dayOf(Date.parse(anterior.fim))];
  const next = Date.parse(anterior.fim) + 1;
  // If the period is not over, the earlier one ends at the same time of its last day.
  const until = dayOf(next) === to ? `, até as ${clockTime(next)}` : "";
  return `Em comparação com ${days({ from, to })}${until}`;
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
  byId("compared").textContent = comparedText(picture);
  showRevenue(picture, isLimited);
  showVisits(picture);
  showSold(picture);
  const store = isStore(picture);
  for (const id of ["visits", "ticket", "sent"]) toggleCard(id, !store);
  toggleCard("sold", store);
};
