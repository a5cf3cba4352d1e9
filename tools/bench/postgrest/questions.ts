import { YEAR } from "../routes.ts";

/** The same query as a request to each API. */
export interface ComparedRequest {
  name: string;
  ours: string;
  theirs: string;
  /** Headers for PostgREST, for example to request a count or a single object. */
  headers?: Record<string, string>;
  /** Fields left out of the comparison. */
  without?: string[];
  /** Maximum ratio to PostgREST: `latency` in the largest warehouse, `cpu` (of Postgres) in every warehouse. */
  latency?: number;
  cpu?: number;
}

const BEFORE = ["salon_id", "estabelecimento_id", "total", "data_hora", "cliente_salon_id", "cliente_nome"];
const PAID = ["forma_pagamento_principal", "valor_pagamento", "parcelas", "qtd_servicos"];
const visitWith = (services: string) => [...BEFORE, ...PAID, services, "sent_to_erp", "synced_at"].join();
const detailWith = (services: string) => `id,${visitWith(services)},erp_recebimento_id,sent_at,raw_data`;
const ENRICHED = "servicos";
const AS_STORED = "servicos:servicos_da_origem";
const LOOKED_UP = ["profissional_nome", "erp_centro_custo_id"];

const ENTRY = "id,salon_id,estabelecimento_id,synced_at,sent_to_salon,sent_at";

const COUNTED = { prefer: "count=exact" };
export const CSV = { ...COUNTED, accept: "text/csv" };
const ONE = { accept: "application/vnd.pgrst.object+json" };
const LATEST = "order=data_hora.desc,id.desc&limit=50";
/** Maximum ratio of Postgres CPU for a page or a record. */
const CPU = 1.3;

export const comparedRequests = (visits: number): ComparedRequest[] => {
  const deep = Math.min(10_000, Math.floor(visits / 200));
  // There are four entries per ten visits. This is the middle entry.
  const middle = Math.floor(visits * 0.2);
  const year = new URLSearchParams(Object.entries(YEAR));
  const ofUnit = (services: string) =>
    `/transacoes?select=${visitWith(services)}&estabelecimento_id=eq.103&${LATEST}`;
  const oneVisit = (services: string) => `/transacoes?select=${detailWith(services)}&salon_id=eq.T777`;
  const entriesAfter = (size: number): ComparedRequest => ({
    name: `page of ${size} entries by cursor`,
    ours: `/v1/lancamentos?after_id=${middle}&per_page=${size}`,
    theirs: `/lancamentos?id=gt.${middle}&order=id.asc&limit=${size}`,
    cpu: CPU,
  });
  const fieldsOf = (size: number, as: string, headers = COUNTED): ComparedRequest => ({
    name: `${size} entries without raw_data, with their count, as ${as}`,
    ours: `/v1/lancamentos?per_page=${size}&campos=${ENTRY}${headers === CSV ? "&formato=csv" : ""}`,
    theirs: `/lancamentos?select=${ENTRY}&order=id.desc&limit=${size}`,
    headers,
    cpu: CPU,
  });
  return [
    {
      name: "visits of a unit, with their count",
      ours: "/v1/transacoes?estabelecimento_id=103",
      theirs: ofUnit(ENRICHED),
      headers: COUNTED,
      latency: 1 / 5,
      cpu: CPU,
    },
    {
      name: "visits of a unit, with their count, services as stored",
      ours: "/v1/transacoes?estabelecimento_id=103",
      theirs: ofUnit(AS_STORED),
      headers: COUNTED,
      without: LOOKED_UP,
    },
    {
      name: "entries, with their count",
      ours: "/v1/lancamentos",
      theirs: "/lancamentos?order=id.desc&limit=50",
      headers: COUNTED,
      latency: 1 / 5,
      cpu: CPU,
    },
    {
      // With lookups, Postgres would also run them for every skipped row, which takes seconds. So read them as
      // stored.
      name: `page ${deep} of visits, with their count, services as stored`,
      ours: `/v1/transacoes?page=${deep}`,
      theirs: `/transacoes?select=${visitWith(AS_STORED)}&${LATEST}&offset=${(deep - 1) * 50}`,
      headers: COUNTED,
      without: LOOKED_UP,
      latency: 1 / 25,
    },
    entriesAfter(50),
    entriesAfter(200),
    fieldsOf(50, "JSON"),
    fieldsOf(200, "JSON"),
    fieldsOf(50, "CSV", CSV),
    fieldsOf(200, "CSV", CSV),
    {
      name: "one visit",
      ours: "/v1/transacoes/T777",
      theirs: oneVisit(ENRICHED),
      headers: ONE,
      cpu: CPU,
    },
    {
      name: "one visit, services as stored",
      ours: "/v1/transacoes/T777",
      theirs: oneVisit(AS_STORED),
      headers: ONE,
      without: LOOKED_UP,
    },
    {
      name: "one entry",
      ours: "/v1/lancamentos/L777",
      theirs: "/lancamentos?salon_id=eq.L777",
      headers: ONE,
      cpu: CPU,
    },
    {
      name: "payment forms of a year",
      ours: `/v1/relatorios/transacoes-por-forma-pagamento?${year}`,
      theirs: `/rpc/transacoes_por_forma_pagamento?${year}`,
      latency: 1 / 50,
    },
  ];
};
