// How fresh the data is, and whether the jobs run.
import { byId } from "../session.js";
import { ago, counted, instant } from "./format.js";
import { h, named, table } from "./table.js";
import { REASONS } from "./words.js";

/**
 * @typedef {import("../../v1/frescor/schemas.ts").Frescor} Freshness
 * @typedef {Freshness["data"][number]} Job
 */

/** Jobs run once an hour: after two hours without a success one has been missed. */
const LATE_SECONDS = 2 * 3600;

/** @type {Record<string, string>} */
const NAMES = {
  "sync-transacoes": "Importação dos atendimentos",
  "send-receber": "Envio dos recebimentos ao ERP",
  "send-pagar": "Envio dos pagamentos ao sistema do salão",
};

const isInvalid = (/** @type {string | null} */ at) => at !== null && Number.isNaN(Date.parse(at));

/** @param {Job} job @param {number} passed seconds since it was told @returns {[how: "well" | "late" | "bad", said: string]} */
const stateOf = (job, passed) => {
  const { ultimo_sucesso, ultima_falha, em_andamento_desde, atraso_segundos } = job;
  if (isInvalid(ultimo_sucesso) || isInvalid(ultima_falha)) return ["late", "Data inválida"];
  if (ultimo_sucesso === null && ultima_falha === null)
    return em_andamento_desde ? ["well", "Primeira execução em andamento"] : ["late", "Nunca executada"];
  if (
    ultimo_sucesso === null ||
    (ultima_falha !== null && Date.parse(ultima_falha) > Date.parse(ultimo_sucesso))
  )
    return ["bad", "Falhou na última execução"];
  if ((atraso_segundos ?? 0) + passed > LATE_SECONDS) return ["late", "Atrasada"];
  return ["well", em_andamento_desde ? "Em execução" : "Em dia"];
};

const orNone = (/** @type {string | null} */ at) => (at === null ? "nenhuma" : instant(at));

const UNTOLD = "Não foi possível carregar esta informação.";

/** @param {Job[]} jobs @param {number} passed */
const jobTable = (jobs, passed) =>
  table(
    "Rotinas que atualizam os dados",
    ["Rotina", "Situação", "Última execução com sucesso", "Última falha"],
    jobs.map((job) => {
      const [how, said] = stateOf(job, passed);
      const [seconds, ours] = [job.atraso_segundos, NAMES[job.job_name]];
      return [
        ours ? named(ours, { more: job.job_name }) : named(job.job_name),
        h("span", { class: `state ${how}` }, said),
        h(
          "span",
          {},
          orNone(job.ultimo_sucesso),
          ...(seconds === null || isInvalid(job.ultimo_sucesso)
            ? []
            : [h("span", { class: "more" }, ago(seconds + passed))]),
        ),
        orNone(job.ultima_falha),
      ];
    }),
    "Nenhuma rotina.",
  );

/** Draws a part, or says that it could not be understood: the rest of the page stays. @param {string} id @param {() => Node[]} draw */
const drawPart = (id, draw) => {
  try {
    byId(id).replaceChildren(...draw());
  } catch {
    byId(id).replaceChildren(h("p", { class: "nothing" }, REASONS.unreadable));
  }
};

/**
 * @param {Freshness | undefined} freshness as far as it was told
 * @param {{ concluidos: number, falhados: number }} lastDay
 * @param {number} passed seconds since it was told: a delay grows while nothing else changes
 * @param {(id: string) => string} nameOf a unit
 */
export const showFreshness = (freshness, lastDay, passed, nameOf) => {
  drawPart("jobs", () => [
    freshness ? jobTable(freshness.data, passed) : h("p", { class: "nothing" }, UNTOLD),
    h(
      "p",
      { class: "more" },
      `Nas últimas 24 horas: ${counted(lastDay.concluidos, "execução concluída", "execuções concluídas")}, ${counted(lastDay.falhados, "execução com falha", "execuções com falha")}.`,
    ),
  ]);
  drawPart("catalogue", () => [
    table(
      "Catálogo de produtos por unidade",
      ["Unidade", "Última sincronização"],
      (freshness?.catalogo ?? []).map((unit) => [
        named(nameOf(unit.estabelecimento_id)),
        instant(unit.synced_at),
      ]),
      freshness ? "Nenhuma unidade com produtos cadastrados." : UNTOLD,
    ),
  ]);
};
