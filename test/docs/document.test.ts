import { beforeAll, describe, expect, it } from "vitest";
import { REASON_PHRASES, type RefusalStatus } from "../../src/core/errors.ts";
import { RELATIVE_PERIODS } from "../../src/core/periods.ts";
import { answerOf, type Document, operationsOf, type Schema } from "../support/document.ts";
import { get, readDocument, send } from "../support/worker/api.ts";

/**
 * Fields that must keep their name and type; `?` means nullable. Fields that were added later are only in the
 * snapshot of the document.
 */
const OBJECTS = `
Transacao: salon_id string, estabelecimento_id string, total string, data_hora date-time, cliente_salon_id string?,
  cliente_nome string?, forma_pagamento_principal string?, valor_pagamento string?, parcelas integer?, qtd_servicos integer?,
  servicos array?, sent_to_erp boolean, synced_at date-time
Servico: idProfissionalQueRealizouServico integer?, profissional_nome string?, erp_centro_custo_id string?
TransacaoDetalhada: salon_id string, estabelecimento_id string, total string, data_hora date-time, cliente_salon_id string?,
  cliente_nome string?, forma_pagamento_principal string?, valor_pagamento string?, parcelas integer?, qtd_servicos integer?,
  servicos array?, sent_to_erp boolean, synced_at date-time, id integer, erp_recebimento_id string?, sent_at date-time?,
  raw_data object
Lancamento: id integer, salon_id string, estabelecimento_id string, raw_data object, synced_at date-time,
  sent_to_salon boolean, sent_at date-time?
PagamentoErp: id integer, erp_id integer, id_centro_custo string?, situacao integer, pago boolean,
  nome_conta_classificacao string?, id_plano_conta_classificacao integer?, valor string?, data_vencimento date?,
  data_pagamento date?, descricao string?, raw_data object, synced_at date-time, updated_at date-time
Produto: salon_id string, estabelecimento_id string, nome string?, raw_data object, synced_at date-time
VendaProduto: origem string, transacao_id string, estabelecimento_id string, unidade_nome string?, data_hora date-time?,
  cliente_id string?, cliente_nome string?, produto_id string?, produto_nome string?, quantidade string?,
  valor_unitario string?, valor_total string?, profissional_id string?, forma_pagamento string?
Profissional: id integer, nome string, salon_id string?, salon_estabelecimento_id string?, erp_centro_custo_id string?,
  erp_unidade_negocio_id string?, cpf string?, ativo boolean, created_at date-time, updated_at date-time
Estabelecimento: id integer, nome string, salon_id string?, erp_id string?, erp_centro_custo_id integer?, ativo boolean,
  created_at date-time
JobLog: id integer, queue string, job_id string?, job_name string, status string, error string?, duration_ms integer?,
  created_at date-time
Resumo: transacoes.total integer, transacoes.valor_total number, transacoes.enviadas_erp integer,
  transacoes.pendentes_erp integer, lancamentos.total integer, jobs_ultimas_24h.concluidos integer,
  jobs_ultimas_24h.falhados integer, anterior ResumoAnterior
TransacaoPorProfissional: profissional string?, profissional_salon_id string?, estabelecimento_id string,
  total_transacoes integer, valor_total number
TransacaoPorFormaPagamento: forma_pagamento string?, total_transacoes integer, valor_total number, ticket_medio number,
  taxa_cobrada_profissional number?
NaoMapeados: profissionais array, estabelecimentos array
Painel: unidades array, faturamento PainelFaturamento, faturamento_por_periodo PainelFaturamentoPorPeriodo,
  metas PainelMetas, metas_por_unidade PainelMetasPorUnidade, faturamento_por_unidade PainelFaturamentoPorUnidade,
  faturamento_por_unidade_e_periodo PainelFaturamentoPorUnidadeEPeriodo, visitas PainelVisitas,
  visitas_por_forma_pagamento PainelVisitasPorFormaPagamento, pendentes PainelPendentes,
  pendentes_antigos PainelPendentesAntigos, lancamentos_pendentes PainelLancamentosPendentes,
  lancamentos_pendentes_antigos PainelLancamentosPendentesAntigos,
  servicos_por_profissional PainelServicosPorProfissional,
  servicos_por_unidade_e_profissional PainelServicosPorUnidadeEProfissional, frescor Frescor
PainelMetas: data array, linhas integer, totais PainelMetasMedidas
PainelMetasMedidas: valor_total number, meta number?
PainelPendentes: data array, linhas integer, totais PainelPendentesMedidas
PainelPendentesMedidas: visitas integer, valor_total number, primeira_visita date-time?
JobFrescor: job_name string, ultimo_sucesso date-time?, ultima_falha date-time?, em_andamento_desde date-time?,
  atraso_segundos integer?
CatalogoFrescor: estabelecimento_id string, synced_at date-time
Frescor: data array, catalogo array, agora date-time, hoje date
Faturamento: data array, linhas integer, totais FaturamentoTotais, anterior RangeAnterior
Visitas: data array, linhas integer, totais VisitasTotais, anterior RangeAnterior
Servicos: data array, linhas integer, totais ServicosTotais, anterior RangeAnterior
Vendas: data array, linhas integer, totais VendasTotais, anterior RangeAnterior
Lancamentos: data array, linhas integer, totais LancamentosTotais, anterior RangeAnterior
Pagamentos: data array, linhas integer, totais PagamentosTotais, anterior RangeAnterior
RangeAnterior: inicio date-time, fim date-time
User: id integer, email string, name string
TokenResponse: access_token string, refresh_token string, token_type string, expires_in integer
Pagination: page integer, per_page integer, total integer, total_pages integer
CursorPagination: per_page integer, next_after_id integer?, has_more boolean
Error: error string, message string
Health: status string, version string, uptime integer, timestamp date-time
`;

const CALENDAR = "dia date, semana date, mes date, trimestre date, ano date";
const CYCLE = "dia_semana integer, hora integer";
const UNIT = "estabelecimento_id string, unidade_nome string?";

/** The columns of the general reports (R20). A row has those that were asked for. */
const COLUMNS = `
Faturamento: ${CALENDAR}, ${CYCLE}, ${UNIT}, origem string; valor_total number, valor_servicos number, valor_produtos number, visitas integer, ticket_medio number?, meta number?, valor_com_meta number
Visitas: ${CALENDAR}, ${CYCLE}, ${UNIT}, forma_pagamento string?, parcelas integer?, sent_to_erp boolean, cliente_salon_id string?, cliente_nome string?; visitas integer, valor_total number, ticket_medio number?, enviadas integer, pendentes integer, valor_pendente number, taxas number, clientes integer, clientes_novos integer, primeira_visita date-time?, ultima_visita date-time?
Servicos: ${CALENDAR}, ${CYCLE}, ${UNIT}, servico string?, profissional_salon_id string?, profissional string?; servicos integer, cortesias integer, valor_total number, visitas integer
Vendas: ${CALENDAR}, ${CYCLE}, ${UNIT}, origem string, produto_id string?, produto_nome string?, profissional_salon_id string?, profissional string?, forma_pagamento string?, cliente_id string?, cliente_nome string?; linhas integer, quantidade number, valor_total number, quantidade_profissional number, valor_profissional number, sem_quantidade integer, transacoes integer
Lancamentos: ${CALENDAR}, ${UNIT}, pessoa string?, centro_custo string?, sent_to_salon boolean; lancamentos integer, valor_total number, enviados integer, pendentes integer, valor_pendente number, sem_valor integer
Pagamentos: ${CALENDAR}, nome_conta_classificacao string?, id_centro_custo string?, unidade_nome string?, situacao integer, faixa string; pagamentos integer, valor_total number, pendentes integer, valor_pendente number, vencidos integer, valor_vencido number, sem_valor integer, vencimento_mais_antigo date?
`;

const QUESTION = "por string, medidas string, ordem string, limite integer>=1<=1100";
const RANGE = "data_inicio date-time, data_fim date-time, periodo string";
const COMPARISON = "comparar anterior|semana-anterior|mes-anterior|ano-anterior, formato csv|excel";
const HOURS = "dia_semana integer>=1<=7, hora_min integer>=0<=23, hora_max integer>=0<=23";

/** Parameters that must keep their name and type, with enum values or bounds. */
const PARAMETERS = `
/v1/transacoes: page integer>=1<=9007199254740991, per_page integer>=1<=200, data_inicio date-time, data_fim date-time, estabelecimento_id string, sent_to_erp true|false, cliente_salon_id string
/v1/transacoes/{id}: id string
/v1/lancamentos: page integer>=1<=9007199254740991, per_page integer>=1<=200, after_id integer>=0, data_inicio date-time, data_fim date-time, estabelecimento_id string, sent_to_salon true|false
/v1/lancamentos/{id}: id string
/v1/pagamentos-erp: page integer>=1<=9007199254740991, per_page integer>=1<=200, after_id integer>=0, situacao 1|2, id_centro_custo string, nome_conta_classificacao string, data vencimento|pagamento, ordem id|vencimento, valor_min number, data_inicio date-time, data_fim date-time
/v1/pagamentos-erp/{id}: id integer
/v1/profissionais: page integer>=1<=9007199254740991, per_page integer>=1<=200, ativo true|false, estabelecimento_id string, salon_id string
/v1/profissionais/{id}: id integer
/v1/estabelecimentos: ativo true|false, salon_id string
/v1/estabelecimentos/{id}: id integer
/v1/produtos: page integer>=1<=9007199254740991, per_page integer>=1<=200, estabelecimento_id string, nome string, salon_id string
/v1/vendas-produto: page integer>=1<=9007199254740991, per_page integer>=1<=200, estabelecimento_id string, data_inicio date-time, data_fim date-time, origem salao|loja, cliente_id string, produto_id string
/v1/jobs-log: page integer>=1<=9007199254740991, per_page integer>=1<=200, job_name sync-transacoes|send-receber|send-pagar, status started|completed|failed, data_inicio date-time, data_fim date-time
/v1/relatorios/resumo: data_inicio date-time, data_fim date-time, estabelecimento_id string
/v1/relatorios/transacoes-por-profissional: data_inicio date-time, data_fim date-time, estabelecimento_id string, limite integer>=1<=500
/v1/relatorios/transacoes-por-forma-pagamento: data_inicio date-time, data_fim date-time, estabelecimento_id string
/v1/relatorios/nao-mapeados: data_inicio date-time, data_fim date-time, estabelecimento_id string
/v1/relatorios/painel: data_inicio date-time, data_fim date-time, estabelecimento_id string, granularidade dia|mes
/v1/relatorios/faturamento: ${QUESTION}, ${RANGE}, ${COMPARISON}, ${HOURS}, estabelecimento_id string, origem salao|loja
/v1/relatorios/visitas: ${QUESTION}, ${RANGE}, ${COMPARISON}, ${HOURS}, estabelecimento_id string, sent_to_erp true|false, forma_pagamento string, parcelas_min integer>=1<=1000, cliente_salon_id string, visitas_min integer>=1<=100000, sem_visita_desde date-time
/v1/relatorios/servicos: ${QUESTION}, ${RANGE}, ${COMPARISON}, ${HOURS}, estabelecimento_id string, servico string, profissional_salon_id string
/v1/relatorios/vendas: ${QUESTION}, ${RANGE}, ${COMPARISON}, ${HOURS}, estabelecimento_id string, origem salao|loja, produto_id string, cliente_id string
/v1/relatorios/lancamentos: ${QUESTION}, ${RANGE}, ${COMPARISON}, estabelecimento_id string, data vencimento|sincronizacao, sent_to_salon true|false, pessoa string
/v1/relatorios/pagamentos: ${QUESTION}, ${RANGE}, ${COMPARISON}, data vencimento|pagamento, situacao 1|2, id_centro_custo string, nome_conta_classificacao string, valor_min number
`;

/** The default values of parameters. */
const defaults: Record<string, unknown> = {
  page: 1,
  per_page: 50,
  data: "vencimento",
  granularidade: "mes",
};

/** Parses lines of `Name: item, item`, which may be wrapped, into sorted lists by name. */
const readTable = (text: string): Record<string, string[]> =>
  Object.fromEntries(
    text
      .trim()
      .replaceAll(/\n +/g, " ")
      .split("\n")
      .map((line) => {
        const [name = "", items = ""] = line.split(/: (.*)/s);
        return [name, items.split(", ").sort()];
      }),
  );

const typeOf = ({ $ref, type, format }: Schema): string => {
  if ($ref) return $ref.split("/").pop() ?? "";
  const types = [type ?? "none"].flat();
  const base = types.find((one) => one !== "null");
  const named = format === "date-time" || format === "date" ? format : base;
  return `${named}${types.includes("null") ? "?" : ""}`;
};

const fieldsOf = (schema: Schema, prefix = ""): string[] =>
  Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    Object.keys(field.properties ?? {}).length > 0
      ? fieldsOf(field, `${prefix}${name}.`)
      : [`${prefix}${name} ${typeOf(field)}`],
  );

const parameterType = (schema: Schema): string => {
  if (schema.enum) return schema.enum.join("|");
  const { minimum, maximum } = schema;
  const bounds =
    schema.type === "integer"
      ? `${minimum === undefined ? "" : `>=${minimum}`}${maximum === undefined ? "" : `<=${maximum}`}`
      : "";
  return `${typeOf(schema)}${bounds}`;
};

let document: Document;

beforeAll(async () => {
  document = await readDocument();
});

describe("the OpenAPI document", () => {
  it("is OpenAPI 3.1, has version 1.0.0 and declares the bearer scheme", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.0.0");
    expect(document.components.securitySchemes).toMatchObject({
      bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    });
  });

  it.each(Object.entries(readTable(OBJECTS)))(
    "documents the fields of %s, with their types and nullability",
    (name, expected) => {
      const schema = document.components.schemas[name] ?? {};
      expect(fieldsOf(schema)).toEqual(expect.arrayContaining(expected));
      const optional = [...(name === "Servico" ? ["idProfissionalQueRealizouServico"] : []), "anterior"];
      const required = Object.keys(schema.properties ?? {}).filter((field) => !optional.includes(field));
      expect([...(schema.required ?? [])].sort()).toEqual(required.sort());
    },
  );

  it("gives the last instant of a day in Brasília as the example of every `data_fim` (I3)", () => {
    const examples = operationsOf(document).flatMap(({ operation: { parameters = [] } }) =>
      parameters.flatMap(({ name, schema }) => (name === "data_fim" ? [String(schema.example)] : [])),
    );
    expect(examples.length).toBeGreaterThan(10);
    expect(examples.filter((example) => !example.endsWith("T23:59:59.999999-03:00"))).toEqual([]);
  });

  it.each(Object.keys(readTable(COLUMNS)))(
    "documents the columns of %s in order, of which none is required (R20)",
    (name) => {
      const [, line = ""] = new RegExp(`^${name}: (.*)$`, "m").exec(COLUMNS) ?? [];
      const [dimensions = [], measures = []] = line.split("; ").map((text) => text.split(", "));
      const { schemas } = document.components;
      const row = schemas[`${name}Linha`] ?? {};
      expect(fieldsOf(row)).toEqual([...dimensions, ...measures, `anterior ${name}Medidas`]);
      expect(fieldsOf(schemas[`${name}Medidas`] ?? {})).toEqual(measures);
      expect([row.required, schemas[`${name}Medidas`]?.required]).toEqual([undefined, undefined]);
    },
  );

  it.each(Object.entries(readTable(PARAMETERS)))(
    "documents the parameters of %s, with their types",
    (path, expected) => {
      const parameters = document.paths[path]?.get?.parameters ?? [];
      const known = parameters.map(({ name, schema }) => `${name} ${parameterType(schema)}`);
      expect(known).toEqual(expect.arrayContaining(expected));
      for (const parameter of parameters) {
        expect(parameter.required ?? false, parameter.name).toBe(parameter.in === "path");
        expect(parameter.schema.default, parameter.name).toBe(defaults[parameter.name]);
      }
    },
  );

  it("says that irregular data of the source passes unchanged in raw_data and servicos (V2)", () => {
    const fields = Object.values(document.components.schemas).flatMap(({ properties = {} }) =>
      Object.entries(properties),
    );
    // A report has a field `servicos`, too: a count.
    const payloads = fields.filter(
      ([name, field]) => /^(raw_data|servicos)$/.test(name) && !typeOf(field).startsWith("integer"),
    );
    expect(payloads).toHaveLength(6);
    for (const [, { description }] of payloads)
      expect(description).toMatch(/Irregular data of the source passes through unchanged/);
  });

  it("has an example of its own for each error of each operation, as the service words it (E1, D2)", async () => {
    const messages = new Map<string, Set<string>>();
    for (const { path, operation } of operationsOf(document))
      for (const status of Object.keys(operation.responses).filter((one) => Number(one) >= 400)) {
        const { content } = answerOf(document, operation, status);
        const example = content?.["application/json"]?.example as { error: string; message: string };
        expect([path, status, example?.error]).toEqual([
          path,
          status,
          REASON_PHRASES[Number(status) as RefusalStatus],
        ]);
        messages.set(example.message, new Set([...(messages.get(example.message) ?? []), status]));
      }
    expect([...messages.values()].filter(({ size }) => size > 1)).toEqual([]);
    const answered = async (answer: Promise<Response>) =>
      ((await (await answer).json()) as { message: string }).message;
    for (const message of [
      await answered(send("/v1/frescor", { headers: { Authorization: "Bearer x" } })),
      await answered(get("/v1/jobs-log?per_page=0")),
    ])
      expect(messages.has(message)).toBe(true);
  });

  it("lists every name that `periodo` takes beside the parameter (I7)", async () => {
    const { paths } = await readDocument();
    const described = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters = [] }) => parameters.filter(({ name }) => name === "periodo"));
    expect(described.length).toBeGreaterThan(5);
    for (const { description } of described)
      for (const name of [...RELATIVE_PERIODS, "2026-T4", "2026-S48", "2026-11-30"])
        expect(description).toContain(name);
  });

  it("gives every integer the format int64 and every other number the format double (D2)", () => {
    const numbers: Schema[] = [];
    const collect = (node: unknown): void => {
      if (typeof node !== "object" || node === null) return;
      const { type } = node as Schema;
      if ([type].flat().some((one) => one === "integer" || one === "number")) numbers.push(node as Schema);
      for (const [name, child] of Object.entries(node)) if (name !== "example") collect(child);
    };
    collect(document);
    expect(numbers.length).toBeGreaterThan(100);
    const formats = numbers.map(({ type, format }) => `${[type].flat()[0]} ${format}`);
    expect(new Set(formats)).toEqual(new Set(["integer int64", "number double"]));
  });

  it("has {data, pagination} in lists, {data} in fixed reports and in the list of units, and more in general reports (R20, R22)", () => {
    const keys = (path: string) => {
      const schema = document.paths[path]?.get?.responses["200"]?.content?.["application/json"]?.schema;
      return Object.keys(document.components.schemas[schema?.$ref?.split("/").pop() ?? ""]?.properties ?? {});
    };
    for (const path of [
      "transacoes",
      "lancamentos",
      "pagamentos-erp",
      "profissionais",
      "produtos",
      "vendas-produto",
      "jobs-log",
    ]) {
      expect(keys(`/v1/${path}`), path).toEqual(["data", "pagination"]);
    }
    for (const path of [
      "estabelecimentos",
      "relatorios/transacoes-por-profissional",
      "relatorios/transacoes-por-forma-pagamento",
    ]) {
      expect(keys(`/v1/${path}`), path).toEqual(["data"]);
    }
    for (const name of ["faturamento", "visitas", "servicos", "vendas", "lancamentos", "pagamentos"])
      expect(keys(`/v1/relatorios/${name}`), name).toEqual(["data", "linhas", "totais", "anterior"]);
  });
});
