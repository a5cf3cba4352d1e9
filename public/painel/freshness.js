// The age of the data and the state of the jobs.
import { byId } from "../session.js";
import { ago, counted, instant, shortAgo, time } from "./format.js";
import { h, named, table } from "./table.js";
import { NOT_LOADED, REASONS } from "./words.js";

/**
 * @typedef {import("../../src/v1/frescor/schemas.ts").Frescor} Freshness
 * @typedef {Freshness["data"][number]} Job
 */

/** Jobs run once an hour: after two hours without a success, a run is missing. */
const LATE_SECONDS = 2 * 3600;

/** @type {Record<string, string>} */
const NAMES = {
  "sync-transacoes": "Importação dos atendimentos",
  "send-receber": "Envio dos recebimentos ao ERP",
  "send-pagar": "Envio dos pagamentos ao sistema do salão",
};

const isInvalid = (/** @type {string | null} */ at) => at !== null && Number.isNaN(Date.parse(at));

/** @param {Job} job @param {number} elapsed seconds since the response @returns {[state: "well" | "late" | "bad", label: string]} */
const stateOf = (job, elapsed) => {
  const { ultimo_sucesso, ultima_falha, em_andamento_desde, atraso_segundos } = job;
  if (isInvalid(ultimo_sucesso) || isInvalid(ultima_falha)) return ["late", "Data inválida"];
  if (ultimo_sucesso === null && ultima_falha === null)
    return em_andamento_desde ? ["well", "Primeira execução em andamento"] : ["late", "Nunca executada"];
  if (
    ultimo_sucesso === null ||
    (ultima_falha !== null && Date.parse(ultima_falha) > Date.parse(ultimo_sucesso))
  )
    return ["bad", "Falhou na última execução"];
  if ((atraso_segundos ?? 0) + elapsed > LATE_SECONDS) return ["late", "Atrasada"];
  return ["well", em_andamento_desde ? "Em execução" : "Em dia"];
};

const orNone = (/** @type {string | null} */ at) => (at === null ? "nenhuma" : instant(at));

/** @param {Job[]} jobs @param {number} elapsed */
const jobTable = (jobs, elapsed) =>
  table(
    "Rotinas que atualizam os dados",
    ["Rotina", "Situação", "Última execução com sucesso", "Última falha"],
    jobs.map((job) => {
      const [state, label] = stateOf(job, elapsed);
      const [seconds, title] = [job.atraso_segundos, NAMES[job.job_name]];
      return [
        title ? named(title, { more: job.job_name }) : named(job.job_name),
        h("span", { class: `state ${state}` }, label),
        h(
          "span",
          {},
          orNone(job.ultimo_sucesso),
          ...(seconds === null || isInvalid(job.ultimo_sucesso)
            ? []
            : [h("span", { class: "more" }, ago(seconds + elapsed))]),
        ),
        orNone(job.ultima_falha),
      ];
    }),
    { empty: "Nenhuma rotina cadastrada." },
  );

/** The age of the visits and sales, as the first line of the page. @param {Job[]} jobs @param {number} elapsed @returns {string} */
const ageText = (jobs, elapsed) => {
  const { ultimo_sucesso: at, atraso_segundos: seconds } =
    jobs.find((job) => job.job_name === "sync-transacoes") ?? {};
  if (!at || isInvalid(at)) return "Hora dos dados desconhecida";
  return `Dados até ${time(new Date(at))} (${shortAgo((seconds ?? 0) + elapsed)})`;
};

/** A sentence for each job that is late or has failed. @param {Job[]} jobs @param {number} elapsed */
const warningsOf = (jobs, elapsed) =>
  jobs.flatMap((job) => {
    const [state, label] = stateOf(job, elapsed);
    if (state === "well") return [];
    const { ultimo_sucesso: at, atraso_segundos: seconds } = job;
    const last = at && !isInvalid(at) ? ` Último sucesso ${ago((seconds ?? 0) + elapsed)}.` : "";
    return [`${NAMES[job.job_name] ?? job.job_name}: ${label.toLowerCase()}.${last}`];
  });

/** @param {Freshness | undefined} freshness @param {number} elapsed seconds since the response */
export const showAge = (freshness, elapsed) => {
  const jobs = freshness?.data;
  byId("data-age").textContent = jobs ? ageText(jobs, elapsed) : "Hora dos dados indisponível";
  const warnings = jobs ? warningsOf(jobs, elapsed) : [];
  const text = warnings.join(" ");
  if (byId("stale").textContent !== text) byId("stale").textContent = text;
  byId("stale").hidden = warnings.length === 0;
};

/** Draws a part; on failure, shows a message there and keeps the rest of the page. @param {string} id @param {() => Node[]} draw */
const drawPart = (id, draw) => {
  try {
    const parts = draw();
    // An unchanged table keeps its opened rows.
    if (byId(id).textContent !== parts.map((part) => part.textContent).join(""))
      byId(id).replaceChildren(...parts);
  } catch {
    byId(id).replaceChildren(h("p", { class: "nothing" }, REASONS.unreadable));
  }
};

/** The cell of an instant in a file. @param {string | null} at */
const instantCell = (at) => (at === null || isInvalid(at) ? at : new Date(at));

/** @param {Job[]} jobs @returns {import("./sheet.js").Sheet} */
const jobSheet = (jobs) => ({
  name: "rotinas",
  columns: ["Rotina", "Última execução com sucesso", "Última falha"],
  rows: jobs.map((job) => [job.job_name, instantCell(job.ultimo_sucesso), instantCell(job.ultima_falha)]),
});

/** @param {Freshness["catalogo"]} units @param {(id: string) => string} nameOf @returns {import("./sheet.js").Sheet} */
const catalogueSheet = (units, nameOf) => ({
  name: "catalogo-de-produtos",
  columns: ["Unidade", "Última sincronização"],
  rows: units.map((unit) => [nameOf(unit.estabelecimento_id), instantCell(unit.synced_at)]),
});

/**
 * @param {Freshness | undefined} freshness undefined if it failed to load
 * @param {{ concluidos: number, falhados: number }} lastDay
 * @param {number} elapsed seconds since the response, added to the delays
 * @param {(id: string) => string} nameOf the name of a unit
 * @param {import("./download.js").Offer} offer
 */
export const showFreshness = (freshness, lastDay, elapsed, nameOf, offer) => {
  drawPart("jobs", () => {
    offer("jobs", freshness && jobSheet(freshness.data));
    return [
      freshness ? jobTable(freshness.data, elapsed) : h("p", { class: "nothing" }, NOT_LOADED),
      h(
        "p",
        { class: "more" },
        `Nas últimas 24 horas: ${counted(lastDay.concluidos, "execução concluída", "execuções concluídas")}, ${counted(lastDay.falhados, "execução com falha", "execuções com falha")}.`,
      ),
    ];
  });
  drawPart("catalogue", () => {
    offer("catalogue", freshness && catalogueSheet(freshness.catalogo, nameOf));
    return [
      table(
        "Catálogo de produtos por unidade",
        ["Unidade", "Última sincronização"],
        (freshness?.catalogo ?? []).map((unit) => [
          named(nameOf(unit.estabelecimento_id)),
          instant(unit.synced_at),
        ]),
        { empty: freshness ? "Nenhuma unidade com produtos cadastrados." : NOT_LOADED },
      ),
    ];
  });
};
