// Rows at the ends of ranges, and odd ones, for the tables of the tabs.
import { DAYS, shifted, today } from "./panel.ts";
import { all } from "./warehouse.ts";

const [FROM = "", TO = ""] = DAYS["mes-passado"] ?? [];
const inBrasilia = (day: string, time: string) => `${day}T${time}-03:00`;
/** Visits at both ends of the month, and services that lack a name, a number or a professional. */
const VISITS: [unit: string, total: number, at: string, client: string | null, services: unknown][] = [
  ["103", 90, inBrasilia(FROM, "00:00:00"), null, [{ nome: "Corte", valor: 50.05 }, { cortesia: true }]],
  [
    "103",
    10.1,
    inBrasilia(TO, "23:59:59.999999"),
    "tab-client",
    [
      { nome: "", valor: "7", idProfissionalQueRealizouServico: "5006" },
      7,
      { nome: "Corte", valor: 10.1, cortesia: true, idProfissionalQueRealizouServico: "tab-unknown" },
      { nome: "Corte", valor: 0.1, idProfissionalQueRealizouServico: 5006 },
    ],
  ],
  ["103", 1000, inBrasilia(shifted(TO, 1), "00:00:00"), "tab-client", [{ nome: "Corte", valor: 1000 }]],
  ["101", 5, inBrasilia(shifted(FROM, 3), "12:00:00"), "tab-other", null],
  // A unit that grew much, from less than leads an order by change.
  ["tab-unit", 5000, inBrasilia(FROM, "12:00:00"), null, null],
  ["tab-unit", 200, inBrasilia(shifted(FROM, -1), "12:00:00"), null, null],
  // A client of another salon: new in 103 only.
  ["101", 5, inBrasilia(shifted(FROM, -1), "23:59:59.999999"), "tab-client", [{ nome: "Corte", valor: 5 }]],
];
/** Payments at both ends of the ranges of due dates. */
const PAYMENTS: [centre: string | null, situacao: number, valor: number | null, due: string | null][] = [
  [null, 1, 10.1, shifted(today, -1)],
  ["tab-centre", 1, 20, today],
  ["7003", 1, 30.3, shifted(today, 29)],
  ["7003", 1, 999, shifted(today, 30)],
  ["7003", 2, 999, shifted(today, -1)],
  ["7003", 1, null, shifted(today, -365)],
  ["7003", 1, 7.7, null],
];

export const addOddRows = async () => {
  for (const [index, [unit, total, at, client, services]] of VISITS.entries())
    await all(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, servicos, raw_data)
       values ($1, $2, $3, $4, $5, $6, '{}')`,
      [`tab-${index}`, unit, total, at, client, JSON.stringify(services)],
    );
  for (const [index, payment] of PAYMENTS.entries())
    await all(
      `insert into pagamentos_erp (erp_id, id_centro_custo, situacao, valor, data_vencimento, descricao, raw_data)
       values ($1, $2, $3, $4, $5, 'tab', '{}')`,
      [880_000 + index, ...payment],
    );
};
export const removeOddRows = async () => {
  await all("delete from transacoes where salon_id like 'tab-%'");
  await all("delete from pagamentos_erp where descricao = 'tab'");
};
