// @module-tag server
import { describe, expect, it } from "vitest";
import { erasePersons } from "../../../tools/warehouse/person/erase.ts";
import { db, key, query, silent, usePersons, visit } from "./fixture.ts";

usePersons();

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

describe("an erasure", () => {
  it("finds names, however JSON in strings writes them (A16)", async () => {
    for (const [n, [stored, written]] of NAMES.entries()) {
      await visit(`pt f${n}`, `cliente-f${n}`, stored);
      for (const [w, write] of WRITERS.entries())
        for (const [s, shape] of SHAPES.entries())
          for (const depth of [0, 1, 3])
            await plantRow(`f${[n, w, s, depth].join()}`, nested(write, shape(written), depth));
    }
    const receipts = await erasePersons(db, {
      kind: "client",
      ids: NAMES.map((_, n) => `cliente-f${n}`),
      key,
      others: true,
      command: "person erase",
      ...silent,
    });
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
    await erasePersons(db, { kind: "client", ids: ["990017"], key, command: "person erase", ...silent });
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
