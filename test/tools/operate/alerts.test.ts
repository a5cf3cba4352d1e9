import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { AlertsError, parseAlerts, readAlerts } from "../../../tools/operate/alerts.ts";
import { fences } from "../../support/node/pages.ts";

const folder = mkdtempSync(join(tmpdir(), "alerts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const errorsOf = (read: () => unknown): string[] => {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof AlertsError)) throw error;
    return error.message.split("\n");
  }
};
const QUESTION = 'question = "pagamentos?medidas=valor_vencido"';
const VISITS = 'question = "visitas?medidas=visitas"';
const rule = (...lines: string[]) => ["[[alert]]", ...lines].join("\n");
/** The errors of a file with one rule, which is valid but for these lines. */
const errorsIn = (lines: string[], name = 'name = "Contas"') =>
  errorsOf(() => parseAlerts(rule(name, ...lines))).slice(1);

describe("alerts.toml", () => {
  it("is valid, and so are the rules in the docs (W3)", () => {
    expect(errorsOf(() => readAlerts())).toEqual([]);
    const shown = fences.filter(({ language, text }) => language === "toml" && text.includes("[[alert]]"));
    expect(shown.map(({ text }) => parseAlerts(text).length)).toEqual([3]);
  });

  it("has rules with a question of any general report, and the unit as its filter (W3)", () => {
    const text = [
      rule('name = "Contas vencidas"', QUESTION, "above = 5_000"),
      rule(
        'name = "Ontem <&>"',
        'question = "faturamento?medidas=valor_total&periodo=ontem"',
        "below = 800.5",
        'unit = "1 01"',
      ),
      rule(
        'name = "Pix"',
        "question = 'visitas?forma_pagamento=Cart%C3%A3o+%23&medidas=visitas&sent_to_erp=false'",
        "below = 0x0",
      ),
    ].join("\n\n");
    expect(parseAlerts(text)).toEqual([
      {
        name: "Contas vencidas",
        path: "/v1/relatorios/pagamentos?medidas=valor_vencido",
        measure: "valor_vencido",
        above: 5000,
      },
      {
        name: "Ontem <&>",
        path: "/v1/relatorios/faturamento?medidas=valor_total&periodo=ontem&estabelecimento_id=1+01",
        measure: "valor_total",
        below: 800.5,
      },
      {
        name: "Pix",
        path: "/v1/relatorios/visitas?forma_pagamento=Cart%C3%A3o+%23&medidas=visitas&sent_to_erp=false",
        measure: "visitas",
        below: 0,
      },
    ]);
  });

  it.each<[question: string, error: RegExp]>([
    ["painel?medidas=x", /`question` must be a general report, .*The reports are `faturamento`, /],
    ["/v1/relatorios/visitas?medidas=visitas", /must be a general report/],
    ["visitas", /`question` must be a general report, `\?` and/],
    ["", /`question` must be a general report/],
    [
      "visitas?periodo=ontem",
      /`question`: `medidas` must be exactly one measure that is a number: `visitas`, /,
    ],
    ["visitas?medidas=visitas,valor_total", /`medidas` must be exactly one/],
    ["visitas?medidas=primeira_visita&periodo=mes", /`medidas` must be exactly one measure that is a number/],
    ["visitas?medidas=valor", /`question`: `medidas` must be different measures.*; got "valor"\.$/],
    [
      "visitas?medidas=visitas&periodo=mes&periodo=ano",
      /`question`: `periodo` must be given once, not 2 times\.$/,
    ],
    ["pagamentos?medidas=pagamentos&valor_min=abc", /`question`: `valor_min` must be a number /],
    [
      "visitas?medidas=visitas&data_inicio=2026-02-01T00:00:00Z&data_fim=2026-01-01T00:00:00Z",
      /`data_inicio` must not be later than `data_fim`/,
    ],
    [
      "visitas?medidas=visitas&situacao=1",
      /`situacao` is not a parameter of a rule about `visitas`\. The parameters are `medidas`, `data_inicio`/,
    ],
    ["visitas?medidas=visitas&=1", /`` is not a parameter/],
    ...["por=mes", "comparar=anterior&periodo=mes", "ordem=visitas", "limite=1", "formato=csv"].map(
      (query): [string, RegExp] => [
        `visitas?medidas=visitas&${query}`,
        new RegExp(`\`${query.split("=")[0]}\` must not be given, because a rule compares one figure`),
      ],
    ),
    ...[
      "visitas?medidas=visitas&cliente_salon_id",
      "vendas?medidas=linhas&cliente_id",
      "lancamentos?medidas=lancamentos&pessoa",
    ].map((question): [string, RegExp] => [
      `${question}=Ana`,
      new RegExp(
        `\`${question.split("&")[1]}\` must not be given, because an alert is about no single person`,
      ),
    ]),
    [
      "visitas?medidas=visitas&visitas_min=2",
      /`visitas_min` must not be given, because it needs `cliente` in `por`/,
    ],
    [
      "visitas?medidas=visitas&forma_pagamento=a b",
      /The query must be encoded as in a URL: write a space as `\+`/,
    ],
    ["visitas?medidas=visitas#x", /The query must be encoded as in a URL/],
    [
      "visitas?medidas=visitas&forma_pagamento=%E3",
      /`question`: `forma_pagamento` is not percent-encoded UTF-8/,
    ],
    ["visitas?medidas=visitas&forma_pagamento=%00", /`forma_pagamento` must be text of 1 to 100 characters/],
  ])("refuses the question %s, with one error (W3)", (question, error) => {
    expect(errorsIn([`question = "${question}"`, "above = 1"])).toEqual([expect.stringMatching(error)]);
  });

  it.each<[what: string, lines: string[], error: RegExp]>([
    ["no question", ["above = 1"], /^- Rule 1 \(Contas\): `question` is required: text /],
    ["a question that is a number", ["question = 5", "above = 1"], /`question` must be text .*; got 5\.$/],
    [
      "a long question",
      [`question = "visitas?medidas=visitas&x=${"y".repeat(2000)}"`, "above = 1"],
      /`question` must be text of at most 2000 characters.*…\.$/,
    ],
    ["no limit", [QUESTION], /`above` or `below` is required: the limit\.$/],
    ["two limits", [QUESTION, "above = 1", "below = 0"], /`below` must not be given together with `above`/],
    ["a limit in quotes", [QUESTION, 'above = "5000"'], /`above` must be a finite number .*; got '5000'\.$/],
    ["no number", [QUESTION, "below = nan"], /`below` must be a finite number .*; got NaN\.$/],
    ["infinity", [QUESTION, "below = inf"], /`below` must be a finite number .*; got Infinity\.$/],
    [
      "three decimals of a quoted key",
      [QUESTION, '"below"= -1_5.125 # x'],
      /`below` must not have exactly three decimals.*; got -1_5\.125\. Write -15125 or -15\.1250\.$/,
    ],
    ["a date as limit", [QUESTION, "below = 2026-01-01"], /`below` must be a finite number /],
    [
      "a unit that is a number",
      [VISITS, "above = 1", "unit = 101"],
      /`unit` must be the `salon_id` of a unit in quotes, such as "101"; got 101\.$/,
    ],
    ["an empty unit", [VISITS, "above = 1", 'unit = ""'], /`unit` must be text of 1 to 64 characters/],
    [
      "a unit for a report without units",
      [QUESTION, "above = 1", 'unit = "101"'],
      /`unit` must not be given, because `pagamentos` has no units/,
    ],
    [
      "a unit that the question has, too",
      ['question = "visitas?medidas=visitas&estabelecimento_id=101"', "above = 1", 'unit = "101"'],
      /`unit` must not be given together with `estabelecimento_id`/,
    ],
    ["an unknown key", [QUESTION, "above = 1", "limit = 2"], /'limit' is not a key of a rule\. The keys are/],
    ["the key __proto__", [QUESTION, "above = 1", "__proto__ = 2"], /'__proto__' is not a key of a rule/],
    ["the key toString", [QUESTION, "above = 1", "toString = 2"], /'toString' is not a key of a rule/],
  ])("refuses %s, with one error that names the key (W3)", (_, lines, error) => {
    expect(errorsIn(lines)).toEqual([expect.stringMatching(error)]);
  });

  it.each([
    ["5.000", 5000, 5],
    ["5_000.000", 5_000_000, 5000],
    ["0.125", 0.125],
    ["+0.500", 0.5],
    ["-0.001", -0.001],
    ["-12.345", -12_345, -12.345],
    ["1_0.250", 10_250, 10.25],
  ])("advises valid numbers for the limit %s, which are that number or thousands (W3)", (value, ...meant) => {
    const [error = ""] = errorsIn([QUESTION, `above = ${value}`]);
    const advised = /\. Write (.*)\.$/.exec(error)?.[1]?.split(" or ") ?? [];
    expect(
      advised.map((one) => parseAlerts(rule('name = "Contas"', QUESTION, `above = ${one}`))[0]?.above),
    ).toEqual(meant);
  });

  it.each([
    ["none", ""],
    ["an empty one", 'name = ""'],
    ["a blank one", 'name = "  "'],
    ["61 characters", `name = "${"x".repeat(61)}"`],
    ["a line break", 'name = "a\\nb"'],
    ["a NUL", 'name = "a\\u0000b"'],
    ["an invisible character", 'name = "a\\u202Eb"'],
    ["a number", "name = 5"],
    ["a table", "name = { a = 1 }"],
  ])("refuses a name that is %s, and shows the number of the rule (W3)", (_, name) => {
    const errors = errorsIn([QUESTION, "above = 1"], name);
    expect(errors).toEqual([
      expect.stringMatching(/^- Rule 1: `name` (is required: |must be )text of 1 to 60 characters/),
    ]);
  });

  it("accepts a name of 60 characters and refuses it twice, also with another question (W3)", () => {
    const name = `name = "${"x".repeat(60)}"`;
    const other = rule(name, VISITS, "below = 1");
    expect(errorsIn([QUESTION, "above = 1"], name)).toEqual([]);
    expect(errorsIn([QUESTION, "above = 1", other], name)).toEqual([
      expect.stringMatching(/^- Rule 2 \(x+\): `name` must differ from the name of every other rule/),
    ]);
  });

  it.each<[string, string, RegExp]>([
    ["a syntax error", "[[alert]]\nname = Contas", /^- Line 2, column 8: .*\. Correct the line\.$/],
    ["a repeated key", rule('name = "a"', 'name = "b"'), /^- Line 3, column \d+: /],
    ["a repeated table", "[alert]\n[alert]", /^- Line 2, column \d+: /],
    ["a table instead of a list", "[alert]\nname = 'a'", /^- `alert` must be a list of tables\. Begin each/],
    ["a list of numbers", "alert = [1]", /^- `alert` must be a list of tables\. Begin each rule with/],
    ["another list", "[[alerts]]\nname = 'a'", /^- 'alerts' is outside of a rule\. Begin each rule with/],
    ["a huge integer", rule("above = 9007199254740993"), /^- Line 2, column \d+: /],
    ["an empty file", " \n\n", /^- The file is empty\. Restore it: without a rule, it needs a comment\.$/],
  ])("refuses %s with its place and what to do (W3)", (_, text, error) => {
    expect(errorsOf(() => parseAlerts(text))).toEqual([
      "alerts.toml has 1 error:",
      expect.stringMatching(error),
    ]);
  });

  it("has at most 20 rules (W3)", () => {
    const rules = Array.from({ length: 21 }, (_, n) => rule(`name = "${n}"`, QUESTION, "above = 1"));
    expect(parseAlerts(rules.slice(1).join("\n"))).toHaveLength(20);
    expect(errorsOf(() => parseAlerts(rules.join("\n")))[1]).toMatch(
      /^- There are 21 rules\. Keep at most 20/,
    );
  });

  it("shows all errors at once, without characters that would change the terminal (W3)", () => {
    const text = `x = 1\n${rule('name = "a\\u001B[2J"', "above = true")}\n${rule('name = "b"', "unit = 1")}`;
    const errors = errorsOf(() => parseAlerts(text));
    expect(errors.map((error) => error.match(/`\w+`|'x'/)?.[0])).toEqual([
      undefined,
      "'x'",
      "`name`",
      "`question`",
      "`above`",
      "`question`",
      "`unit`",
      "`above`",
    ]);
    expect(errors[0]).toBe("alerts.toml has 7 errors:");
    expect(errors.join()).not.toContain("\u001B");
  });

  it.each<[string, string | Buffer | undefined, RegExp]>([
    ["missing", undefined, /^- The file is missing\. Restore it/],
    ["huge", `#${"x".repeat(65_536)}`, /^- The file has 65537 bytes\. Shorten it to at most 65536\.$/],
    ["not UTF-8", Buffer.from([0x23, 0xe3]), /^- The file is not UTF-8\. Save it as UTF-8\.$/],
    ["binary", Buffer.from([0x23, 0]), /^- Line 1, column \d+: /],
  ])("is an error if it is %s (W3)", (what, content, error) => {
    const file = join(folder, `${what}.toml`);
    if (content !== undefined) writeFileSync(file, content);
    expect(errorsOf(() => readAlerts(file))[1]).toMatch(error);
  });

  it("may begin with a byte order mark and have only comments (W3)", () => {
    const file = join(folder, "comments.toml");
    writeFileSync(file, "\uFEFF# No rule.\n");
    expect(readAlerts(file)).toEqual([]);
  });
});
