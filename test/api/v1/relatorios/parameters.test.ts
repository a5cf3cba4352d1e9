// @module-tag server
import { beforeAll, describe, expect, it } from "vitest";
import { SOURCES } from "../../../../src/api/v1/relatorios/sources/index.ts";
import { databaseRequests, get, mendDatabase, send } from "../../../support/worker/api.ts";
import { messageOf, type Query, readReport } from "../../../support/worker/general-reports.ts";

const names = (declared: object) => Object.keys(declared);
const RANGE = { data_inicio: "2026-10-01T00:00:00-03:00", data_fim: "2026-10-31T23:59:59-03:00" };

// Logs in, which asks the database.
beforeAll(() => get("/v1/frescor"));

/** Asserts a 400 with this message, in lenient and strict handling, before the database is asked. */
const expectMessage = async (source: string, query: Query, message: string) => {
  await mendDatabase();
  expect(await messageOf(source, query)).toBe(message);
  const strict = await get(`/v1/relatorios/${source}?${new URLSearchParams(query)}`, {
    Prefer: "handling=strict",
  });
  expect([strict.status, (await strict.json<{ message: string }>()).message]).toEqual([400, message]);
  expect(await databaseRequests()).toBe(0);
};

describe("`por`, `medidas` and `ordem` (R21)", () => {
  const BAD = [
    ["x", '"x"'],
    ["", "an empty value"],
    [" ", "a blank value"],
    [",", '","'],
    ["{1},{1}", '"{1},{1}"'],
    ["{1},", '"{1},"'],
    ["{1},x", '"{1},x"'],
    [" {1}", '" {1}"'],
    ["{1};{2}", '"{1};{2}"'],
    ["-{1},x", '"-{1},x"'],
    ["--{1}", '"--{1}"'],
    ["constructor", '"constructor"'],
  ];

  it("are 400s that list the names if one is unknown, repeated or empty (R21)", async () => {
    for (const { name: source, dimensions, measures } of SOURCES) {
      const columns = names(dimensions).flatMap((name) => {
        const { keys, labels = {} } = dimensions[name] as { keys: object; labels?: object };
        return [...names(keys), ...names(labels)];
      });
      // A label may replace the key of its name.
      const orders = [...new Set(columns), ...names(measures), "variacao"];
      for (const [name, list, rule] of [
        [
          "por",
          names(dimensions),
          "mes" in dimensions
            ? "different dimensions, separated by commas, at most 4, for example mes. The dimensions are"
            : "different dimensions, separated by commas, for example coorte. The dimensions are",
        ],
        [
          "medidas",
          names(measures),
          `different measures, separated by commas, for example ${names(measures)[0]}. The measures are`,
        ],
        ["ordem", orders, `one of the columns, for example -${names(measures)[0]}. The columns are`],
      ] as const) {
        for (const [template = "", got = ""] of BAD) {
          const fill = (text: string) =>
            text.replaceAll("{1}", list[0] ?? "").replaceAll("{2}", list[1] ?? "");
          await expectMessage(
            source,
            { [name]: fill(template) },
            `\`${name}\` must be ${rule} ${list.join(", ")}; got ${fill(got)}.`,
          );
        }
        const twice = await get(`/v1/relatorios/${source}?${name}=${list[0]}&${name}=${list[1]}`);
        expect((await twice.json<{ message: string }>()).message).toBe(
          `\`${name}\` must be given once, not 2 times.`,
        );
      }
    }
  });

  it("takes up to four dimensions (R21)", async () => {
    const four = "dia,hora,unidade,forma_pagamento";
    expect((await readReport("visitas", { por: four, ...RANGE })).data.length).toBeGreaterThan(10);
    expect(await messageOf("visitas", { por: `${four},enviada`, ...RANGE })).toContain("at most 4");
  });

  it("takes one calendar dimension at most (R21)", async () => {
    for (const { name: source, dimensions } of SOURCES)
      if ("mes" in dimensions)
        await expectMessage(
          source,
          { por: "dia,mes" },
          "`por` must have at most one period; got `dia`, `mes`. Send one of them.",
        );
  });

  it("returns columns and measures in the order of the table, whatever the order asked for (R20)", async () => {
    const { data } = await readReport("visitas", {
      por: "forma_pagamento,unidade,mes",
      medidas: "pendentes,visitas",
    });
    expect(Object.keys(data[0] ?? {})).toEqual([
      "mes",
      "estabelecimento_id",
      "unidade_nome",
      "forma_pagamento",
      "visitas",
      "pendentes",
    ]);
  });

  it("has counts, sums and averages as default measures (R21)", async () => {
    const measures = async (source: string) => Object.keys((await readReport(source)).totais).join();
    expect(await measures("faturamento")).toBe(
      "valor_total,valor_servicos,valor_produtos,visitas,ticket_medio",
    );
    expect(await measures("visitas")).toBe(
      "visitas,valor_total,ticket_medio,enviadas,pendentes,valor_pendente,taxas",
    );
    expect(await measures("clientes")).toBe(
      "clientes,visitas,valor_total,ticket_medio,valor_por_cliente,visitas_por_cliente",
    );
    expect(await measures("resultado")).toBe("faturamento,despesas,resultado,margem");
    expect(await measures("servicos")).toBe("servicos,cortesias,valor_total");
    expect(await measures("vendas")).toBe(
      "linhas,quantidade,valor_total,quantidade_profissional,valor_profissional,sem_quantidade",
    );
    expect(await measures("lancamentos")).toBe(
      "lancamentos,valor_total,enviados,pendentes,valor_pendente,sem_valor",
    );
    expect(await measures("pagamentos")).toBe(
      "pagamentos,valor_total,pendentes,valor_pendente,vencidos,valor_vencido,sem_valor",
    );
  });
});

describe("`ordem` (R21)", () => {
  it("is a 400 that lists the columns if it is none of the answer (R21)", async () => {
    const must = "`ordem` must be a column of the answer: ";
    const otherwise =
      ". Send one of these, or add the dimension or measure of that column to `por` or `medidas`.";
    await expectMessage(
      "visitas",
      { por: "unidade", medidas: "visitas", ordem: "-valor_total" },
      `${must}\`estabelecimento_id\`, \`unidade_nome\`, \`visitas\`${otherwise}`,
    );
    await expectMessage("visitas", { medidas: "visitas", ordem: "mes" }, `${must}\`visitas\`${otherwise}`);
    await expectMessage(
      "pagamentos",
      { por: "faixa", medidas: "pagamentos", ordem: "situacao" },
      `${must}\`faixa\`, \`pagamentos\`${otherwise}`,
    );
  });

  it("is `variacao` only with `comparar`, and not of a date (R21, R23)", async () => {
    for (const ordem of ["variacao", "-variacao"]) {
      await expectMessage(
        "visitas",
        { por: "unidade", ordem },
        "`ordem` must not be `variacao` without `comparar`. Send `comparar`, or another `ordem`.",
      );
      await expectMessage(
        "visitas",
        { por: "unidade", medidas: "primeira_visita", ordem, comparar: "anterior", ...RANGE },
        "`ordem` must not be `variacao` if the first measure is a date, as `primeira_visita` is. Send another `ordem`.",
      );
    }
  });
});

describe("filters (R21)", () => {
  it.each(["faturamento", "visitas", "servicos", "vendas"])(
    "of hours of %s that end before they start are a 400 (R21)",
    async (source) => {
      await expectMessage(
        source,
        { hora_min: "10", hora_max: "9" },
        "`hora_min` must not be greater than `hora_max`. Send a lower `hora_min`.",
      );
      await readReport(source, { hora_min: "10", hora_max: "10", ...RANGE });
    },
  );

  it.each([
    ["visitas_min", "3"],
    ["sem_visita_desde", "2026-01-01T00:00:00-03:00"],
  ])("%s without `cliente` in `por` is a 400 (R21)", async (name, value) => {
    for (const query of [{}, { por: "mes" }] as Query[])
      await expectMessage(
        "visitas",
        { ...query, ...RANGE, [name]: value },
        `\`${name}\` must not be given without \`cliente\` in \`por\`. Add \`cliente\` to \`por\`, or omit \`${name}\`.`,
      );
    await readReport("visitas", { por: "cliente", ...RANGE, [name]: value });
  });

  it.each([
    ["dia_semana", "0", "an integer from 1 to 7, for example 6"],
    ["dia_semana", "8", "an integer from 1 to 7, for example 6"],
    ["hora_min", "24", "an integer from 0 to 23, for example 9"],
    ["limite", "0", "an integer from 1 to 1100, for example 10"],
    ["limite", "1101", "an integer from 1 to 1100, for example 10"],
    ["limite", "1.5", "an integer from 1 to 1100, for example 10"],
  ])("%s=%s is a 400 (R21)", (name, value, rule) =>
    expectMessage("visitas", { [name]: value }, `\`${name}\` must be ${rule}; got "${value}".`),
  );

  it.each(["-1", "1,5", "1e3", "NaN", ".5", "5.", "1.234"])("valor_min=%s is a 400 (R21)", (value) =>
    expectMessage(
      "pagamentos",
      { valor_min: value },
      `\`valor_min\` must be a number of at least 0 with a decimal point, at most 12 digits before it and 2 after it, for example 5000.00; got "${value}".`,
    ),
  );

  it("reports every wrong parameter under Prefer: handling=strict (R21, I5)", async () => {
    const named = async (query: string) => {
      const response = await get(`/v1/relatorios/visitas?${query}`, { Prefer: "handling=strict" });
      const { message } = await response.json<{ message: string }>();
      return [...message.matchAll(/(?:^|\. )`([^`]+)` (?:must|is not) /g)].map(([, name]) => name);
    };
    const wrong = "por=dia,mes&medidas=x&ordem=-y&hora_min=9&hora_max=8&color=red";
    expect(await named(wrong)).toEqual(["medidas", "ordem", "por", "hora_min", "color"]);
    const misplaced = "por=mes&medidas=visitas&ordem=taxas&visitas_min=2&hora_max=24";
    expect(await named(misplaced)).toEqual(["hora_max", "ordem", "visitas_min"]);
  });

  it("does not report what depends on a list that is invalid (R21, I5)", async () => {
    for (const por of ["", "x", "mes&por=cliente"]) {
      const query = `por=${por}&visitas_min=2&ordem=-cliente_nome&medidas=visitas`;
      const response = await get(`/v1/relatorios/visitas?${query}`, { Prefer: "handling=strict" });
      const { message } = await response.json<{ message: string }>();
      expect(message).toMatch(/^`por` must be (?!.*`ordem`)(?!.*`visitas_min`)/);
    }
  });
});

describe("`meta` and `valor_com_meta` (R21, B1)", () => {
  it.each<[query: Query, filters?: string]>([
    [{}],
    [{ por: "dia" }],
    [{ por: "trimestre" }],
    [{ por: "unidade" }],
    [{ por: "mes,origem" }],
    [{ por: "mes,hora" }],
    [{ por: "mes", dia_semana: "6" }, "and without other filters than `estabelecimento_id`"],
    [{ por: "mes", origem: "loja" }, "and without other filters than `estabelecimento_id`"],
    [{ por: "ano,unidade", hora_min: "9" }, "and without other filters than `estabelecimento_id`"],
  ])("with %o are a 400 (R20, R21)", async (query, filters = "") => {
    for (const name of ["meta", "valor_com_meta"])
      expect(await messageOf("faturamento", { medidas: `valor_total,${name}`, ...query })).toBe(
        `\`medidas\` must not contain \`${name}\` unless \`por\` is \`mes\` or \`ano\`, alone or with \`unidade\`${
          filters && `, ${filters}`
        }. Change \`por\`, or omit \`${name}\`.`,
      );
  });

  it.each<Query>([
    { periodo: "1955-05", comparar: "anterior" },
    { periodo: "1955-05", comparar: "semana-anterior" },
    { periodo: "mes", comparar: "mes-anterior" },
    { periodo: "2199-12", comparar: "ano-anterior" },
  ])("are compared only over whole months that the data has passed: %o (B1)", async (query) => {
    for (const medidas of ["meta", "valor_total,valor_com_meta"])
      expect(await messageOf("faturamento", { por: "mes", medidas, ...query })).toMatch(
        /^`medidas` must not contain `(meta|valor_com_meta)` with `comparar` unless the range is whole calendar months/,
      );
  });
});

it("a removed report is a 404 (R20)", async () => {
  for (const name of ["transacoes-por-periodo", "vendas-por-produto", "pagamentos-por-conta"])
    expect((await send(`/v1/relatorios/${name}`)).status, name).toBe(404);
});
