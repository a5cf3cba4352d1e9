// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { databaseRequests, expectError, get, mendDatabase, read, sql } from "../../support/worker/api.ts";

interface Change {
  id: number;
  removido: boolean;
  registro: Record<string, unknown> | null;
}
interface Page {
  data: Change[];
  pagination: { per_page: number; next_after: string; has_more: boolean };
}

/** Each feed, its table, and what inserts test rows into that table. */
const FEEDS: [list: string, table: string, rows: string][] = [
  [
    "transacoes",
    "transacoes",
    "(salon_id, estabelecimento_id, total, data_hora, raw_data) select 'feed ' || n, 'feed', 1, now(), '{}'",
  ],
  [
    "lancamentos",
    "lancamentos",
    "(salon_id, estabelecimento_id, raw_data) select 'feed row ' || n, 'feed', '{}'",
  ],
  ["pagamentos-erp", "pagamentos_erp", "(erp_id, situacao, raw_data) select 91000000 + n, 1, '{}'"],
  [
    "vendas-produto",
    "vendas_produto",
    "(origem, transacao_id, estabelecimento_id) select 'loja', 'feed ' || n, 'feed'",
  ],
];

const readPage = (list: string, after?: string, per_page = 200) =>
  read<Page>(
    `/v1/alteracoes/${list}?${new URLSearchParams({ per_page: String(per_page), ...(after && { after }) })}`,
  );

/** Reads every page after a marker. Returns the changes and the last marker. */
const readToEnd = async (list: string, after?: string, per_page = 200) => {
  const data: Change[] = [];
  for (let at = after; ; ) {
    const page = await readPage(list, at, per_page);
    data.push(...page.data);
    at = page.pagination.next_after;
    if (!page.pagination.has_more) return { data, after: at };
  }
};

const insert = (key: string) => sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
  values (${key}, 'feed', ${'{"price": 1.10, "big": 12345678901234567890}'}::jsonb) returning id::int`;
afterAll(async () => {
  await sql.transaction([
    sql`delete from transacoes where estabelecimento_id = 'feed'`,
    sql`delete from lancamentos where estabelecimento_id = 'feed'`,
    sql`delete from pagamentos_erp where erp_id between 91000001 and 91000003`,
    sql`delete from vendas_produto where estabelecimento_id in ('feed', 'feed unit')`,
    sql`delete from estabelecimentos where salon_id = 'feed unit'`,
  ]);
});

const idOf = ([row]: Record<string, unknown>[]) => Number(row?.id);
const sorted = (records: unknown[]) => records.map((record) => JSON.stringify(record)).sort();

describe.each(FEEDS)("GET /v1/alteracoes/%s", (list, table, rows) => {
  it("returns each record of the list once, as the list returns it, from the first page to the last (C1)", async () => {
    const { data } = await readToEnd(list, undefined, 97);
    const stored = await sql.query(`select id::int as id from ${table}`);
    const present = data.filter(({ removido }) => !removido);
    expect(present.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      stored.map(({ id }) => id).sort((a, b) => a - b),
    );
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
    const listed: unknown[] = [];
    for (let page = 1; listed.length < present.length; page += 1)
      listed.push(...(await read<{ data: unknown[] }>(`/v1/${list}?per_page=200&page=${page}`)).data);
    expect(sorted(present.map(({ registro }) => registro))).toEqual(sorted(listed));
  });

  it("returns an insert, an update and a delete once each, then an empty page with the same marker (C2, C3)", async () => {
    const { after } = await readToEnd(list);
    const written = await sql.query(
      `insert into ${table} ${rows} from generate_series(1, 3) as n returning id::int`,
    );
    const [one, two, three] = written.map((row) => idOf([row]));
    await sql.query(`update ${table} set id = id where id = ${one}`);
    await sql.query(`delete from ${table} where id = ${two}`);
    const page = await readPage(list, after);
    expect(page).toEqual({
      data: [
        { id: three, removido: false, registro: expect.any(Object) },
        { id: one, removido: false, registro: expect.any(Object) },
        { id: two, removido: true, registro: null },
      ],
      pagination: { per_page: 200, next_after: expect.stringMatching(/^[\w.-]{1,200}$/), has_more: false },
    });
    expect(await readPage(list, after)).toEqual(page);
    const { next_after } = page.pagination;
    expect(await readPage(list, next_after)).toEqual({
      data: [],
      pagination: { per_page: 200, next_after, has_more: false },
    });
  });

  it("sends its statements in one database request", async () => {
    await mendDatabase();
    await readPage(list);
    expect(await databaseRequests()).toBe(1);
  });
});

describe("a page of changes", () => {
  let end: string;
  beforeAll(async () => {
    end = (await readToEnd("lancamentos")).after;
  });

  it("returns a record that changed twice once, with its current values and exact digits (C2, V2)", async () => {
    const { after } = await readToEnd("lancamentos", end);
    const id = idOf(await insert("feed once"));
    await sql`update lancamentos set sent_to_salon = true where id = ${id}`;
    const response = await get(`/v1/alteracoes/lancamentos?after=${after}`);
    const body = await response.text();
    expect(body).toContain('"raw_data":{"big": 12345678901234567890, "price": 1.10}');
    const listed = await read<{ data: unknown[] }>(`/v1/lancamentos?after_id=${id - 1}`);
    expect(JSON.parse(body).data).toEqual([{ id, removido: false, registro: listed.data[0] }]);
  });

  it("returns a record that was deleted and inserted again under its id with its current values (C2)", async () => {
    const id = idOf(await insert("feed again"));
    const { after } = await readToEnd("lancamentos", end);
    await sql`delete from lancamentos where id = ${id}`;
    await sql`insert into lancamentos (id, salon_id, estabelecimento_id, raw_data) values (${id}, 'feed rewritten', 'feed', '{}')`;
    expect((await readPage("lancamentos", after)).data).toEqual([
      { id, removido: false, registro: expect.objectContaining({ id, salon_id: "feed rewritten" }) },
    ]);
  });

  it("returns a changed id as a removal of the old id and a write of the new one (C2)", async () => {
    const id = idOf(await insert("feed moved"));
    const { after } = await readToEnd("lancamentos", end);
    const [moved] = await sql`update lancamentos set id = default where id = ${id} returning id::int`;
    const { data } = await readPage("lancamentos", after);
    expect(data.map(({ id, removido }) => ({ id, removido })).sort((a, b) => a.id - b.id)).toEqual([
      { id, removido: true },
      { id: moved?.id, removido: false },
    ]);
  });

  it("links the next page, and sets has_more to false on a last page that is exactly full (L5, C3)", async () => {
    const { after } = await readToEnd("lancamentos", end);
    const ids: number[] = [];
    for (let n = 0; n < 4; n += 1) ids.push(idOf(await insert(`feed page ${n}`)));
    const first = await get(`/v1/alteracoes/lancamentos?after=${after}&per_page=2`);
    const page = await first.json<Page>();
    expect(page.pagination.has_more).toBe(true);
    expect(first.headers.get("Link")).toBe(
      `</v1/alteracoes/lancamentos?after=${page.pagination.next_after}&per_page=2>; rel="next"`,
    );
    const second = await get(`/v1/alteracoes/lancamentos?after=${page.pagination.next_after}&per_page=2`);
    expect(second.headers.get("Link")).toBeNull();
    const last = await second.json<Page>();
    expect(last.pagination.has_more).toBe(false);
    expect([...page.data, ...last.data].map(({ id }) => id)).toEqual(ids);
  });

  it("is a 304 while nothing changes, and a 200 after a change (E6)", async () => {
    const { after } = await readToEnd("lancamentos", end);
    const url = `/v1/alteracoes/lancamentos?after=${after}`;
    const tag = (await get(url)).headers.get("ETag") ?? "";
    expect((await get(url, { "If-None-Match": tag })).status).toBe(304);
    await insert("feed tag");
    expect((await get(url, { "If-None-Match": tag })).status).toBe(200);
  });

  it("looks up names at delivery, and does not return a record again if only a looked-up name changes (C2)", async () => {
    const { after } = await readToEnd("vendas-produto");
    await sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id) values ('loja', 'feed', 'feed unit')`;
    await sql`insert into estabelecimentos (nome, salon_id) values ('Loja Nova', 'feed unit')`;
    const page = await readPage("vendas-produto", after);
    expect(page.data.map(({ registro }) => registro?.unidade_nome)).toEqual(["Loja Nova"]);
    await sql`update estabelecimentos set nome = 'Loja Velha' where salon_id = 'feed unit'`;
    expect((await readPage("vendas-produto", page.pagination.next_after)).data).toEqual([]);
  });
});

describe("a marker (C4)", () => {
  let marker: string;
  let parts: string[];
  beforeAll(async () => {
    await insert("feed marker");
    marker = (await readToEnd("lancamentos")).after;
    parts = marker.split(".");
  });
  const getAfter = (after: string, list = "lancamentos") =>
    get(`/v1/alteracoes/${list}?after=${encodeURIComponent(after)}`);
  const GONE = /^The marker in `after` is no longer valid.* start again without `after`/;

  it("is rejected with 400 if it is malformed or belongs to another feed (C4)", async () => {
    const [list, epoch, start, position] = parts;
    const wrong = [
      ...[
        "0",
        "x",
        "lancamentos",
        `${list}.${epoch}`,
        `${list}.${epoch}.${start}`,
        `${marker}.1`,
        ` ${marker}`,
      ],
      ...[
        `${marker}\n`,
        marker.toUpperCase(),
        `${list}.${epoch}.-1.${position}`,
        `${list}.${epoch}.1e3.${position}`,
      ],
      ...[`${list}.${epoch}.${start}.${"9".repeat(19)}`, `${list}.'.${start}.${position}`],
      marker.replace("lancamentos", "transacoes"),
    ];
    for (const after of wrong)
      await expectError(await getAfter(after), 400, "Bad Request", /^`after` must be /);
    await expectError(
      await getAfter(marker, "transacoes"),
      400,
      "Bad Request",
      /^`after` must be a `next_after` of this/,
    );
  });

  it("is rejected with a 410 that says to start again if its epoch differs or it is past the last change (C4)", async () => {
    const [list, epoch = "", start, position] = parts;
    const another = epoch.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    await expectError(await getAfter(`${list}.${another}.${start}.${position}`), 410, "Gone", GONE);
    const [{ last } = { last: 0 }] = await sql`select last_value::int as last from lancamentos_change_seq`;
    expect((await getAfter(`${list}.${epoch}.0.${last}`)).status).toBe(200);
    for (const beyond of [`0.${last + 1}`, `${last + 1}.0`, `0.${"9".repeat(18)}`])
      await expectError(await getAfter(`${list}.${epoch}.${beyond}`), 410, "Gone", GONE);
  });

  it("is rejected with 410 if it is older than a pruned removal, unless its copy began after that removal (C4)", async () => {
    const id = idOf(await insert("feed forgotten"));
    const before = (await readToEnd("lancamentos", marker)).after;
    await sql`delete from lancamentos where id = ${id}`;
    const first = await readPage("lancamentos", undefined, 1);
    // Does what `npm run warehouse -- prune` does, in one statement.
    await sql`with forgotten as (delete from lancamentos_changes where id = ${id} returning change)
      update change_feeds set oldest_kept_change = (select change from forgotten) where list = 'lancamentos'`;
    await expectError(await getAfter(before), 410, "Gone", GONE);
    const { data } = await readToEnd("lancamentos", first.pagination.next_after);
    expect(data.map((change) => change.id)).not.toContain(id);
    expect(
      (await readToEnd("lancamentos", (await readPage("lancamentos", undefined, 1)).pagination.next_after))
        .data.length,
    ).toBe(data.length);
  });
});
