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
  "sync-transacoes": "Buscar as visitas",
  "send-receber": "Enviar recebimentos ao ERP",
  "send-pagar": "Enviar pagamentos ao salão",
};

const isInvalid = (/** @type {string | null} */ at) => at !== null && Number.isNaN(Date.parse(at));

/** @param {Job} job @param {number} passed seconds since it was told @returns {[how: "well" | "late" | "bad", said: string]} */
const stateOf = (job, passed) => {
  const { ultimo_sucesso, ultima_falha, em_andamento_desde, atraso_segundos } = job;
  if (isInvalid(ultimo_sucesso) || isInvalid(ultima_falha)) return ["late", "Data inválida"];
  if (ultimo_sucesso === null && ultima_falha === null)
    return em_andamento_desde ? ["well", "Rodando pela primeira vez"] : ["late", "Nunca rodou"];
  if (
    ultimo_sucesso === null ||
    (ultima_falha !== null && Date.parse(ultima_falha) > Date.parse(ultimo_sucesso))
  )
    return ["bad", "Falhou na última vez"];
  if ((atraso_segundos ?? 0) + passed > LATE_SECONDS) return ["late", "Atrasado"];
  return ["well", em_andamento_desde ? "Rodando agora" : "Em dia"];
};

const orNever = (/** @type {string | null} */ at) => (at === null ? "nunca" : instant(at));

const UNTOLD = "O serviço não respondeu a esta pergunta.";

/** @param {Job[]} jobs @param {number} passed */
const jobTable = (jobs, passed) =>
  table(
    "Trabalhos que mantêm os dados em dia",
    ["Trabalho", "Situação", "Último sucesso", "Última falha"],
    jobs.map((job) => {
      const [how, said] = stateOf(job, passed);
      const [seconds, ours] = [job.atraso_segundos, NAMES[job.job_name]];
      return [
        ours ? named(ours, { more: job.job_name }) : named(job.job_name),
        h("span", { class: `state ${how}` }, said),
        h(
          "span",
          {},
          orNever(job.ultimo_sucesso),
          ...(seconds === null || isInvalid(job.ultimo_sucesso)
            ? []
            : [h("span", { class: "more" }, ago(seconds + passed))]),
        ),
        orNever(job.ultima_falha),
      ];
    }),
    "Nenhum trabalho.",
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
      `Nas últimas 24 horas: ${counted(lastDay.concluidos, "concluído", "concluídos")}, ${counted(lastDay.falhados, "com falha", "com falha")}.`,
    ),
  ]);
  drawPart("catalogue", () => [
    table(
      "Catálogo de produtos por unidade",
      ["Unidade", "Sincronizado"],
      (freshness?.catalogo ?? []).map((unit) => [
        named(nameOf(unit.estabelecimento_id)),
        instant(unit.synced_at),
      ]),
      freshness ? "Nenhuma unidade tem produtos." : UNTOLD,
    ),
  ]);
};
