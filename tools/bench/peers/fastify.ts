import { and, asc, count, desc, eq, gt, gte, ilike, inArray, lte, type SQL, sql, sum } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import Fastify from "fastify";
import { jwtVerify } from "jose";
import pg from "pg";
import { byName } from "../../../src/db/name-order.ts";
import { estabelecimentos } from "../../../src/v1/estabelecimentos/table.ts";
import { jobsLog } from "../../../src/v1/jobs-log/table.ts";
import { lancamentos } from "../../../src/v1/lancamentos/table.ts";
import { pagamentosErp } from "../../../src/v1/pagamentos-erp/table.ts";
import { produtos } from "../../../src/v1/produtos/table.ts";
import { profissionais } from "../../../src/v1/profissionais/table.ts";
import { taxasCartao } from "../../../src/v1/relatorios/table.ts";
import { transacoes } from "../../../src/v1/transacoes/table.ts";
import { vendasProduto } from "../../../src/v1/vendas-produto/table.ts";

/**
 * The sixteen data endpoints in a conventional design: Fastify, Drizzle on node-postgres, rows mapped in JavaScript,
 * `count(*)` and `OFFSET`, on its own tables. Prints its port.
 */
const db = drizzle(
  new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10, options: "-c search_path=peer,public" }),
);
const app = Fastify();
const secret = Buffer.from(process.env.PEER_SECRET ?? "", "base64url");

app.addHook("onRequest", async (request, reply) => {
  const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  if (!token) return reply.code(401).send({ error: "Unauthorized", message: "no token" });
  await jwtVerify(token, secret, { algorithms: ["HS256"] });
});

type Query = Record<string, string | undefined>;
const paging = (q: Query) => ({ page: Number(q.page ?? 1), perPage: Number(q.per_page ?? 50) });
const equal = (column: PgColumn, value: string | undefined) =>
  value === undefined ? undefined : eq(column, value);
const flag = (column: PgColumn, value: string | undefined) =>
  value === undefined ? undefined : eq(column, value === "true");
const between = (column: PgColumn, q: Query) =>
  and(
    q.data_inicio ? gte(column, q.data_inicio) : undefined,
    q.data_fim ? lte(column, q.data_fim) : undefined,
  );
const iso = (value: string | null) => (value === null ? null : new Date(value).toISOString());
const instants = <Row extends Record<string, unknown>>(row: Row, ...names: (keyof Row)[]) => {
  for (const name of names) row[name] = iso(row[name] as string | null) as Row[keyof Row];
  return row;
};

const list = async <Row>(
  q: Query,
  table: PgTable,
  where: SQL | undefined,
  order: SQL[],
  map: (rows: Row[]) => Promise<unknown[]> | unknown[],
) => {
  const { page, perPage } = paging(q);
  const [rows, [total]] = await Promise.all([
    db
      .select()
      .from(table)
      .where(where)
      .orderBy(...order)
      .limit(perPage)
      .offset((page - 1) * perPage),
    db.select({ n: count() }).from(table).where(where),
  ]);
  const n = total?.n ?? 0;
  return {
    data: await map(rows as Row[]),
    pagination: { page, per_page: perPage, total: n, total_pages: Math.ceil(n / perPage) },
  };
};

const byCursor = async <Row extends { id: number }>(
  q: Query,
  table: PgTable & { id: PgColumn },
  where: SQL | undefined,
  map: (rows: Row[]) => unknown[],
) => {
  const { perPage } = paging(q);
  // The compiler does not know the columns of a generic table. The caller names the row type.
  const rows = (await db
    .select()
    .from(table)
    .where(and(where, gt(table.id, Number(q.after_id))))
    .orderBy(asc(table.id))
    .limit(perPage + 1)) as unknown as Row[];
  const shown = rows.slice(0, perPage);
  return {
    data: map(shown),
    pagination: {
      per_page: perPage,
      next_after_id: rows.length > perPage ? (shown.at(-1)?.id ?? null) : null,
      has_more: rows.length > perPage,
    },
  };
};

const firstOr404 = async <Row>(rows: Promise<Row[]>) => {
  const [row] = await rows;
  if (row === undefined) throw Object.assign(new Error("not found"), { statusCode: 404 });
  return row;
};

type Visit = typeof transacoes.$inferSelect;
type Service = Record<string, unknown> & { idProfissionalQueRealizouServico?: unknown };

const enrich = async (visits: Visit[]) => {
  const services = visits.flatMap((visit) =>
    Array.isArray(visit.servicos) ? (visit.servicos as Service[]) : [],
  );
  const ids = [...new Set(services.map((s) => String(s.idProfissionalQueRealizouServico ?? "")))];
  const people = ids.length
    ? await db.select().from(profissionais).where(inArray(profissionais.salon_id, ids))
    : [];
  const best = (id: string, unit: string) =>
    people
      .filter((person) => person.salon_id === id)
      .sort(
        (a, b) =>
          Number(b.salon_estabelecimento_id === unit) - Number(a.salon_estabelecimento_id === unit) ||
          Number(b.ativo) - Number(a.ativo) ||
          a.id - b.id,
      )[0];
  return visits.map(({ id, erp_recebimento_id, sent_at, raw_data, ...visit }) => ({
    ...instants(visit, "data_hora", "synced_at"),
    servicos: Array.isArray(visit.servicos)
      ? (visit.servicos as Service[]).map((service) => {
          const person = best(
            String(service.idProfissionalQueRealizouServico ?? ""),
            visit.estabelecimento_id,
          );
          return {
            ...service,
            profissional_nome: person?.nome ?? null,
            erp_centro_custo_id: person?.erp_centro_custo_id ?? null,
          };
        })
      : visit.servicos,
  }));
};

const get = (path: string, answer: (q: Query, id: string) => Promise<unknown>) =>
  app.get(path, (request) => answer(request.query as Query, (request.params as { id?: string }).id ?? ""));

const t = transacoes;
get("/v1/transacoes", (q) =>
  list<Visit>(
    q,
    t,
    and(
      equal(t.estabelecimento_id, q.estabelecimento_id),
      flag(t.sent_to_erp, q.sent_to_erp),
      between(t.data_hora, q),
    ),
    [desc(t.data_hora), desc(t.id)],
    enrich,
  ),
);
get("/v1/transacoes/:id", async (_, id) => {
  const visit = await firstOr404(db.select().from(t).where(eq(t.salon_id, id)));
  const [enriched] = await enrich([{ ...visit }]);
  const { erp_recebimento_id, raw_data } = visit;
  return { id: visit.id, ...enriched, erp_recebimento_id, sent_at: iso(visit.sent_at), raw_data };
});

const l = lancamentos;
type Entry = typeof l.$inferSelect;
const entries = (rows: Entry[]) => rows.map((row) => instants(row, "synced_at", "sent_at"));
get("/v1/lancamentos", (q) => {
  const where = and(
    equal(l.estabelecimento_id, q.estabelecimento_id),
    flag(l.sent_to_salon, q.sent_to_salon),
    between(l.synced_at, q),
  );
  return q.after_id === undefined
    ? list<Entry>(q, l, where, [desc(l.id)], entries)
    : byCursor<Entry>(q, l, where, entries);
});
get(
  "/v1/lancamentos/:id",
  async (_, id) => entries([await firstOr404(db.select().from(l).where(eq(l.salon_id, id)))])[0],
);

const p = pagamentosErp;
type Payment = typeof p.$inferSelect;
const payments = (rows: Payment[]) =>
  rows.map((row) => ({ ...instants(row, "synced_at", "updated_at"), pago: row.situacao === 2 }));
get("/v1/pagamentos-erp", (q) => {
  const where = and(
    q.situacao ? eq(p.situacao, Number(q.situacao)) : undefined,
    equal(p.id_centro_custo, q.id_centro_custo),
    equal(p.nome_conta_classificacao, q.nome_conta_classificacao),
    between(p.data_vencimento, q),
  );
  return q.after_id === undefined
    ? list<Payment>(q, p, where, [desc(p.id)], payments)
    : byCursor<Payment>(q, p, where, payments);
});
get(
  "/v1/pagamentos-erp/:id",
  async (_, id) =>
    payments([
      await firstOr404(
        db
          .select()
          .from(p)
          .where(eq(p.erp_id, Number(id))),
      ),
    ])[0],
);

const f = profissionais;
get("/v1/profissionais", (q) =>
  list<typeof f.$inferSelect>(
    q,
    f,
    and(flag(f.ativo, q.ativo), equal(f.salon_estabelecimento_id, q.estabelecimento_id)),
    [...byName(f.nome), asc(f.id)],
    (rows) => rows.map((row) => instants(row, "created_at", "updated_at")),
  ),
);
get("/v1/profissionais/:id", async (_, id) =>
  instants(
    await firstOr404(
      db
        .select()
        .from(f)
        .where(eq(f.id, Number(id))),
    ),
    "created_at",
    "updated_at",
  ),
);

const e = estabelecimentos;
get("/v1/estabelecimentos", async (q) => {
  const rows = await db
    .select()
    .from(e)
    .where(flag(e.ativo, q.ativo))
    .orderBy(...byName(e.nome), asc(e.id));
  return { data: rows.map((row) => instants(row, "created_at")) };
});
get("/v1/estabelecimentos/:id", async (_, id) =>
  instants(
    await firstOr404(
      db
        .select()
        .from(e)
        .where(eq(e.id, Number(id))),
    ),
    "created_at",
  ),
);

const c = produtos;
get("/v1/produtos", (q) =>
  list<typeof c.$inferSelect>(
    q,
    c,
    and(equal(c.estabelecimento_id, q.estabelecimento_id), q.nome ? ilike(c.nome, `%${q.nome}%`) : undefined),
    [...byName(c.nome), asc(c.estabelecimento_id), asc(c.salon_id)],
    (rows) => rows.map(({ id, ...row }) => instants(row, "synced_at")),
  ),
);

const s = vendasProduto;
get("/v1/vendas-produto", (q) =>
  list<typeof s.$inferSelect>(
    q,
    s,
    and(
      equal(s.estabelecimento_id, q.estabelecimento_id),
      equal(s.origem, q.origem),
      between(s.data_hora, q),
    ),
    [sql`${s.data_hora} desc nulls last`, desc(s.id)],
    async (rows) => {
      const units = await db.select().from(e);
      const names = new Map(units.map((unit) => [unit.salon_id, unit.nome]));
      return rows.map(({ id, ...row }) => ({
        ...instants(row, "data_hora"),
        unidade_nome: names.get(row.estabelecimento_id) ?? null,
      }));
    },
  ),
);

const j = jobsLog;
get("/v1/jobs-log", (q) =>
  list<typeof j.$inferSelect>(
    q,
    j,
    and(equal(j.job_name, q.job_name), equal(j.status, q.status), between(j.created_at, q)),
    [desc(j.created_at), desc(j.id)],
    (rows) => rows.map((row) => instants(row, "created_at")),
  ),
);

get("/v1/relatorios/resumo", async (q) => {
  const [[visits], [ledger], jobs] = await Promise.all([
    db
      .select({
        total: count(),
        valor_total: sum(t.total),
        enviadas_erp: sql`count(*) filter (where ${t.sent_to_erp})`.mapWith(Number),
        pendentes_erp: sql`count(*) filter (where not ${t.sent_to_erp})`.mapWith(Number),
      })
      .from(t)
      .where(and(equal(t.estabelecimento_id, q.estabelecimento_id), between(t.data_hora, q))),
    db
      .select({ total: count() })
      .from(l)
      .where(and(equal(l.estabelecimento_id, q.estabelecimento_id), between(l.synced_at, q))),
    db
      .select({ status: j.status, n: count() })
      .from(j)
      .where(gte(j.created_at, sql`now() - interval '24 hours'`))
      .groupBy(j.status),
  ]);
  const jobsWith = (status: string) => jobs.find((row) => row.status === status)?.n ?? 0;
  return {
    transacoes: { ...visits, valor_total: Number(visits?.valor_total ?? 0) },
    lancamentos: ledger,
    jobs_ultimas_24h: { concluidos: jobsWith("completed"), falhados: jobsWith("failed") },
  };
});
get("/v1/relatorios/transacoes-por-profissional", async (q) => {
  const where = and(equal(t.estabelecimento_id, q.estabelecimento_id), between(t.data_hora, q));
  const salonId = sql<string | null>`took_part.salon_id`;
  const sums = await db
    .select({
      profissional_salon_id: salonId,
      estabelecimento_id: t.estabelecimento_id,
      total_transacoes: count(),
      valor_total: sum(t.total),
    })
    .from(t)
    .leftJoin(
      sql`lateral (select distinct service ->> 'idProfissionalQueRealizouServico' as salon_id
        from jsonb_array_elements(case when jsonb_typeof(${t.servicos}) = 'array' then ${t.servicos} else '[]' end) as service
        where service ->> 'idProfissionalQueRealizouServico' <> '') as took_part`,
      sql`true`,
    )
    .where(where)
    .groupBy(salonId, t.estabelecimento_id)
    .orderBy(desc(sum(t.total)), t.estabelecimento_id, salonId);
  const people = await db.select().from(f).orderBy(desc(f.ativo), asc(f.id));
  return {
    data: sums.map((row) => {
      const mine = people.filter((person) => person.salon_id === row.profissional_salon_id);
      const person = mine.find((one) => one.salon_estabelecimento_id === row.estabelecimento_id) ?? mine[0];
      const valor_total = Number(row.valor_total);
      return { profissional: (row.profissional_salon_id && person?.nome) ?? null, ...row, valor_total };
    }),
  };
});
get("/v1/relatorios/transacoes-por-forma-pagamento", async (q) => {
  const rows = await db
    .select({
      forma_pagamento: t.forma_pagamento_principal,
      total_transacoes: count(),
      valor_total: sum(t.total),
      ticket_medio: sql`round(sum(${t.total}) / count(*), 2)`.mapWith(Number),
      taxa_cobrada_profissional: taxasCartao.taxa_cobrada_profissional,
    })
    .from(t)
    .leftJoin(taxasCartao, eq(taxasCartao.forma_pagamento, t.forma_pagamento_principal))
    .where(and(equal(t.estabelecimento_id, q.estabelecimento_id), between(t.data_hora, q)))
    .groupBy(t.forma_pagamento_principal, taxasCartao.taxa_cobrada_profissional)
    .orderBy(desc(sum(t.total)), t.forma_pagamento_principal);
  return {
    data: rows.map((row) => ({
      ...row,
      valor_total: Number(row.valor_total),
      taxa_cobrada_profissional: row.taxa_cobrada_profissional && Number(row.taxa_cobrada_profissional),
    })),
  };
});

console.log(new URL(await app.listen({ host: "127.0.0.1", port: 0 })).port);
