import type { Target } from "./targets.ts";

/** Sends a GET request to a target. @throws if the status is not 2xx */
export const answerOf = async (target: Target, path: string): Promise<{ body: string; headers: Headers }> => {
  const response = await fetch(`${target.url}${path}`, {
    headers: { ...target.headers, Authorization: target.authorizations[0] ?? "" },
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${body.slice(0, 200)}`);
  return { body, headers: response.headers };
};

export const get = async (target: Target, path: string): Promise<string> =>
  (await answerOf(target, path)).body;

/** Normalizes a value for comparison: timestamps to UTC ISO strings, object keys in alphabetical order. */
export const canonical = (value: unknown): unknown => {
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) return new Date(value).toISOString();
  if (Array.isArray(value)) return value.map(canonical);
  if (value === null || typeof value !== "object") return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, part]) => [key, canonical(part)]));
};

export const ENDPOINTS = [
  "/v1/transacoes?estabelecimento_id=103&per_page=200",
  "/v1/transacoes/T777",
  "/v1/lancamentos?sent_to_salon=false&page=2",
  "/v1/lancamentos?after_id=100",
  "/v1/lancamentos/L777",
  "/v1/pagamentos-erp?situacao=1",
  "/v1/pagamentos-erp/900300",
  "/v1/profissionais",
  "/v1/profissionais/7",
  "/v1/estabelecimentos",
  "/v1/estabelecimentos/3",
  "/v1/produtos?estabelecimento_id=101",
  "/v1/vendas-produto?origem=loja",
  "/v1/jobs-log?status=failed",
  "/v1/relatorios/resumo?data_inicio=2025-01-01T10:00:00-03:00&data_fim=2025-12-31T23:59:59-03:00",
  "/v1/relatorios/transacoes-por-profissional?data_inicio=2026-01-01T10:00:00-03:00",
  "/v1/relatorios/transacoes-por-forma-pagamento?data_inicio=2026-01-01T10:00:00-03:00",
];
