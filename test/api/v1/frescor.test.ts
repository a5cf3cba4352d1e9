// @module-tag server
import { afterEach, expect, it } from "vitest";
import { get, mendDatabase, read, sql, statements } from "../../support/worker/api.ts";

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
  agora: string;
  hoje: string;
}

const frescor = () => read<Frescor>("/v1/frescor");
const job = async (name: string) => (await frescor()).data.find(({ job_name }) => job_name === name);

const QUEUE = "frescor";
/** Inserts an entry into the log of jobs. */
const insertEntry = (job_name: string, status: string, at: string) =>
  sql.query(
    `insert into jobs_log (queue, job_name, status, created_at) values ('${QUEUE}', $1, $2, $3::timestamptz)`,
    [job_name, status, at],
  );
/** A time after every entry that other tests write. */
const futureTime = (hour: number) => `2300-01-01T0${hour}:00:00Z`;
const inResponse = (at: string) => at.replace(/Z$/, "+00:00");

afterEach(() => sql.query(`delete from jobs_log where queue = '${QUEUE}'`));

it("GET /v1/frescor returns the latest success, the latest failure and the running entry of each job (F1)", async () => {
  const [failed, completed, started] = [futureTime(1), futureTime(2), futureTime(3)];
  await insertEntry("send-pagar", "failed", failed);
  await insertEntry("send-pagar", "completed", completed);
  await insertEntry("send-pagar", "started", started);
  expect(await job("send-pagar")).toEqual({
    job_name: "send-pagar",
    ultimo_sucesso: inResponse(completed),
    ultima_falha: inResponse(failed),
    em_andamento_desde: inResponse(started),
    // A success dated in the future has no delay.
    atraso_segundos: 0,
  });
  await insertEntry("send-pagar", "failed", futureTime(4));
  expect(await job("send-pagar")).toMatchObject({ em_andamento_desde: null });
});

it("GET /v1/frescor takes the entry with the higher id if two have the same time (F1)", async () => {
  const at = futureTime(1);
  await insertEntry("send-receber", "started", at);
  await insertEntry("send-receber", "completed", at);
  expect(await job("send-receber")).toMatchObject({ em_andamento_desde: null });
  await insertEntry("send-receber", "started", at);
  expect(await job("send-receber")).toMatchObject({ em_andamento_desde: inResponse(at) });
});

it("GET /v1/frescor returns a row for each job in a fixed order, even if no job ever ran (F1)", async () => {
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
    await insertEntry("send-pagar", "completed", "-infinity");
    expect(await job("send-pagar")).toMatchObject({ atraso_segundos: null });
    await insertEntry("send-pagar", "completed", "infinity");
    expect(await job("send-pagar")).toMatchObject({ atraso_segundos: 0 });
    await sql.query(`delete from jobs_log`);
    const [{ at } = {}] = await sql`select date_trunc('second', now() - interval '90 seconds') as at`;
    await insertEntry("send-pagar", "completed", at);
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

it("GET /v1/frescor returns the newest sync of each unit that has products (F1)", async () => {
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
    synced_at: inResponse("2026-01-03T12:00:00Z"),
  });
  await sql`delete from produtos where estabelecimento_id like 'frescor%'`;
});

it("GET /v1/frescor returns the time and today's date in Brasília (F1)", async () => {
  const time = async () => (await sql`select clock_timestamp() as at`)[0]?.at as string;
  const before = await time();
  const { agora, hoje } = await frescor();
  const [checked] =
    await sql`select ${agora}::timestamptz between ${before}::timestamptz and clock_timestamp() as is_now,
    (${agora}::timestamptz at time zone 'America/Sao_Paulo')::date::text as day`;
  expect(checked).toEqual({ is_now: true, day: hoje });
});

it("GET /v1/frescor keeps its ETag while only the delay and the time grow, and changes it when a job ends or a day begins (F1, E6)", async () => {
  const first = await get("/v1/frescor");
  const tag = first.headers.get("ETag") ?? "";
  const { data, agora, hoje } = await first.json<Frescor>();
  await expect
    .poll(async () => (await frescor()).data.map(({ atraso_segundos }) => atraso_segundos))
    .not.toEqual(data.map(({ atraso_segundos }) => atraso_segundos));
  const later = await frescor();
  expect([later.agora > agora, later.hoje]).toEqual([true, hoje]);
  expect((await get("/v1/frescor", { "If-None-Match": tag })).status).toBe(304);
  // Postgres has no clock to move: check that the text to hash still has the day, and no longer the time.
  await mendDatabase();
  await get("/v1/frescor");
  const [pattern = ""] =
    /regexp_replace\(body, '.*?', '', 'g'\)/.exec((await statements())[0]?.query ?? "") ?? [];
  const [{ hashed } = {}] = await sql.query(
    `select ${pattern} as hashed from (select $1::text as body) as bodies`,
    [JSON.stringify(later)],
  );
  expect(hashed).toContain(`"hoje":"${hoje}"`);
  expect(hashed).not.toContain(later.agora);
  await insertEntry("send-receber", "failed", futureTime(1));
  const changed = await get("/v1/frescor", { "If-None-Match": tag });
  expect(changed.status).toBe(200);
  expect(changed.headers.get("ETag")).not.toBe(tag);
});
