// @module-tag server
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Operation, operationsOf } from "../../support/document.ts";
import { expectError, get, readDocument, sql } from "../../support/worker/api.ts";
import { callTool, connectClient } from "../../support/worker/mcp.ts";

const UNIT = "large-unit";
const CENTRE = 990_001;
const LIMIT = 4 * 1024 * 1024;

/** Larger than the limit, or half of it. Postgres compresses them. */
const WHOLE = LIMIT + 1000;
const HALF = LIMIT / 2 + 1000;

const insertRows = async () => {
  await sql`insert into estabelecimentos (nome, salon_id, erp_centro_custo_id, erp_id)
    values ('Large', ${UNIT}, ${CENTRE}, repeat('x', ${WHOLE}::int))`;
  await sql`insert into profissionais (nome, salon_id, salon_estabelecimento_id)
    select repeat('x', ${HALF}::int), ${UNIT} || n, ${UNIT} from generate_series(1, 2) as n`;
  await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_nome, servicos, raw_data)
    select ${UNIT} || n, ${UNIT}, 1, '2026-03-05T12:00:00Z', repeat('x', ${HALF}::int),
      jsonb_build_array(jsonb_build_object('idProfissionalQueRealizouServico', ${UNIT} || n)),
      jsonb_build_object('x', repeat('x', ${WHOLE}::int))
    from generate_series(1, 2) as n`;
  // A key of a rollup is cut after 200 characters: here of three bytes each. Excel counts those of four one by one.
  await sql`insert into transacoes (salon_id, estabelecimento_id, total, data_hora, raw_data, forma_pagamento_principal)
    select ${UNIT} || n, ${UNIT}, 1, '2026-03-04T12:00:00Z', '{}', n || repeat('美', 195)
    from generate_series(1000, 8400) as n`;
  await sql`insert into lancamentos (salon_id, estabelecimento_id, raw_data)
    select ${UNIT} || n, ${UNIT}, jsonb_build_object('x', repeat('x', ${HALF}::int)) from generate_series(1, 2) as n`;
  await sql`insert into pagamentos_erp (erp_id, id_centro_custo, situacao, valor, descricao, data_vencimento, raw_data)
    select 9007199254000000 + n, ${CENTRE}::text, 1, 1, repeat('x', ${HALF}::int), '2026-03-05', '{}' from generate_series(1, 2) as n`;
  await sql`insert into produtos (salon_id, estabelecimento_id, raw_data)
    select 'P' || n, ${UNIT}, jsonb_build_object('x', repeat('x', ${HALF}::int)) from generate_series(1, 2) as n`;
  // An entry of an index has 2,700 bytes at most.
  await sql`insert into produtos (salon_id, estabelecimento_id, raw_data)
    select 'P', ${UNIT} || n || repeat('x', 2000), '{}' from generate_series(1, 2200) as n`;
  await sql`insert into vendas_produto (origem, transacao_id, estabelecimento_id, data_hora, produto_nome, valor_total)
    select 'loja', ${UNIT} || n, ${UNIT}, '2026-03-05T12:00:00Z', repeat('x', ${HALF}::int), 1 from generate_series(1, 2) as n`;
  await sql`insert into jobs_log (queue, job_name, status, error, created_at)
    select ${UNIT}, 'send-pagar', 'failed', repeat('x', ${HALF}::int), '2250-01-01' from generate_series(1, 2)`;
};

/** The marker after everything that was written so far. */
const newestMarker = async (path: string): Promise<string> => {
  for (let after = ""; ; ) {
    const { pagination } = await (await get(`${path}?per_page=200${after && `&after=${after}`}`)).json<{
      pagination: { next_after: string; has_more: boolean };
    }>();
    if (!pagination.has_more) return pagination.next_after;
    after = pagination.next_after;
  }
};

interface Route {
  path: string;
  operation: Operation;
}
let operations: Route[];
const markers: Record<string, string> = {};

beforeAll(async () => {
  operations = operationsOf(await readDocument()).filter(({ path }) => path.startsWith("/v1/"));
  for (const { path } of operations)
    if (path.startsWith("/v1/alteracoes/")) markers[path] = await newestMarker(path);
  await insertRows();
}, 300_000);

afterAll(async () => {
  await sql`delete from estabelecimentos where salon_id = ${UNIT}`;
  await sql`delete from profissionais where salon_estabelecimento_id = ${UNIT}`;
  await sql`delete from transacoes where estabelecimento_id = ${UNIT}`;
  await sql`delete from lancamentos where estabelecimento_id = ${UNIT}`;
  await sql`delete from pagamentos_erp where id_centro_custo = ${CENTRE}::text`;
  await sql`delete from produtos where estabelecimento_id like ${`${UNIT}%`}`;
  await sql`delete from vendas_produto where estabelecimento_id = ${UNIT}`;
  await sql`delete from jobs_log where queue = ${UNIT}`;
});

/** What a request over the limit sends: with the smallest page that has more than one record. */
const queryOf = (path: string, { parameters = [] }: Operation): Record<string, string> => {
  const has = (name: string) => parameters.some((one) => one.name === name);
  if (path.endsWith("/clientes")) return { por: "cliente" };
  if (has("por")) return { por: path.endsWith("/pagamentos") ? "centro_custo" : "unidade" };
  if (has("after")) return { after: markers[path] ?? "", per_page: "2" };
  if (has("granularidade")) return { granularidade: "dia", periodo: "2026-01" };
  if (!has("per_page")) return {};
  if (has("id_centro_custo")) return { per_page: "2", id_centro_custo: String(CENTRE) };
  if (has("estabelecimento_id"))
    return {
      per_page: "2",
      estabelecimento_id: UNIT,
      ...(/lancamentos|produtos/.test(path) && { campos: "salon_id,raw_data" }),
    };
  return has("salon_id") ? { per_page: "2", salon_id: UNIT } : { per_page: "2" };
};

/** What its message advises. */
const adviceTo = (path: string): string => {
  if (path.startsWith("/v1/alteracoes/")) return "Send a smaller `per_page`.";
  const [, report] = /^\/v1\/relatorios\/(.+)/.exec(path) ?? [];
  const unit = "one `estabelecimento_id`";
  const limit = "a smaller `limite`, which leaves out rows";
  if (report === "painel") return `Send \`mes\` as \`granularidade\`, or a shorter range, or ${unit}.`;
  if (report === "pagamentos") return `Send a shorter range, or ${limit}.`;
  if (report === "nao-mapeados" || report === "transacoes-por-forma-pagamento")
    return `Send a shorter range, or ${unit}.`;
  if (report) return `Send a shorter range, or ${unit}, or ${limit}.`;
  if (path === "/v1/frescor")
    return "No parameter makes it smaller. Ask the operator for a token that reads fewer units.";
  if (path === "/v1/estabelecimentos") return "Send fewer fields in `campos`, or one `salon_id`.";
  return "Send a smaller `per_page`, or fewer fields in `campos`.";
};

/** Its answer has one row of numbers. */
const OF_ONE_SIZE = "/v1/relatorios/resumo";
/** A page has at most 200 rows of less than a kilobyte. */
const OF_SMALL_ROWS = "/v1/fechamentos";

const limited = () =>
  operations.filter(({ path }) => !path.includes("{") && ![OF_ONE_SIZE, OF_SMALL_ROWS].includes(path));
const hasDimensions = ({ operation }: Route) =>
  operation.parameters?.some(({ name }) => name === "por") ?? false;
const messageOf = (path: string) => `The answer would be larger than 4 MiB. ${adviceTo(path)}`;

/** Expects the 400 of each route, in every format. @returns the number of requests */
const expectRefusals = async (routes: Route[]): Promise<number> => {
  let requests = 0;
  for (const { path, operation } of routes) {
    const isTable = operation.parameters?.some(({ name }) => name === "formato");
    for (const formato of isTable ? ["", "csv", "excel"] : [""]) {
      const query = new URLSearchParams({ ...queryOf(path, operation), ...(formato && { formato }) });
      const response = await get(`${path}?${query}`);
      expect([path, formato, response.status]).toEqual([path, formato, 400]);
      await expectError(response, 400, "Bad Request", messageOf(path));
      requests += 1;
    }
  }
  return requests;
};

/** @returns the number of tools */
const expectToolErrors = async (routes: Route[]): Promise<number> => {
  const client = await connectClient();
  const names = (await client.listTools()).tools.map(({ name }) => name);
  await client.close();
  const called = routes.filter(({ operation }) => names.includes(operation.operationId));
  for (const { path, operation } of called) {
    const result = await callTool(operation.operationId, queryOf(path, operation));
    expect(result, operation.operationId).toMatchObject({ text: messageOf(path), isError: true });
  }
  return called.length;
};

describe("a body over 4 MiB", () => {
  const routes = () => limited().filter((route) => !hasDimensions(route));

  it("is a 400 that says what makes it smaller, on every route and in every format (M4, X1)", async () => {
    expect(await expectRefusals(routes())).toBeGreaterThan(30);
    expect((await get(OF_ONE_SIZE)).status).toBe(200);
  });

  it("is the same error in a tool (M4)", async () => {
    expect(await expectToolErrors(routes())).toBeGreaterThan(10);
  });

  it("of the panel is a 400 that names only what the request can still change (M4)", async () => {
    const path = `/v1/relatorios/painel?granularidade=mes&periodo=2026-01&estabelecimento_id=${UNIT}`;
    await expectError(await get(path), 400, "Bad Request", /MiB\. Send a shorter range\.$/);
  });
});

describe("a general report over 4 MiB", () => {
  const routes = () => limited().filter(hasDimensions);
  beforeAll(async () => {
    await sql`update estabelecimentos set nome = repeat('x', ${WHOLE}::int) where salon_id = ${UNIT}`;
    await sql`update transacoes set cliente_salon_id = salon_id where estabelecimento_id = ${UNIT} and cliente_nome is not null`;
  });
  afterAll(async () => {
    await sql`update estabelecimentos set nome = 'Large' where salon_id = ${UNIT}`;
  });

  it("is a 400 that says what makes it smaller, in every format (M4, X1)", async () => {
    expect(await expectRefusals(routes())).toBe(3 * routes().length);
    await expectError(
      await get(`/v1/relatorios/visitas?por=mes,unidade&estabelecimento_id=${UNIT}`),
      400,
      "Bad Request",
      /MiB\. Send fewer names in `por`, or a shorter range, or a smaller `limite`, which leaves out rows\.$/,
    );
  });

  it("is the same error in a tool (M4)", async () => {
    expect(await expectToolErrors(routes())).toBe(routes().length);
  });
});

it("a body of one record may be larger (M4)", async () => {
  expect((await (await get(`/v1/transacoes/${UNIT}1`)).arrayBuffer()).byteLength).toBeGreaterThan(LIMIT);
  await sql`update lancamentos set raw_data = jsonb_build_object('x', repeat('x', ${WHOLE}::int)) where salon_id = ${`${UNIT}1`}`;
  for (const path of [
    `/v1/lancamentos?estabelecimento_id=${UNIT}`,
    `/v1/alteracoes/lancamentos?after=${markers["/v1/alteracoes/lancamentos"]}`,
  ]) {
    const sizes = [];
    for (const query of ["", "&per_page=1"]) {
      const response = await get(`${path}${query}`);
      sizes.push(response.status === 200 && (await response.arrayBuffer()).byteLength > HALF);
    }
    expect(sizes, path).toEqual([false, true]);
  }
});
