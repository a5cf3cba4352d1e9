import type { z } from "@hono/zod-openapi";
import { dateRange, queryOf } from "../../http/params.ts";
import { record } from "../fields.ts";
import { unit } from "../parameters.ts";
import { transacoes } from "../transacoes/table.ts";
import { count } from "./fields.ts";

export const Clientes = record("Clientes", {
  clientes: count("Number of clients with a visit in the range", 420),
  novos: count("Number of these clients whose first visit is in the range", 60),
  recorrentes: count("Number of these clients with a visit before the range", 360),
  visitas: count("Number of visits in the range, with and without a client", 700),
  visitas_sem_cliente: count("Number of these visits that name no client", 35),
});
export type Clientes = z.output<typeof Clientes>;

export const ClientesFilters = queryOf({
  ...dateRange("data_hora", ". Send both ends, or `periodo`: at most 400 days in Brasília"),
  estabelecimento_id: unit("visits", [transacoes.estabelecimento_id], ", also for a client's first visit"),
}).refine(
  // A value that failed validation counts as given.
  (q) => "periodo" in q || ("data_inicio" in q && "data_fim" in q),
  {
    path: ["data_inicio"],
    message: "and `data_fim` are required, or `periodo`, for a range of at most 400 days",
    when: () => true,
  },
);
export type ClientesFilters = z.output<typeof ClientesFilters>;
