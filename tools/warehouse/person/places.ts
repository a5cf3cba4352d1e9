import { type Column, getTableColumns, getTableName, is, type SQL } from "drizzle-orm";
import { PgDialect, PgJsonb } from "drizzle-orm/pg-core";
import { jobLog } from "../../../src/api/v1/jobs-log/queries.ts";
import { lancamento } from "../../../src/api/v1/lancamentos/queries.ts";
import { pagamento } from "../../../src/api/v1/pagamentos-erp/queries.ts";
import { produto } from "../../../src/api/v1/produtos/queries.ts";
import { profissional } from "../../../src/api/v1/profissionais/queries.ts";
import { maskedServices, transacaoDetalhada } from "../../../src/api/v1/transacoes/queries.ts";
import { venda } from "../../../src/api/v1/vendas-produto/queries.ts";
import type { Selection } from "../../../src/platform/db/selection.ts";

/** A personal column, by the declaration that also masks it for readers (A11). */
interface PersonalColumn {
  name: string;
  isJson: boolean;
  /** SQL for what is left of it. */
  mask: string;
}

/** A table with personal columns. */
export interface Place {
  table: string;
  columns: PersonalColumn[];
}

/** Who is exported or erased. */
export type Kind = "client" | "professional";

interface KindOfPerson {
  /** The column with the person's id, by table. */
  keys: Record<string, string>;
  /** The column with the person's name, by table. */
  names: Record<string, string>;
  /** In payloads, what is beneath a key with this word says something about such a person. */
  word: string;
}

export const KINDS: Record<Kind, KindOfPerson> = {
  client: {
    keys: { transacoes: "cliente_salon_id", vendas_produto: "cliente_id" },
    names: { transacoes: "cliente_nome", vendas_produto: "cliente_nome" },
    word: "client",
  },
  professional: {
    keys: { profissionais: "salon_id", vendas_produto: "profissional_id" },
    names: { profissionais: "nome" },
    word: "profission",
  },
};

const dialect = new PgDialect();

const textOf = (mask: SQL, column: Column): string => {
  const { sql, params } = dialect.sqlToQuery(mask);
  if (params.length > 0) throw new Error(`The mask of ${column.name} has parameters.`);
  return `(${sql})::${column.getSQLType()}`;
};

/** @param stored masks of fields that are stored in another form than they are read in */
const placeOf = <Item>({ table, masks }: Selection<Item>, stored: Record<string, SQL> = {}): Place => ({
  table: getTableName(table),
  columns: Object.entries(getTableColumns(table)).flatMap(([name, column]) => {
    const mask = stored[name] ?? masks[name];
    return mask === undefined ? [] : [{ name, isJson: is(column, PgJsonb), mask: textOf(mask, column) }];
  }),
});

/** Every table with personal columns. */
export const PLACES: Place[] = [
  placeOf(transacaoDetalhada, { servicos: maskedServices }),
  placeOf(venda),
  placeOf(lancamento),
  placeOf(pagamento),
  placeOf(produto),
  placeOf(jobLog),
  placeOf(profissional),
];
