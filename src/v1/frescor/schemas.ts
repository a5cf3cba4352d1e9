import { z } from "@hono/zod-openapi";
import { instant, int, record, string } from "../fields.ts";
import { JOB_NAMES } from "../jobs-log/table.ts";

export const JobFrescor = record("JobFrescor", {
  job_name: z.enum(JOB_NAMES).openapi({ example: "sync-transacoes" }),
  ultimo_sucesso: instant()
    .nullable()
    .openapi({ description: "Latest `completed` of its history; `null` if there is none" }),
  ultima_falha: instant("2026-11-20T12:00:00+00:00")
    .nullable()
    .openapi({ description: "Latest `failed` of its history; `null` if there is none" }),
  em_andamento_desde: instant().nullable().openapi({
    description: "When the run began that has not ended: the latest entry of its history is `started`",
    example: null,
  }),
  atraso_segundos: int(
    1800,
    "Whole seconds since `ultimo_sucesso`, as of this answer. The `ETag` leaves it out: it grows while nothing happens",
  ).nullable(),
});

export const CatalogoFrescor = record("CatalogoFrescor", {
  estabelecimento_id: string("101"),
  synced_at: instant("2026-11-15T08:00:40+00:00").openapi({
    description: "Newest `synced_at` of the unit's products",
  }),
});

export const Frescor = record("Frescor", {
  data: z
    .array(JobFrescor)
    .openapi({ description: "One row for each of the three jobs, whether it ever ran or not" }),
  catalogo: z
    .array(CatalogoFrescor)
    .openapi({ description: "One row for each business unit that has products" }),
});
export type Frescor = z.output<typeof Frescor>;
