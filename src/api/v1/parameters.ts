import type { Column } from "drizzle-orm";
import { withMetadata } from "../../core/schema-metadata.ts";
import { personal } from "../../platform/db/personal-data.ts";
import { oneOf, text } from "../../platform/http/params.ts";
import { estabelecimentos as e } from "./estabelecimentos/table.ts";
import { vendasFacts } from "./facts/table.ts";
import { pagamentosErp } from "./pagamentos-erp/table.ts";
import { profissionais as p } from "./profissionais/table.ts";
import { transacoes } from "./transacoes/table.ts";
import { vendasPorUnidadeRollup as products } from "./vendas-produto/table.ts";

/**
 * The parameter `estabelecimento_id`.
 * @param what completes "Only … this unit"
 * @param columns name the unit of a row. A unit exists if it is registered or one of them has it (I8)
 */
export const unit = (what: string, columns: Column[]) =>
  withMetadata(
    text({
      max: 64,
      example: "101",
      description: `Only ${what} this unit (\`salon_id\`).`,
    }).optional(),
    {
      sources: [
        { value: e.salon_id, name: e.nome, unit: e.salon_id },
        ...columns.map((value) => ({ value, unit: value })),
      ],
    },
  );

/** The parameter `salon_id` of a list. @param what completes "Only …" */
export const bySalonId = (what: string, example: string) =>
  text({ max: 64, example, description: `Only ${what} with this \`salon_id\`.` }).optional();

/** For the list of ERP payments and its report. */
export const paymentFilters = {
  situacao: oneOf(["1", "2"], "Only pending (`1`) or paid payments (`2`).").optional(),
  id_centro_custo: withMetadata(
    text({
      max: 64,
      example: "7001",
      description:
        "Only payments of this cost centre. That of a unit is its `erp_centro_custo_id` in " +
        "`GET /v1/estabelecimentos`.",
    }).optional(),
    {
      // Without the names of professionals: no message names a person (E9).
      sources: [
        { value: pagamentosErp.id_centro_custo },
        { value: e.erp_centro_custo_id, name: e.nome, unit: e.salon_id },
        { value: p.erp_centro_custo_id, unit: p.salon_estabelecimento_id },
      ],
    },
  ),
};

const HOW_TO_FIND_CLIENTS =
  "Clients cannot be searched by name. To find an id, send `por=cliente` to the report `visitas` or `vendas`, with " +
  "the days or the unit where the client was";

/** A client exists who has a visit or bought a product (I8). */
const CLIENTS = [
  { value: transacoes.cliente_salon_id, unit: transacoes.estabelecimento_id },
  { value: vendasFacts.cliente_id, unit: vendasFacts.estabelecimento_id },
];

/** The filter by a client. @param rows completes "Only … of this client" */
export const clienteFilter = (rows: string) =>
  withMetadata(
    personal(text({ max: 64, example: "C1", description: `Only ${rows} of this client.` }).optional()),
    { isClienteId: true, sources: CLIENTS, howToFind: HOW_TO_FIND_CLIENTS },
  );

/** The filter of product lines. A reader of some units gets the names there. */
export const produtoFilter = withMetadata(
  text({ max: 64, example: "P1", description: "Only lines of this product." }).optional(),
  {
    sources: [
      {
        value: products.produto_id,
        name: products.produto_nome,
        records: products.records,
        unit: products.estabelecimento_id,
      },
    ],
  },
);
