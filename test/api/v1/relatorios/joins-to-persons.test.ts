import { expect, it } from "vitest";
import { dimensionColumns } from "../../../../src/api/v1/relatorios/question.ts";
import { SOURCES } from "../../../../src/api/v1/relatorios/sources/index.ts";
import { send } from "../../../support/worker/api.ts";
import { signTokenOf } from "../../../support/worker/client.ts";
import { type GeneralAnswer, type Row, reportPath } from "../../../support/worker/general-reports.ts";

const read = async (path: string) => {
  const rights = { units: null, personalData: false, payments: true };
  const response = await send(path, {
    headers: { Authorization: `Bearer ${await signTokenOf(925_001, rights)}` },
  });
  return { status: response.status, body: await response.json<GeneralAnswer>() };
};

/** Each value that only one professional has, of every field that this reader gets. */
const valuesOfOne = async (): Promise<Set<string>> => {
  const pages = await Promise.all([1, 2].map((page) => read(`/v1/profissionais?per_page=200&page=${page}`)));
  const owners = new Map<string, Set<unknown>>();
  for (const person of pages.flatMap(({ body }) => body.data)) {
    const { id, ativo: _, created_at: __, updated_at: ___, ...fields } = person;
    for (const value of Object.values(fields))
      if (value !== null) owners.set(String(value), (owners.get(String(value)) ?? new Set()).add(id));
  }
  return new Set([...owners].flatMap(([value, ids]) => (ids.size === 1 ? [value] : [])));
};

/** Who did a service or sold a product is no personal data (A11). The right to payments includes cost centres. */
const ALLOWED = [
  "pagamentos.id_centro_custo",
  "servicos.profissional",
  "servicos.profissional_salon_id",
  "vendas.profissional",
  "vendas.profissional_salon_id",
];

it("no column by which a reader without personal data may group joins to one professional, so that no pay by person is shown (R24)", async () => {
  const ofOne = await valuesOfOne();
  expect(ofOne.size).toBeGreaterThan(20);
  const joining = new Set<string>();
  let columns = 0;
  for (const source of SOURCES)
    for (const [name, dimension] of Object.entries(source.dimensions))
      for (const data of Object.keys(source.dates)) {
        const query = { por: name, limite: "1100", periodo: "ano", ...(source.dateParameter && { data }) };
        const { status, body } = await read(reportPath(source.name, query));
        expect([name, status]).toEqual([
          name,
          dimension.isPersonal || source.needs === "personalData" ? 403 : 200,
        ]);
        if (status !== 200) continue;
        for (const column of Object.keys(dimensionColumns([dimension]))) {
          columns += 1;
          const joins = (row: Row) => row[column] !== null && ofOne.has(String(row[column]));
          if (body.data.some(joins)) joining.add(`${source.name}.${column}`);
        }
      }
  expect(columns).toBeGreaterThan(30);
  expect([...joining]).toContain("servicos.profissional");
  expect([...joining].filter((column) => !ALLOWED.includes(column))).toEqual([]);
});
