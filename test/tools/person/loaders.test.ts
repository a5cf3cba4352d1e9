// @module-tag server
import { describe, expect, inject, it } from "vitest";
import { erasePersons } from "../../../tools/warehouse/person/erase.ts";
import { runRandomLoaders } from "../../oracle/storm.ts";
import {
  CLIENT,
  expectConsistent,
  isServer,
  key,
  NAME,
  query,
  search,
  silent,
  TRACES,
  usePersons,
  visit,
  warehouse,
} from "./fixture.ts";

usePersons();

describe("an erasure among loaders", () => {
  it.skipIf(!isServer)("waits for an open transaction, and erases what it commits (A16)", async () => {
    const [loader, own] = [await warehouse.connect(), await warehouse.connect()];
    await loader.query("begin");
    await loader.query(
      `insert into transacoes (salon_id, estabelecimento_id, total, data_hora, cliente_salon_id, cliente_nome, raw_data)
       values ('pt 8', '101', 1, now(), $1, $2, '{}')`,
      [CLIENT, NAME],
    );
    const [{ pid }] = (await own.query("select pg_backend_pid() as pid")).rows;
    const erasing = erasePersons(own, {
      kind: "client",
      ids: [CLIENT],
      key,
      command: "person erase",
      ...silent,
    });
    await expect
      .poll(() =>
        query("select from pg_locks where pid = $1 and mode = 'ShareRowExclusiveLock' and not granted", [
          pid,
        ]),
      )
      .toHaveLength(1);
    await loader.query("commit");
    expect((await erasing)[0]?.rows.transacoes).toBe(4);
    expect(await search(TRACES)).toEqual([]);
    await expectConsistent();
  });

  it.skipIf(!isServer)(
    "erases the first row in a table that a loader commits during the search (A16)",
    async () => {
      const [loader, other, own] = [
        await warehouse.connect(),
        await warehouse.connect(),
        await warehouse.connect(),
      ];
      await visit("pt 9", "first cliente-7f3", null);
      await loader.query("begin; update transacoes set total = total where salon_id = 'pt 9'");
      const [{ pid }] = (await own.query("select pg_backend_pid() as pid")).rows;
      const ids = ["first cliente-7f3"];
      const erasing = erasePersons(own, { kind: "client", ids, key, command: "person erase", ...silent });
      await expect
        .poll(() => query("select from pg_locks where pid = $1 and not granted", [pid]), { interval: 20 })
        .toHaveLength(1);
      await other.query(
        `insert into vendas_produto (origem, transacao_id, estabelecimento_id, cliente_id, valor_total, quantidade)
       values ('loja', 'pv 9', '201', $1, 5, 1)`,
        ids,
      );
      await loader.query("commit");
      expect((await erasing)[0]?.rows).toEqual({ transacoes: 1, vendas_produto: 1 });
      expect(await query("select from vendas_produto where cliente_id = $1", ids)).toEqual([]);
    },
  );

  it.skipIf(!isServer)("leaves every sum and feed right (A16, C2)", async () => {
    const loaders = await Promise.all(Array.from({ length: 4 }, warehouse.connect));
    const own = await warehouse.connect();
    const clients = await query(
      "select distinct cliente_salon_id as id from transacoes where cliente_salon_id is not null",
    );
    let isWriting = true;
    const erasing = async () => {
      for (let n = 0; isWriting && n < clients.length; n += 1)
        await erasePersons(own, {
          kind: "client",
          ids: [clients[n].id],
          key,
          command: "person erase",
          ...silent,
        });
    };
    const loading = runRandomLoaders(loaders, inject("fuzzSeed"), 20, true, { truncates: false }).finally(
      () => {
        isWriting = false;
      },
    );
    await Promise.all([loading, erasing()]);
    await expectConsistent();
  });
});
