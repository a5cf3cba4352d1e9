// @module-tag server
import { afterEach, expect, it } from "vitest";
import { get, read, sql } from "../support/api.ts";

interface Job {
  job_name: string;
  ultimo_sucesso: string | null;
  ultima_falha: string | null;
  em_andamento_desde: string | null;
  atraso_segundos: number | null;
}
interface Frescor {
  data: Job[];
  catalogo: { estabelecimento_id: string; synced_at: string }[];
}

const frescor = () => read<Frescor>("/v1/frescor");
const job = async (name: string) => (await frescor()).data.find(({ job_name }) => job_name === name);

const QUEUE = "frescor";
/** A run's change of status. */
const log = (job_name: string, status: string, at: string) =>
  sql.query(
    `insert into jobs_log (queue, job_name, status, created_at) values ('${QUEUE}', $1, $2, $3::timestamptz)`,
    [job_name, status, at],
  );
/** A moment behind all that other tests have written: the later, the higher. */
const later = (hour: number) => `2300-01-01T0${hour}:00:00Z`;
const asSent = (at: string) => at.replace(/Z$/, "+00:00");

afterEach(() => sql.query(`delete from jobs_log where queue = '${QUEUE}'`));

it("tells each job's latest end of either kind, and what is running (F1)", async () => {
  const [failed, completed, started] = [later(1), later(2), later(3)];
  await log("send-pagar", "failed", failed);
  await log("send-pagar", "completed", completed);
  await log("send-pagar", "started", started);
  expect(await job("send-pagar")).toEqual({
    job_name: "send-pagar",
    ultimo_sucesso: asSent(completed),
    ultima_falha: asSent(failed),
    em_andamento_desde: asSent(started),
    // What is said to have ended in the future is not late.
    atraso_segundos: 0,
  });
  await log("send-pagar", "failed", later(4));
  expect(await job("send-pagar")).toMatchObject({ em_andamento_desde: null });
});

it("of two entries of one moment the later one counts (F1)", async () => {
  const at = later(1);
  await log("send-receber", "started", at);
  await log("send-receber", "completed", at);
  expect(await job("send-receber")).toMatchObject({ em_andamento_desde: null });
  await log("send-receber", "started", at);
  expect(await job("send-receber")).toMatchObject({ em_andamento_desde: asSent(at) });
});

it("has a row for each job in their order, though none ever ran (F1)", async () => {
  await sql.transaction([
    sql`create table jobs_log_kept as select * from jobs_log`,
    sql`delete from jobs_log`,
  ]);
  try {
    const never = {
      ultimo_sucesso: null,
      ultima_falha: null,
      em_andamento_desde: null,
      atraso_segundos: null,
    };
    expect((await frescor()).data).toEqual(
      ["sync-transacoes", "send-receber", "send-pagar"].map((job_name) => ({ job_name, ...never })),
    );
    await log("send-pagar", "completed", "-infinity");
    expect(await job("send-pagar")).toMatchObject({ atraso_segundos: null });
    await log("send-pagar", "completed", "infinity");
    expect(await job("send-pagar")).toMatchObject({ atraso_segundos: 0 });
    await sql.query(`delete from jobs_log`);
    const [{ at } = {}] = await sql`select date_trunc('second', now() - interval '90 seconds') as at`;
    await log("send-pagar", "completed", at);
    const delay = (await job("send-pagar"))?.atraso_segundos;
    expect(delay).toBeGreaterThanOrEqual(90);
    expect(delay).toBeLessThan(200);
  } finally {
    await sql.transaction([
      sql`delete from jobs_log`,
      sql`insert into jobs_log overriding system value select * from jobs_log_kept`,
      sql`drop table jobs_log_kept`,
    ]);
  }
});

it("tells when the catalogue of each unit that has products was synchronised (F1)", async () => {
  await sql`insert into produtos (salon_id, estabelecimento_id, raw_data, synced_at) values
    ('f1', 'frescor ''\\ "', '{}', '2026-01-01T12:00:00Z'), ('f2', 'frescor ''\\ "', '{}', '2026-01-03T12:00:00Z'),
    ('f3', 'frescor ''\\ "', '{}', '2026-01-02T12:00:00Z')`;
  const units =
    await sql`select estabelecimento_id, max(synced_at)::text as at from produtos group by 1 order by 1`;
  const { catalogo } = await frescor();
  expect(catalogo.map(({ estabelecimento_id }) => estabelecimento_id)).toEqual(
    units.map(({ estabelecimento_id }) => estabelecimento_id),
  );
  expect(catalogo).toContainEqual({
    estabelecimento_id: "frescor '\\ \"",
    synced_at: asSent("2026-01-03T12:00:00Z"),
  });
  await sql`delete from produtos where estabelecimento_id like 'frescor%'`;
});

it("keeps its tag while time goes by, and has another when a job ends (F1, E6)", async () => {
  const first = await get("/v1/frescor");
  const tag = first.headers.get("ETag") ?? "";
  const { data } = await first.json<Frescor>();
  await expect
    .poll(async () => (await frescor()).data.map(({ atraso_segundos }) => atraso_segundos), { timeout: 5000 })
    .not.toEqual(data.map(({ atraso_segundos }) => atraso_segundos));
  expect((await get("/v1/frescor", { "If-None-Match": tag })).status).toBe(304);
  await log("send-receber", "failed", later(1));
  const changed = await get("/v1/frescor", { "If-None-Match": tag });
  expect(changed.status).toBe(200);
  expect(changed.headers.get("ETag")).not.toBe(tag);
});
