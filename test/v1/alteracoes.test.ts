// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { databaseRequests, expectError, get, mendDatabase, read, sql } from "../support/api.ts";

interface Change {
  id: number;
  removido: boolean;
  registro: Record<string, unknown> | null;
}
interface Page {
  data: Change[];
  pagination: { per_page: number; next_after: string; has_more: boolean };
}

/** The table of each list, and two rows of our own for it. */
const LISTS: [list: string, table: string, rows: string][] = [
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

const ask = (list: string, after?: string, per_page = 200) =>
  read<Page>(
    `/v1/alteracoes/${list}?${new URLSearchParams({ per_page: String(per_page), ...(after && { after }) })}`,
  );

/** All there is after a marker, and the marker to go on from. */
const follow = async (list: string, after?: string, per_page = 200) => {
  const data: Change[] = [];
  for (let at = after; ; ) {
    const page = await ask(list, at, per_page);
    data.push(...page.data);
    at = page.pagination.next_after;
    if (!page.pagination.has_more) return { data, after: at };
  }
};

const insert = (key: string) => sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
  values (${key}, 'feed', ${'{"price": 1.10, "big": 12345678901234567890}'}::jsonb) returning id::int`;
const idOf = ([row]: Record<string, unknown>[]) => Number(row?.id);
const sorted = (records: unknown[]) => records.map((record) => JSON.stringify(record)).sort();

describe.each(LISTS)("GET /v1/alteracoes/%s", (list, table, rows) => {
  it("from the beginning to the end is the whole list, each record once and as the list shows it (C1)", async () => {
    const { data } = await follow(list, undefined, 97);
    const stored = await sql.query(`select id::int as id from ${table}`);
    const there = data.filter(({ removido }) => !removido);
    expect(there.map(({ id }) => id).sort((a, b) => a - b)).toEqual(
      stored.map(({ id }) => id).sort((a, b) => a - b),
    );
    expect(new Set(data.map(({ id }) => id)).size).toBe(data.length);
    const listed: unknown[] = [];
    for (let page = 1; listed.length < there.length; page += 1)
      listed.push(...(await read<{ data: unknown[] }>(`/v1/${list}?per_page=200&page=${page}`)).data);
    expect(sorted(there.map(({ registro }) => registro))).toEqual(sorted(listed));
  });

  it("tells of an insert, an update and a removal, and then of nothing any more (C2, C3)", async () => {
    const { after } = await follow(list);
    const written = await sql.query(
      `insert into ${table} ${rows} from generate_series(1, 3) as n returning id::int`,
    );
    const [one, two, three] = written.map((row) => idOf([row]));
    await sql.query(`update ${table} set id = id where id = ${one}`);
    await sql.query(`delete from ${table} where id = ${two}`);
    const page = await ask(list, after);
    expect(page).toEqual({
      data: [
        { id: three, removido: false, registro: expect.any(Object) },
        { id: one, removido: false, registro: expect.any(Object) },
        { id: two, removido: true, registro: null },
      ],
      pagination: { per_page: 200, next_after: expect.stringMatching(/^[\w.-]{1,200}$/), has_more: false },
    });
    expect(await ask(list, after)).toEqual(page);
    const { next_after } = page.pagination;
    expect(await ask(list, next_after)).toEqual({
      data: [],
      pagination: { per_page: 200, next_after, has_more: false },
    });
  });

  it("is two statements in one round trip", async () => {
    await mendDatabase();
    await ask(list);
    expect(await databaseRequests()).toBe(1);
  });
});

describe("a page of changes", () => {
  let end: string;
  beforeAll(async () => {
    end = (await follow("lancamentos")).after;
  });

  it("shows a record once, as it is now, with its digits (C2)", async () => {
    const { after } = await follow("lancamentos", end);
    const id = idOf(await insert("feed once"));
    await sql`update lancamentos set sent_to_salon = true where id = ${id}`;
    const response = await get(`/v1/alteracoes/lancamentos?after=${after}`);
    const body = await response.text();
    expect(body).toContain('"raw_data":{"big": 12345678901234567890, "price": 1.10}');
    const listed = await read<{ data: unknown[] }>(`/v1/lancamentos?after_id=${id - 1}`);
    expect(JSON.parse(body).data).toEqual([{ id, removido: false, registro: listed.data[0] }]);
  });

  it("shows a record that is removed and written again under its id as what it is now", async () => {
    const id = idOf(await insert("feed again"));
    const { after } = await follow("lancamentos", end);
    await sql`delete from lancamentos where id = ${id}`;
    await sql`insert into lancamentos (id, salon_id, estabelecimento_id, raw_data) values (${id}, 'feed anew', 'feed', '{}')`;
    expect((await ask("lancamentos", after)).data).toEqual([
      { id, removido: false, registro: expect.objectContaining({ id, salon_id: "feed anew" }) },
    ]);
  });

  it("tells of an id that was moved as of a removal and of another record", async () => {
    const id = idOf(await insert("feed moved"));
    const { after } = await follow("lancamentos", end);
    const [moved] = await sql`update lancamentos set id = default where id = ${id} returning id::int`;
    const { data } = await ask("lancamentos", after);
    expect(data.map(({ id, removido }) => ({ id, removido })).sort((a, b) => a.id - b.id)).toEqual([
      { id, removido: true },
      { id: moved?.id, removido: false },
    ]);
  });

  it("is full before there are more, links the next, and an exact multiple costs no extra call (L5, C3)", async () => {
    const { after } = await follow("lancamentos", end);
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

  it("costs a 304 while nothing happens, and 200 after a change (E6)", async () => {
    const { after } = await follow("lancamentos", end);
    const url = `/v1/alteracoes/lancamentos?after=${after}`;
    const tag = (await get(url)).headers.get("ETag") ?? "";
    expect((await get(url, { "If-None-Match": tag })).status).toBe(304);
    await insert("feed tag");
    expect((await get(url, { "If-None-Match": tag })).status).toBe(200);
  });

  it("looks names up as they are when it is delivered, and a change there alone makes nothing appear (C2)", async () => {
    const { after } = await follow("vendas-produto");
    await sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id) values ('loja', 'feed', 'feed unit')`;
    await sql`insert into estabelecimentos (nome, salon_id) values ('Loja Nova', 'feed unit')`;
    const page = await ask("vendas-produto", after);
    expect(page.data.map(({ registro }) => registro?.unidade_nome)).toEqual(["Loja Nova"]);
    await sql`update estabelecimentos set nome = 'Loja Velha' where salon_id = 'feed unit'`;
    expect((await ask("vendas-produto", page.pagination.next_after)).data).toEqual([]);
  });
});

describe("a marker (C4)", () => {
  let marker: string;
  let parts: string[];
  beforeAll(async () => {
    await insert("feed marker");
    marker = (await follow("lancamentos")).after;
    parts = marker.split(".");
  });
  const asking = (after: string, list = "lancamentos") =>
    get(`/v1/alteracoes/${list}?after=${encodeURIComponent(after)}`);
  const GONE = /^`after` is not of this database .* Begin again without `after`/;

  it("of another feed, of none, or cut short is a 400 (C4)", async () => {
    const [list, epoch, begun, position] = parts;
    const wrong = [
      ...[
        "0",
        "x",
        "lancamentos",
        `${list}.${epoch}`,
        `${list}.${epoch}.${begun}`,
        `${marker}.1`,
        ` ${marker}`,
      ],
      ...[
        `${marker}\n`,
        marker.toUpperCase(),
        `${list}.${epoch}.-1.${position}`,
        `${list}.${epoch}.1e3.${position}`,
      ],
      ...[`${list}.${epoch}.${begun}.${"9".repeat(19)}`, `${list}.'.${begun}.${position}`],
      marker.replace("lancamentos", "transacoes"),
    ];
    for (const after of wrong)
      await expectError(await asking(after), 400, "Bad Request", /^`after` must be /);
    await expectError(
      await asking(marker, "transacoes"),
      400,
      "Bad Request",
      /^`after` must be a `next_after` of this/,
    );
  });

  it("of another epoch, or beyond all there was, is a 410 that says to begin again (C4)", async () => {
    const [list, epoch = "", begun, position] = parts;
    const another = epoch.replace(/^./, (digit) => (digit === "0" ? "1" : "0"));
    await expectError(await asking(`${list}.${another}.${begun}.${position}`), 410, "Gone", GONE);
    const [{ last } = { last: 0 }] = await sql`select last_value::int as last from lancamentos_change_seq`;
    expect((await asking(`${list}.${epoch}.0.${last}`)).status).toBe(200);
    for (const beyond of [`0.${last + 1}`, `${last + 1}.0`, `0.${"9".repeat(18)}`])
      await expectError(await asking(`${list}.${epoch}.${beyond}`), 410, "Gone", GONE);
  });

  it("older than a removal that is forgotten is a 410, and one of a copy begun since is not (C4)", async () => {
    const id = idOf(await insert("feed forgotten"));
    const before = (await follow("lancamentos", marker)).after;
    await sql`delete from lancamentos where id = ${id}`;
    const first = await ask("lancamentos", undefined, 1);
    // As `prune` does, in one statement.
    await sql`with forgotten as (delete from lancamentos_changes where id = ${id} returning change)
      update change_feeds set oldest_kept_change = (select change from forgotten) where list = 'lancamentos'`;
    await expectError(await asking(before), 410, "Gone", GONE);
    const { data } = await follow("lancamentos", first.pagination.next_after);
    expect(data.map((change) => change.id)).not.toContain(id);
    expect(
      (await follow("lancamentos", (await ask("lancamentos", undefined, 1)).pagination.next_after)).data
        .length,
    ).toBe(data.length);
  });
});
