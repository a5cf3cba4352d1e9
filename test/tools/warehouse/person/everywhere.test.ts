// @module-tag server
import { describe, expect, it } from "vitest";
import { erasePersons } from "../../../../tools/warehouse/person/erase.ts";
import type { Kind } from "../../../../tools/warehouse/person/places.ts";
import type { Receipt } from "../../../../tools/warehouse/person/receipts.ts";
import {
  CLIENT,
  db,
  entry,
  erase,
  expectConsistent,
  key,
  NAME,
  OTHER,
  PAID,
  PROFESSIONAL,
  query,
  repeat,
  search,
  TRACES,
  totals,
  usePersons,
  visit,
} from "./fixture.ts";

usePersons();

interface Column {
  table: string;
  column: string;
  isJson: boolean;
  hasId: boolean;
}

/** Every column with text or JSON that the database has. */
const textColumns = (): Promise<Column[]> =>
  query(`
    select c.table_name as table, column_name as column, data_type = 'jsonb' as "isJson",
      exists (select from information_schema.columns as i where i.table_schema = 'public' and i.table_name = c.table_name and i.column_name = 'id') as "hasId"
    from information_schema.columns as c
    join information_schema.tables as t using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE' and data_type in ('text', 'character varying', 'jsonb', 'ARRAY')
    order by 1, 2`);

const run = async (kind: Kind, ids: string[], others = false) => {
  const said: string[] = [];
  let refusals = 0;
  const receipts = await erasePersons(db, {
    kind,
    ids,
    key,
    others,
    command: "person erase",
    progress: (line) => said.push(line),
    report: (_, refused) => {
      refusals = refused;
    },
  });
  return { receipts, refusals, said: said.join("\n") };
};

/** As a reader compares texts: without escapes, case, accents and punctuation. */
const plain = (text: string) =>
  text
    .replaceAll(/\\+u([0-9a-f]{4})/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)))
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ");

/** The columns in which a person is, with the number of rows, as a receipt says it. */
const placesOf = async (traces: RegExp): Promise<string[]> => {
  const lines: string[] = [];
  for (const { table, column } of await textColumns()) {
    const rows = await query(`select ${column}::text as text from ${table} where ${column} is not null`);
    const count = rows.filter(({ text }) => traces.test(plain(text))).length;
    if (count > 0) lines.push(`left in ${table}.${column}: ${count}`);
  }
  return lines;
};

/** A column in which a value is the name of something or of somebody else. */
const TERMS =
  /^(estabelecimentos\.nome|produtos\.nome|profissionais\.(nome|erp_centro_custo_id)|taxas_cartao\.forma_pagamento|pagamentos_erp\.(id_centro_custo|nome_conta_classificacao)|transacoes\.(forma_pagamento_principal|cliente_nome)|vendas_produto\.(produto_nome|forma_pagamento|cliente_nome))$/;

const WORD: Record<Kind, RegExp> = { client: /client/, professional: /profission/ };

/** Puts a person into every column with text or JSON of a row that is not the person's. @returns a function that restores the rows */
const plantEverywhere = async (kind: Kind, id: string, name: string, cpf?: string) => {
  const undo: (() => Promise<unknown>)[] = [];
  const [planted, refused]: [string[], string[]] = [[], []];
  const word = kind === "client" ? "cliente" : "profissional";
  const payload = {
    value: name,
    [name]: 12.5,
    nested: [[{ deep: `Oi, ${name.toUpperCase().normalize("NFD")}!`, kept: "x" }]],
    [`${word}s`]: { [id]: { telefone: "1" }, other: { telefone: "2" } },
    [`${word}_ids`]: `other, ${id};more`,
    json: JSON.stringify({ [`${word}Id`]: id, nota: name, kept: "x" }),
    escaped: `{"nota":"${name.replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)}","kept":1}`,
    ...(cpf && { documento: [cpf, cpf.replace(/^(...)(...)(...)(..)$/, "CPF $1.$2.$3-$4")] }),
  };
  for (const { table, column, isJson, hasId } of await textColumns()) {
    const place = `${table}.${column}`;
    // Nobody but triggers writes facts.
    if (!hasId || table === "agent_tokens" || table.endsWith("_facts")) continue;
    const own =
      table === "transacoes" ? "cliente_salon_id" : table === "vendas_produto" ? "cliente_id" : "null::text";
    const theirs = table === "profissionais" ? "salon_id" : "null::text";
    const [row] = await query(
      `select id, ${column} as value from ${table} where ${own} is distinct from $1::text and ${theirs} is distinct from $1::text order by id desc limit 1`,
      [id],
    );
    if (row === undefined) continue;
    if (place === "profissionais.cpf") continue;
    const inText = TERMS.test(place) ? (cpf ?? "-") : `x ${name}, ${cpf ?? "y"}`;
    const text = WORD[kind].test(column) && !/nome/.test(column) ? `other,${id}` : inText;
    const update = (value: unknown) =>
      query(`update ${table} set ${column} = $1 where id = $2`, [
        isJson && value !== null ? JSON.stringify(value) : value,
        row.id,
      ]);
    const isArray = Array.isArray(row.value) && !isJson;
    const value = isJson
      ? Array.isArray(row.value)
        ? [...row.value, payload]
        : { ...row.value, ...payload }
      : isArray
        ? [text]
        : text;
    await update(value).then(
      () => {
        planted.push(place);
        undo.push(() => update(row.value));
      },
      () => refused.push(place),
    );
  }
  return {
    planted,
    refused,
    restore: async () => {
      for (const step of undo.toReversed()) await step();
    },
  };
};

/** Every row that is not of the planted client or of their visits. */
const others = async () => ({
  visits: await query("select * from transacoes where salon_id not in ('pt 1', 'pt 2') order by id"),
  sales: await query("select * from vendas_produto where transacao_id <> 'pv 1' order by id"),
  entries: await query("select * from lancamentos where salon_id <> 'pl 1' order by id"),
  payments: await query("select * from pagamentos_erp where erp_id <> 970001 order by id"),
  products: await query("select * from produtos order by id"),
  professionals: await query("select * from profissionais order by id"),
  jobs: await query("select * from jobs_log order by id"),
});

describe("an erasure of a person who is everywhere", () => {
  it.each([
    ["client", CLIENT, NAME, undefined, /zuleide quixada|cliente 7f3/],
    ["professional", PROFESSIONAL, PAID, "00000000009", /ubirajara xerem|970013|000 000 000 09|00000000009/],
  ] as const)("leaves nothing of the %s, or says where (A16)", async (kind, id, name, cpf, traces) => {
    // Its check digits are wrong, so nobody has this CPF.
    if (cpf) await query("update profissionais set cpf = case when salon_id = $2 then $1 end", [cpf, id]);
    const { planted, restore } = await plantEverywhere(kind, id, name, cpf);
    expect(planted.length).toBeGreaterThan(40);
    try {
      const { receipts } = await run(kind, [id]);
      const left = await placesOf(traces);
      expect(receipts[0]?.left.toSorted()).toEqual(left.toSorted());
      const base = left.filter((line) => !/_(rollup|facts)\./.test(line));
      expect(base.length).toBeGreaterThan(5);
      // A payload is never left, and values of others in it stay.
      expect(base.filter((line) => /raw_data|servicos|descricao|\.error/.test(line))).toEqual([]);
      const [product] = await query(
        "select raw_data from produtos where salon_id = 'pp 1' or raw_data ? 'json' order by id desc limit 1",
      );
      expect(product.raw_data).toMatchObject({ "removed 1": 12.5, nested: [[{ deep: null, kept: "x" }]] });
      expect(JSON.parse(product.raw_data.json)).toMatchObject({ nota: null, kept: "x" });
      await expectConsistent();
      expect((await run(kind, [id])).receipts[0]?.left).toEqual(receipts[0]?.left);
      const again = await repeat(receipts as Receipt[], kind);
      expect(again[0]?.left).toEqual(receipts[0]?.left);
    } finally {
      await restore();
    }
    expect((await run(kind, [id])).receipts[0]?.left).toEqual([]);
  });
});

describe("an erasure of a client who is called like", () => {
  const LIKE: [what: string, name: string, make: () => Promise<unknown>][] = [
    [
      "a unit",
      "Salão Jardins",
      () =>
        query(
          "update estabelecimentos set nome = 'Salão Jardins' where id = (select min(id) from estabelecimentos)",
        ),
    ],
    [
      "a service",
      "Corte Bordado",
      () =>
        query(
          `update transacoes set servicos = '[{"nome": "CORTE  bordado longo"}]' where salon_id = 'pt 3'`,
        ),
    ],
    ["a product", "Kit Verão", () => query("update produtos set nome = 'Kit Verão' where salon_id = 'pp 1'")],
    [
      "a sold product",
      "Óleo Fino",
      () => query("update vendas_produto set produto_nome = 'Óleo Fino 30 ml' where transacao_id = 'pv 2'"),
    ],
    [
      "an account",
      "Rosa Linda",
      () => query("update pagamentos_erp set nome_conta_classificacao = 'Rosa Linda' where erp_id = 970002"),
    ],
    [
      "a cost centre",
      "Centro Bela",
      () => query("update pagamentos_erp set id_centro_custo = 'Centro Bela' where erp_id = 970002"),
    ],
    [
      "a cost centre of entries",
      "Centro Novo",
      () =>
        query(
          `update lancamentos set raw_data = raw_data || '{"CentroCusto": "Centro Novo"}' where salon_id = 'pl 3'`,
        ),
    ],
    [
      "a payment form",
      "Vale Rosa",
      () => query("update transacoes set forma_pagamento_principal = 'Vale Rosa' where salon_id = 'pt 3'"),
    ],
    [
      "a payee",
      "Rita Braga",
      () =>
        query(
          `update lancamentos set raw_data = raw_data || '{"Pessoa": "Rita Braga"}' where salon_id = 'pl 3'`,
        ),
    ],
    ["a professional", PAID, () => query("select")],
    ["another client", NAME, () => visit("pt 4", "cliente-9", NAME)],
    ["a part of another client's name", "Ana Souza", () => visit("pt 3", OTHER, "Maria Ana Souza Lima")],
    ["somebody with one word", "Zuleide", () => query("select")],
  ];

  it.each(LIKE)("%s, %s, changes nothing of others, and says so (A16)", async (_, name, make) => {
    const stored = await query("select id, nome from estabelecimentos order by id limit 1");
    await visit("pt 1", CLIENT, name);
    await visit("pt 2", CLIENT, name);
    await entry("pl 1", "pt 1", name);
    await query("update vendas_produto set cliente_nome = $1 where transacao_id = 'pv 1'", [name]);
    // Without the id, these are of nobody or of somebody else.
    await query(
      "update transacoes set raw_data = jsonb_build_object('nota', $1::text) where salon_id = 'pt 3'",
      [name],
    );
    await query(
      "update produtos set raw_data = jsonb_build_object('nota', $1::text) where salon_id = 'pp 1'",
      [name],
    );
    await make();
    const [before, sums] = [await others(), await totals()];
    const { receipts, said } = await run("client", [CLIENT]);
    expect(await others()).toEqual(before);
    expect(await totals()).toEqual(sums);
    expect(receipts).toMatchObject([{ names: [], left: [], rows: { transacoes: 2 } }]);
    expect(said).toContain("a name or CPF is not searched for");
    expect(said).not.toContain(name);
    expect(
      (await query("select cliente_nome, cliente_salon_id from transacoes where salon_id = 'pt 1'"))[0],
    ).toEqual({ cliente_nome: null, cliente_salon_id: null });
    const [entryOfVisit] = await query("select raw_data from lancamentos where salon_id = 'pl 1'");
    expect(entryOfVisit.raw_data.Itens[0].Cliente).toBeNull();
    await query("update estabelecimentos set nome = $1 where id = $2", [stored[0].nome, stored[0].id]);
  });
});

describe("an erasure that changes many rows of others", () => {
  it("is refused above 100, names the tables, and leaves the others' persons to be erased (A16)", async () => {
    await query(
      "insert into produtos (salon_id, estabelecimento_id, raw_data) select 'pp n' || n, '101', jsonb_build_object('nota', $1::text) from generate_series(1, 99) as n",
      [NAME],
    );
    expect((await run("client", [CLIENT, "never seen"])).refusals).toBe(1);
    const theirs = async () => [
      await query("select * from transacoes where cliente_salon_id = $1 order by id", [CLIENT]),
      await query("select * from produtos order by id"),
      await query("select * from jobs_log order by id"),
    ];
    const before = await theirs();
    const refused = await run("client", [CLIENT, OTHER]);
    expect(refused.said).toMatch(/^Rows of others that change: jobs_log 1, produtos 100\.$/m);
    expect(refused.said).toContain(
      `would change for client ${key.hashOf("client", CLIENT)}: jobs_log 1, produtos 100.`,
    );
    expect([refused.refusals, refused.receipts.map(({ hash }) => hash)]).toEqual([
      1,
      [key.hashOf("client", OTHER)],
    ]);
    expect(await theirs()).toEqual(before);
    await query("delete from produtos where salon_id in ('pp n1', 'pp n2', 'pp n3')");
    expect((await run("client", [CLIENT])).refusals).toBe(0);
    expect(await search(TRACES)).toEqual([]);
  });

  it("is done with the option that allows them (A16)", async () => {
    await query(
      "insert into produtos (salon_id, estabelecimento_id, raw_data) select 'pp n' || n, '101', jsonb_build_object('nota', $1::text) from generate_series(1, 101) as n",
      [NAME],
    );
    expect(await run("client", [CLIENT], true)).toMatchObject({
      refusals: 0,
      receipts: [{ rows: { produtos: 102 }, left: [] }],
    });
    await query("analyze");
    expect(await search(TRACES)).toEqual([]);
  });
});

const hex = (unit: string) => unit.charCodeAt(0).toString(16).padStart(4, "0");
const escaped = (json: string) => json.replaceAll(/[^ -~]/g, (unit) => `\\u${hex(unit)}`);

/** How a source writes JSON: with the characters, with escapes, and with escapes in capitals and for quotes, too. */
const WRITERS: ((value: unknown) => string)[] = [
  JSON.stringify,
  (value) => escaped(JSON.stringify(value)),
  (value) =>
    escaped(JSON.stringify(value))
      .replaceAll('\\"', "\\u0022")
      .replaceAll(/(?<=\\u)[0-9a-f]{4}/g, (digits) => digits.toUpperCase()),
];

/** A name as a value, within text, after a line break, and as a key. */
const SHAPES: ((name: string) => unknown)[] = [
  (name) => ({ Cliente: name, Valor: 1 }),
  (name) => [{ nota: `Oi, ${name}!` }],
  (name) => ({ nota: `Oi,\n${name}\tTchau` }),
  (name) => ({ [name]: 1 }),
];

/** JSON in JSON, so many times. */
const nested = (write: (value: unknown) => string, value: unknown, depth: number): unknown =>
  depth === 0 ? value : nested(write, { p: write(value) }, depth - 1);

/** Every string and key in a value, also of JSON in strings. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === "object" && value !== null) return Object.entries(value).flat().flatMap(textsIn);
  if (typeof value !== "string") return [];
  try {
    const inner: unknown = JSON.parse(value);
    return typeof inner === "object" ? textsIn(inner) : [value];
  } catch {
    return [value];
  }
};

/** A name as it is stored with the id, and as others write it. */
const NAMES: [stored: string, written: string][] = [
  ["Tarcísio Muñozz", "Tarcísio Muñozz"],
  ["Jo\\ao Zanzotti", "Jo\\ao Zanzotti"],
  ["Jo\\nas \\Zanzotti\\", "Jo\\nas \\Zanzotti\\"],
  ["Weiß Straßerhof", "WEISS STRASSERHOF"],
  ["GROSS STRASSERHOF", "Groß Stra\u1e9eerhof"],
  ["Νίκος Παππάς", "ΝΙΚΟΣ ΠΑΠΠΑΣ"],
  ["ΛΟΥΚΑΣ ΖΑΧΟΣ", "Λουκάς Ζάχος"],
  ["\u{1d419}ilda \u{1d410}uell", "ZI\u0301LDA  quell"],
  ["Zuleide Quixx", "\u{1d419}uleide \u{1d410}uixx"],
];

/** Rows of nobody with a value. One of them has it in a text. */
const plantRow = async (id: string, value: unknown) => {
  const json = JSON.stringify(value);
  await query("insert into produtos (salon_id, estabelecimento_id, raw_data) values ($1, '101', $2)", [
    `pp ${id}`,
    json,
  ]);
  await query(
    "insert into jobs_log (queue, job_name, status, error) values ('q', 'send-receber', 'failed', $1), ('q', 'send-receber', 'failed', $2)",
    [json, `no account: ${json}`],
  );
};

describe("an erasure of names in JSON", () => {
  it("finds names, however JSON in strings writes them (A16)", async () => {
    for (const [n, [stored, written]] of NAMES.entries()) {
      await visit(`pt f${n}`, `cliente-f${n}`, stored);
      for (const [w, write] of WRITERS.entries())
        for (const [s, shape] of SHAPES.entries())
          for (const depth of [0, 1, 3])
            await plantRow(`f${[n, w, s, depth].join()}`, nested(write, shape(written), depth));
    }
    const ids = NAMES.map((_, n) => `cliente-f${n}`);
    const { receipts } = await run("client", ids, true);
    const rows = await query(
      "select salon_id as row, raw_data as value from produtos where salon_id ~ '^pp f' union all select error, to_jsonb(error) from jobs_log where queue = 'q'",
    );
    const words = NAMES.map(([, written]) => written.normalize("NFKD").match(/[\p{L}\p{M}]+/gu) ?? []);
    const isNamed = (text: string) =>
      words.some((name) => name.every((word) => text.normalize("NFKD").includes(word)));
    expect(rows.filter(({ value }) => textsIn(value).some(isNamed))).toEqual([]);
    expect(receipts.map(({ left, rows: { produtos } }) => [left, produtos])).toEqual(
      NAMES.map(() => [[], WRITERS.length * SHAPES.length * 3]),
    );
  });
});

describe("a number with zeros behind the point", () => {
  it("is an id beneath a key for such a person, and nowhere else (A16)", async () => {
    await visit("pt f", "990017", "Zuleide Quixx");
    const payload = (id: unknown) => ({ ClienteId: id, clientes: [`1, ${id};2`], Valor: id });
    const values = ["990017.0", '"990017.00"'].flatMap((id) => [
      `{"ClienteId": ${id}, "Valor": ${id}}`,
      `{"json": ${JSON.stringify(`{"ClienteId": ${id}, "Valor": ${id}}`)}}`,
    ]);
    for (const [n, value] of values.entries())
      await query("insert into produtos (salon_id, estabelecimento_id, raw_data) values ($1, '101', $2)", [
        `pp f${n}`,
        value,
      ]);
    await plantRow("f list", payload("990017.0"));
    await query(
      "insert into lancamentos (salon_id, estabelecimento_id, raw_data) values ('pl f', '101', $1)",
      ['{"Transacao": 970018.0, "Itens": [{"Cliente": "Zuleide"}]}'],
    );
    await visit("970018", "990017", "Zuleide Quixx");
    await erase("client", "990017");
    await query("delete from transacoes where salon_id = '970018'");
    const rows = await query(
      "select raw_data::text as text from produtos where salon_id ~ '^pp f' order by id",
    );
    expect(rows.map(({ text }) => text)).toEqual([
      '{"Valor": 990017.0, "ClienteId": null}',
      String.raw`{"json": "{\"Valor\": 990017.0, \"ClienteId\": null}"}`,
      '{"Valor": "990017.00", "ClienteId": null}',
      String.raw`{"json": "{\"Valor\": \"990017.00\", \"ClienteId\": null}"}`,
      '{"Valor": "990017.0", "clientes": ["1, ;2"], "ClienteId": null}',
    ]);
    expect(await query("select raw_data from lancamentos where salon_id = 'pl f'")).toEqual([
      { raw_data: { Transacao: 970018, Itens: [{ Cliente: null }] } },
    ]);
  });
});
