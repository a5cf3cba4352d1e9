// @module-tag server
import { expect, it } from "vitest";
import { operationsOf, type Parameter } from "../../support/document.ts";
import { get, readDocument } from "../../support/worker/api.ts";

type Pair = readonly [one: string, other: string];
type Query = Record<string, string>;

const YEAR = { data_inicio: "2026-01-01T00:00:00Z", data_fim: "2026-12-31T00:00:00Z" };

/** Two values of each parameter that give different responses. Words of an enumeration and fields need none. */
/** In place of a value: the parameter is not sent. */
const OMITTED = "";
const VALUES: Record<string, Pair> = {
  page: ["1", "2"],
  per_page: ["3", "4"],
  after_id: ["0", "5"],
  limite: ["1", "2"],
  data_inicio: [YEAR.data_inicio, "2026-10-01T00:00:00Z"],
  data_fim: ["2026-02-01T00:00:00Z", YEAR.data_fim],
  periodo: ["2026-03", "2026-10"],
  estabelecimento_id: ["101", "103"],
  salon_id: ["101", "103"],
  cliente_salon_id: ["C17", "C18"],
  cliente_id: ["C17", "C18"],
  produto_id: ["P1", "P2"],
  nome: ["shampoo", "óleo"],
  id_centro_custo: ["7001", "7003"],
  nome_conta_classificacao: ["Aluguel", "Água"],
  por: ["mes", "ano"],
  dia_semana: ["2", "6"],
  hora_min: ["0", "15"],
  hora_max: ["12", "23"],
  forma_pagamento: ["Pix", "Dinheiro"],
  parcelas_min: ["1", "3"],
  visitas_min: ["1", "2"],
  sem_visita_desde: ["2026-06-01T00:00:00Z", "2026-11-01T00:00:00Z"],
  servico: ["Corte feminino", "Manicure"],
  profissional_salon_id: ["5001", "5002"],
  valor_min: ["1", "5000"],
  visitas_max: ["1", "3"],
  meses_min: ["1", "2"],
  retorno_dias: ["1", "365"],
  da_unidade: ["101", "102"],
  explicar: ["true", OMITTED],
  novos: ["true", OMITTED],
  so_produtos: ["true", OMITTED],
};
/** The values where those of the name do not exist. */
const OF_ROUTE: Record<string, Pair> = {
  "/v1/profissionais salon_id": ["5001", "5002"],
  "/v1/produtos salon_id": ["P1", "P2"],
  "/v1/vendas-produto estabelecimento_id": ["201", "203"],
  "/v1/relatorios/vendas estabelecimento_id": ["201", "203"],
  "/v1/pagamentos-erp ordem": ["id", "vencimento"],
  "/v1/relatorios/faturamento medidas": ["valor_total", "visitas"],
  "/v1/relatorios/visitas medidas": ["visitas", "valor_total"],
  "/v1/relatorios/clientes medidas": ["clientes", "visitas"],
  "/v1/relatorios/clientes por": ["unidade", "frequencia"],
  "/v1/relatorios/resultado medidas": ["faturamento", "despesas"],
  "/v1/relatorios/servicos medidas": ["servicos", "cortesias"],
  "/v1/relatorios/vendas medidas": ["linhas", "valor_total"],
  "/v1/relatorios/lancamentos medidas": ["lancamentos", "valor_total"],
  "/v1/relatorios/pagamentos medidas": ["pagamentos", "valor_total"],
};

/** What else to send: parameters that this one needs. */
const besides = (path: string, { name, schema }: Parameter, names: string[]): Query => {
  if (schema["x-only-with"]) return { [schema["x-only-with"]]: "true" };
  if (name === "data_inicio") return { data_fim: YEAR.data_fim };
  if (name === "data_fim") return { data_inicio: YEAR.data_inicio };
  // It selects the date of a range.
  if (name === "data") return YEAR;
  if (name === "comparar") return { periodo: "2026-03" };
  const range = name === "periodo" ? {} : YEAR;
  if (name === "visitas_min" || name === "sem_visita_desde") return { por: "cliente", ...range };
  if (name === "retorno_dias") return { medidas: "retorno", ...range };
  const por = path.endsWith("/clientes") ? "frequencia" : "mes";
  if (name === "ordem" || (name === "limite" && names.includes("por"))) return { por, ...range };
  return names.includes("granularidade") || names.includes("por") ? range : {};
};

const valuesOf = async (path: string, { name, schema }: Parameter): Promise<Pair | undefined> => {
  if (name === "after") return markersOf(path);
  if (name === "pessoa") return people();
  const known = OF_ROUTE[`${path} ${name}`] ?? VALUES[name];
  if (name === "ordem" && !known) return [String(schema.example), String(schema.example).slice(1)];
  const listed = schema.enum?.map(String) ?? (name === "campos" ? String(schema.example).split(",") : []);
  return known ?? (listed.length > 1 ? [listed[0] ?? "", listed[1] ?? ""] : undefined);
};

/** The markers after the first and the second record of a change feed. */
const markersOf = async (path: string): Promise<Pair> => {
  const next = async (after?: string): Promise<string> => {
    const query = new URLSearchParams({ per_page: "1", ...(after !== undefined && { after }) });
    const { pagination } = await (await get(`${path}?${query}`)).json<{
      pagination: { next_after: string };
    }>();
    return pagination.next_after;
  };
  const first = await next();
  return [first, await next(first)];
};

/** Two persons of the ledger of the year. */
const people = async (): Promise<Pair> => {
  const query = new URLSearchParams({ ...YEAR, por: "pessoa" });
  const { data } = await (await get(`/v1/relatorios/lancamentos?${query}`)).json<{
    data: { pessoa: string | null }[];
  }>();
  const [one = "", other = ""] = data.flatMap(({ pessoa }) => pessoa || []);
  return [one, other];
};

/** The path of the first record of a list, or the path itself. */
const concrete = async (path: string): Promise<string> => {
  if (!path.includes("{")) return path;
  const { data } = await (await get(path.replace(/\/\{\w+\}/, "?per_page=1"))).json<{
    data: Record<string, unknown>[];
  }>();
  const record = data[0] ?? {};
  const key = {
    "/v1/pagamentos-erp/{id}": "erp_id",
    "/v1/fechamentos/{mes}": "mes",
    "/v1/transacoes/{id}": "salon_id",
    "/v1/lancamentos/{id}": "salon_id",
  }[path];
  return path.replace(/\{\w+\}/, encodeURIComponent(String(record[key ?? "id"])));
};

it("every query parameter in the document changes the response (I5, L8, L9)", async () => {
  const ignored: string[] = [];
  for (const { path, operation } of operationsOf(await readDocument())) {
    const inQuery = (operation.parameters ?? []).filter((parameter) => parameter.in === "query");
    const url = inQuery.length > 0 ? await concrete(path) : path;
    for (const parameter of inQuery) {
      const what = `${path} ${parameter.name}`;
      const pair = await valuesOf(path, parameter);
      expect(
        pair,
        `${what}: add two values to VALUES or OF_ROUTE that give different responses`,
      ).toBeDefined();
      const names = inQuery.map(({ name }) => name);
      const tags = await Promise.all(
        (pair ?? []).map(async (value) => {
          const query = {
            ...besides(path, parameter, names),
            ...(value !== OMITTED && { [parameter.name]: value }),
          };
          const response = await get(`${url}?${new URLSearchParams(query)}`);
          const text = await response.text();
          expect([what, response.status, text]).toEqual([what, 200, expect.anything()]);
          // The tag ignores clocks. A whole list has none.
          return response.headers.get("ETag") ?? text;
        }),
      );
      if (tags[0] === tags[1]) ignored.push(what);
    }
  }
  expect(ignored).toEqual([]);
});
