import { connected } from "./databases.ts";

const MAX_LISTED = 50;

/** A line for each product id whose newest names differ between units or origins (R20). Reports show one of them. */
export const differingProductNames = (url: string): Promise<string[]> =>
  connected(url, async (db) => {
    const { rows } = await db.query(`
      with newest as (
        select distinct on (produto_id, estabelecimento_id, origem) produto_id, estabelecimento_id, origem, produto_nome
        from vendas_produto
        where produto_id is not null
        order by produto_id, estabelecimento_id, origem, coalesce(data_hora, '-infinity') desc, id desc
      ), named as (
        select produto_id, produto_nome, string_agg(estabelecimento_id || ' (' || origem || ')', ', ' order by estabelecimento_id, origem) as places
        from newest
        group by produto_id, produto_nome
      )
      select produto_id as id, json_agg(json_build_array(produto_nome, places) order by produto_nome) as names
      from named
      group by produto_id
      having count(*) > 1
      order by produto_id`);
    const lines = rows
      .slice(0, MAX_LISTED)
      .map(({ id, names }: { id: string; names: [string | null, string][] }) => {
        const each = names.map(([name, places]) => `${JSON.stringify(name)} in ${places}`);
        return `note: product ${JSON.stringify(id)} is ${each.join("; ")}`;
      });
    const more = rows.length - lines.length;
    return more > 0 ? [...lines, `note: ${more} more product ids have several names`] : lines;
  });
