// The cards that are requested apart from the panel: what each asks, and when it is shown.
import { showClients, showHours, showProduction, showServices, showUnmapped } from "./card-tables.js";
import { chosenCentre, showPayments } from "./payments.js";
import { isStore } from "./picture.js";
import { comparedRangeOf, isToday, paymentRanges, rangeOf, stepOf } from "./ranges.js";
import { reportPath, rowsPath } from "./reports.js";
import { addDays, dayCount, elapsedDays } from "./view.js";

/**
 * @typedef {import("./cards.js").Context} Context
 * @typedef {object} Card
 * @property {string} id of the element that it fills
 * @property {(context: Context) => boolean} isShown whether the view has this card, and the user may see it
 * @property {(context: Context) => string[]} pathsOf
 * @property {string[]} fields lists and objects that each body must have
 * @property {(context: Context) => string | undefined} fileOf what `Baixar` downloads; undefined if `show` offers a table
 * @property {string} [file] the name of the download, if it is not the report's
 * @property {(bodies: any, context: Context) => void} show
 */

/** A longer range has no counts of clients. */
const MAX_CLIENT_DAYS = 400;

const hasVisits = (/** @type {Context} */ { picture }) => !isStore(picture);

/** The questions of the cards, of one row for each `por`. */
const PRODUCTION = {
  por: "unidade,profissional",
  medidas: "servicos,cortesias,valor_total",
  ordem: "-valor_total",
};
const SERVICES = { ...PRODUCTION, por: "servico", limite: "200" };
const HOURS = { por: "dia_semana,hora", medidas: "visitas,valor_total" };
const PAYMENTS = {
  situacao: "1",
  por: "centro_custo",
  medidas: "pendentes,valor_pendente,vencidos,valor_vencido",
  ordem: "-valor_pendente",
};
const CLIENTS = { medidas: "visitas,clientes,clientes_novos" };
/** No visit is dated after 2200. So this leaves out only the visits that name no client. */
const NAMED = { por: "cliente", medidas: "visitas", sem_visita_desde: "2200-01-01T00:00:00Z", limite: "1" };

/** All rows in the period. @param {string} name @param {Record<string, string>} question @returns {(context: Context) => string} */
const rowsOf =
  (name, question) =>
  ({ picture }) =>
    rowsPath(name, { ...rangeOf(picture.view), ...question });

/** The same rows as a file. @param {string} name @param {Record<string, string>} question @returns {(context: Context) => string} */
const fileOf =
  (name, question) =>
  ({ picture }) =>
    reportPath(name, { ...rangeOf(picture.view), ...question });

/** Without the right to personal data, clients are counted only in whole months, of which the last may end today. @param {Context} context */
const mayCountClients = ({ picture: { view }, rights }) => {
  const { from, to } = elapsedDays(view);
  const endsMonth = addDays(to, 1).endsWith("-01") || to === view.clock.today;
  return (rights?.personalData ?? false) || (from.endsWith("-01") && endsMonth && !isToday(view));
};

/** @param {Context} context */
const clientPaths = ({ picture, rights }) => {
  const range = rangeOf(picture.view);
  const ofClients = rights?.personalData ? [reportPath("visitas", { ...range, ...NAMED })] : [];
  return [reportPath("visitas", { ...range, ...CLIENTS }), ...ofClients];
};

/** @param {Context} context */
const paymentsFile = ({ picture: { view }, units }) => {
  const centre = chosenCentre(view, units);
  const { data_fim } = paymentRanges(view).due;
  const query = { situacao: "1", data_fim, ...(centre && { id_centro_custo: centre }) };
  return `/v1/pagamentos-erp?${new URLSearchParams(query)}`;
};

/** @type {Card[]} */
export const CARDS = [
  {
    id: "professionals",
    isShown: hasVisits,
    pathsOf: (context) => [rowsOf("servicos", PRODUCTION)(context)],
    fields: ["data", "totais"],
    fileOf: fileOf("servicos", PRODUCTION),
    file: "producao-por-profissional",
    show: showProduction,
  },
  {
    id: "services",
    isShown: hasVisits,
    pathsOf: ({ picture }) => [reportPath("servicos", { ...comparedRangeOf(picture.view), ...SERVICES })],
    fields: ["data"],
    fileOf: fileOf("servicos", SERVICES),
    show: showServices,
  },
  {
    id: "hours",
    isShown: (context) => hasVisits(context) && stepOf(context.picture.view) !== "hora",
    pathsOf: (context) => [rowsOf("visitas", HOURS)(context)],
    fields: ["data"],
    fileOf: fileOf("visitas", HOURS),
    file: "transacoes-por-horario",
    show: showHours,
  },
  {
    id: "clients",
    isShown: (context) =>
      hasVisits(context) &&
      dayCount(elapsedDays(context.picture.view)) <= MAX_CLIENT_DAYS &&
      mayCountClients(context),
    pathsOf: clientPaths,
    fields: ["totais"],
    fileOf: () => undefined,
    show: showClients,
  },
  {
    id: "payments",
    // A unit without a cost centre has no payments of its own.
    isShown: ({ picture, units, rights }) =>
      (rights?.payments ?? false) && chosenCentre(picture.view, units) !== null,
    pathsOf: ({ picture }) => {
      const { data_fim } = paymentRanges(picture.view).due;
      return [rowsPath("pagamentos", { data_fim, ...PAYMENTS })];
    },
    fields: ["data"],
    fileOf: paymentsFile,
    show: showPayments,
  },
  {
    id: "unmapped",
    isShown: hasVisits,
    pathsOf: ({ picture }) => [reportPath("nao-mapeados", rangeOf(picture.view))],
    fields: ["profissionais", "estabelecimentos"],
    fileOf: () => undefined,
    show: showUnmapped,
  },
];
