import { quantile } from "../results.ts";
import { type Answer, askSteadily, type Client } from "./client.ts";
import type { Service } from "./service.ts";

export const PER_SECOND = 20;
/** Readers get new tokens before the old ones expire. */
const NEW_TOKENS_EVERY_MS = 600_000;

const PATHS = [
  "/v1/transacoes?per_page=20",
  "/v1/transacoes?estabelecimento_id=103&page=7",
  "/v1/transacoes?data_inicio=2026-01-01T00:00:00-03:00&data_fim=2026-06-30T23:59:59-03:00",
  "/v1/lancamentos?after_id=0&per_page=100",
  "/v1/lancamentos?sent_to_salon=false",
  "/v1/pagamentos-erp?situacao=1&per_page=10",
  "/v1/vendas-produto?origem=loja",
  "/v1/produtos?nome=shampoo",
  "/v1/profissionais",
  "/v1/jobs-log?status=failed",
  "/v1/relatorios/resumo",
  "/v1/relatorios/transacoes-por-profissional",
  "/v1/relatorios/transacoes-por-forma-pagamento?estabelecimento_id=102",
  "/v1/transacoes/T77",
  "/v1/lancamentos/none",
  "/v1/transacoes?per_page=0",
  "/auth/me",
  "/health",
  "/llms.txt",
];

/** Sends requests of a hundred users at a steady rate, however long the answers take. */
export const startTraffic = async (client: Client, service: Service) => {
  let readers = await service.readers();
  let renewed = Promise.resolve();
  const renewing = setInterval(() => {
    renewed = service.readers().then((tokens) => {
      readers = tokens;
    });
  }, NEW_TOKENS_EVERY_MS);
  let n = 0;
  const { answers, end } = askSteadily(PER_SECOND, () => {
    const path = PATHS[n % PATHS.length] ?? "/health";
    const Authorization = readers[n % readers.length] ?? "";
    n += 1;
    return client.ask(path, { headers: { Authorization } });
  });
  return {
    answers,
    end: async () => {
      clearInterval(renewing);
      await Promise.all([end(), renewed]);
    },
  };
};

/** A session that renews, signs out and signs in again. */
export const startSession = async (client: Client) => {
  let tokens = await client.signIn();
  let renewals = 0;
  return {
    tokens: () => tokens,
    renewals: () => renewals,
    renew: async () => {
      tokens = await client.refresh(tokens);
      renewals += 1;
      if (renewals % 4 > 0) return;
      const { status, body } = await client.logout(tokens);
      if (status !== 200) throw new Error(`the logout answered ${status} ${body}`);
      tokens = await client.signIn();
    },
  };
};

/** A time span by this process's clock, in ms. */
export interface Span {
  from: number;
  to: number;
}

/**
 * The p99 duration in ms of the answers within a span.
 * @param busy spans in which the drill itself was working; answers that overlap them are excluded
 */
export const p99 = (answers: Answer[], { from, to }: Span, busy: Span[]): number => {
  const quiet = answers.filter(
    ({ at, ms }) => at >= from && at + ms <= to && !busy.some((span) => at < span.to && at + ms > span.from),
  );
  return quantile(
    quiet.map(({ ms }) => ms),
    0.99,
  );
};
