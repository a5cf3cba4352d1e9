import type { Context } from "hono";
import { fechamentosRoutes } from "../../api/v1/fechamentos/routes.ts";
import { frescorRoutes } from "../../api/v1/frescor/routes.ts";
import { relatoriosRoutes } from "../../api/v1/relatorios/routes.ts";
import { type AppEnv, TIME_BUDGET_MS, WATCH_USER } from "../../core/context.ts";
import { UNRESTRICTED } from "../../core/rights.ts";
import { settingsOf } from "../../core/settings.ts";
import { openDatabase } from "../../platform/db/connect.ts";
import { inProcessRoutes } from "../../platform/http/in-process.ts";
import { createRouter } from "../../platform/http/router.ts";

const ROUTES = inProcessRoutes(
  createRouter()
    .route("/v1/relatorios", relatoriosRoutes)
    .route("/v1/fechamentos", fechamentosRoutes)
    .route("/v1/frescor", frescorRoutes),
);

const CALLER = {
  id: WATCH_USER,
  identity: "watch",
  profile: undefined,
  family: undefined,
  rights: UNRESTRICTED,
};

/**
 * Asks a report in process, as of an instant and with all rights. Nothing is counted, logged or recorded: the answer
 * is for the operator's own message.
 * @param path with its query, such as `/v1/relatorios/visitas?medidas=pendentes` @param at epoch milliseconds
 * @param deadline epoch milliseconds, of the present
 * @returns the body as Postgres wrote it
 * @throws Refusal 400 for an invalid query or an unknown unit, 503 if the database does not answer; any error of a bug
 */
export const askReport = async (
  env: Env,
  at: number,
  path: string,
  deadline = Date.now() + TIME_BUDGET_MS,
): Promise<string> => {
  const settings = settingsOf(env);
  const db = openDatabase(settings.DATABASE_URL, { deadline, recordDuration: () => undefined });
  let error: Error | undefined;
  const call = {
    variables: { requestId: crypto.randomUUID(), settings, now: at, deadline, caller: CALLER, db },
    onEnd: (c: Context<AppEnv>) => {
      error = c.error;
    },
  };
  // A value that exists nowhere is an error, not a zero.
  const headers = { Prefer: "handling=strict" };
  const response = await ROUTES.request(path, { headers }, { ...env, call });
  if (error) throw error;
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  return response.text();
};
