import { z } from "@hono/zod-openapi";
import { day, instant, int, record, string } from "../fields.ts";
import { JOB_NAMES } from "../jobs-log/table.ts";

const JobFrescor = record("JobFrescor", {
  job_name: z.enum(JOB_NAMES).openapi({ example: "sync-transacoes" }),
  ultimo_sucesso: instant()
    .nullable()
    .openapi({ description: "Time of the latest `completed` row of the job; `null` if there is none" }),
  ultima_falha: instant("2026-11-20T12:00:00+00:00")
    .nullable()
    .openapi({ description: "Time of the latest `failed` row of the job; `null` if there is none" }),
  em_andamento_desde: instant().nullable().openapi({
    description: "Start of the current run: time of the job's latest row if that is `started`, else `null`",
    example: null,
  }),
  atraso_segundos: int(
    1800,
    "Seconds since `ultimo_sucesso`, rounded down. The `ETag` ignores this field, because it grows every second",
  ).nullable(),
});

const CatalogoFrescor = record("CatalogoFrescor", {
  estabelecimento_id: string("101"),
  synced_at: instant("2026-11-15T08:00:40+00:00").openapi({
    description: "Latest `synced_at` of the unit's products",
  }),
});

export const Direitos = record("Direitos", {
  unidades: z
    .array(z.string())
    .nullable()
    .openapi({ description: "`salon_id` of each business unit; `null` for all of them", example: ["101"] }),
  dados_pessoais: z.boolean().openapi({ description: "Whether personal data is shown", example: true }),
  pagamentos: z.boolean().openapi({ description: "Whether ERP payments may be read", example: true }),
}).openapi({ description: "What this token may read" });
export type Direitos = z.output<typeof Direitos>;

export const Frescor = record("Frescor", {
  data: z
    .array(JobFrescor)
    .openapi({ description: "One row for each of the three jobs, even if a job has never run" }),
  catalogo: z
    .array(CatalogoFrescor)
    .openapi({ description: "One row for each business unit that has products" }),
  dados_ate: instant("2026-11-21T12:04:00+00:00")
    .nullable()
    .openapi({
      description:
        "How far the data reaches: the latest start, in minutes, of the last 20 runs of `sync-transacoes` that " +
        "completed. Running ranges are compared until then; `null` if no run completed",
    }),
  agora: instant("2026-11-21T12:30:00+00:00").openapi({
    description: "The time of this response. The `ETag` ignores this field",
  }),
  hoje: day("2026-11-21").openapi({
    description: "Today's date in Brasília, where business days are counted",
  }),
  direitos: Direitos,
});
export type Frescor = z.output<typeof Frescor>;
