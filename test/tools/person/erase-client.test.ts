// @module-tag server
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { describe, expect, it } from "vitest";
import { printAccesses } from "../../../tools/warehouse/accesses.ts";
import { erasePersons } from "../../../tools/warehouse/person/erase.ts";
import { type Receipt, readKey } from "../../../tools/warehouse/person/receipts.ts";
import { createFollower } from "../../oracle/follower.ts";
import {
  CLIENT,
  db,
  erase,
  expectConsistent,
  isServer,
  key,
  NAME,
  OTHER,
  PAID,
  PROFESSIONAL,
  query,
  search,
  service,
  silent,
  TRACES,
  totals,
  usePersons,
  visit,
} from "./fixture.ts";

usePersons();

describe("erasing a client", () => {
  it("leaves neither name nor id in any table, rollup, feed or statistic, and every total as it was (A16)", async () => {
    await query("analyze");
    expect((await search(TRACES)).length).toBeGreaterThan(10);
    const before = await totals();
    const [receipt] = await erase("client", CLIENT);
    expect(receipt?.rows).toEqual({
      acessos: 4,
      jobs_log: 1,
      lancamentos: 1,
      pagamentos_erp: 1,
      produtos: 1,
      transacoes: 3,
      vendas_produto: 1,
    });
    expect(await search(TRACES)).toEqual([]);
    expect(await totals()).toEqual(before);
    await expectConsistent();
  });

  it("keeps of the client's rows what a reader without personal data gets, and money (A16, A11)", async () => {
    await erase("client", CLIENT);
    const [row] = await query(
      "select total::text, cliente_salon_id, cliente_nome, qtd_servicos, servicos, raw_data from transacoes where salon_id = 'pt 1'",
    );
    expect(row).toEqual({
      total: "150.45",
      cliente_salon_id: null,
      cliente_nome: null,
      qtd_servicos: 1,
      servicos: [
        { idProfissionalQueRealizouServico: Number(PROFESSIONAL), nome: "Escova", valor: 150.45 },
        { idProfissionalQueRealizouServico: 970099, nome: "Corte", valor: 0, cortesia: true },
      ],
      raw_data: {},
    });
    const [sold] = await query(
      "select valor_total::text, cliente_id from vendas_produto where transacao_id = 'pv 1'",
    );
    expect(sold).toEqual({ valor_total: "99.90", cliente_id: null });
    const [paid] = await query("select raw_data from lancamentos where salon_id = 'pl 1'");
    expect(paid.raw_data).toMatchObject({
      Pessoa: PAID,
      ValorBruto: 12.25,
      Itens: [{ Cliente: null, Valor: 12.25 }],
    });
    const [payment] = await query("select descricao, raw_data from pagamentos_erp where erp_id = 970001");
    expect(payment).toEqual({
      descricao: null,
      raw_data: { Id: 970001, Valor: 45.5, Favorecido: null, ClienteId: null },
    });
  });

  it("changes nothing of others (A16)", async () => {
    const others = async () => [
      ...(await query("select * from transacoes where salon_id not in ('pt 1', 'pt 2', 'pt 3') order by id")),
      ...(await query("select * from vendas_produto where transacao_id <> 'pv 1' order by id")),
      ...(await query("select * from lancamentos where salon_id <> 'pl 1' order by id")),
      ...(await query("select * from pagamentos_erp where erp_id <> 970001 order by id")),
      ...(await query("select * from profissionais order by id")),
      ...(await query("select * from acessos where cliente_id = $1", [OTHER])),
    ];
    const before = await others();
    await erase("client", CLIENT);
    expect(await others()).toEqual(before);
    const [mention] = await query("select cliente_nome, raw_data from transacoes where salon_id = 'pt 3'");
    expect(mention).toMatchObject({
      cliente_nome: "Maria Silva",
      raw_data: { indicada_por: null, clienteIndicou: null, cliente: { id: OTHER, nome: "Maria Silva" } },
    });
  });

  it("removes the person from a payload that names several clients, and keeps the others (A16)", async () => {
    const clients = { a: { id: CLIENT, telefone: "1" }, b: { id: OTHER }, c: [CLIENT, OTHER] };
    await query("update produtos set raw_data = $1 where salon_id = 'pp 1'", [
      { Clientes: clients, n: CLIENT.length },
    ]);
    await erase("client", CLIENT);
    const [product] = await query("select raw_data from produtos where salon_id = 'pp 1'");
    expect(product.raw_data.Clientes).toEqual({ a: null, b: { id: OTHER }, c: [null, OTHER] });
  });

  it("keeps a name that another client or a professional has, where only the name is known (A16)", async () => {
    await visit("pt 4", "cliente-9", NAME);
    await erase("client", CLIENT);
    expect(await query("select cliente_nome from transacoes where salon_id = 'pt 4'")).toEqual([
      { cliente_nome: NAME },
    ]);
    const [payment] = await query("select descricao from pagamentos_erp where erp_id = 970002");
    expect(payment.descricao).toBe("Aluguel");
    const [paid] = await query("select raw_data from lancamentos where salon_id = 'pl 1'");
    expect(paid.raw_data.Itens[0].Cliente).toBeNull();
    const [, job] = [0, (await query("select error from jobs_log where queue = 'q'"))[0]];
    expect(job.error).toBe(`no account for ${NAME}`);
  });

  it("delivers the changed rows to followers of every feed, without the person (A16, C2)", async () => {
    const lists = ["transacoes", "vendas-produto", "lancamentos", "pagamentos-erp"];
    const followers = lists.map((list) => createFollower(service, list));
    for (const follower of followers) await follower.readNewChanges();
    const copied = () =>
      followers.flatMap((follower) => [...follower.copy().values()]).filter((text) => TRACES.test(text));
    expect(copied().length).toBeGreaterThanOrEqual(5);
    let isErasing = true;
    // The embedded Postgres has one session, in which a follower cannot read meanwhile.
    const meanwhile = followers.map(async (follower) => {
      while (isServer && isErasing) await follower.readPage(true);
    });
    await erase("client", CLIENT);
    isErasing = false;
    await Promise.all(meanwhile);
    for (const follower of followers) await follower.readNewChanges();
    expect(copied()).toEqual([]);
    for (const [n, list] of lists.entries()) {
      const fresh = createFollower(service, list);
      await fresh.readNewChanges();
      expect(followers[n]?.copy()).toEqual(fresh.copy());
    }
  });

  it("keeps every read of the client in the records of access, under the hash of the id (A15, A16)", async () => {
    const readsOf = async (client: string) => {
      const lines: string[] = [];
      await printAccesses(db, { client: [client] }, (line) => lines.push(line));
      return lines.filter((line) => line.includes("/v1/")).map((line) => line.replace(/ {2}client.*/, ""));
    };
    const before = await readsOf(CLIENT);
    expect(before).toHaveLength(4);
    const others = await readsOf(OTHER);
    const [receipt] = await erase("client", CLIENT);
    expect(await readsOf(receipt?.hash ?? "")).toEqual(before);
    expect(await readsOf(OTHER)).toEqual(others);
    expect(await readsOf(CLIENT)).toEqual([]);
  });

  it("replaces the client's name in the record of a filter by the hash, unless another has it (A15, A16)", async () => {
    const typed = async () =>
      (await query("select cliente_id from acessos where route = 'typed'"))[0].cliente_id;
    await query("insert into acessos (route, cliente_id) values ('typed', $1)", [
      `x ${NAME.toUpperCase()}, y`,
    ]);
    await visit("pt 4", "cliente-9", NAME);
    await erase("client", CLIENT);
    expect(await typed()).toMatch(NAME.toUpperCase());
    const [receipt] = await erase("client", "cliente-9");
    expect(await typed()).toBe(receipt?.hash);
  });

  it("is recorded with the hash of the id, if it changes something (A15, A16)", async () => {
    const [receipt] = await erase("client", CLIENT);
    await erase("client", CLIENT);
    await erase("professional", "never seen");
    expect(
      await query("select cliente_id, record_id, change, actor from acessos where change is not null"),
    ).toEqual([
      { cliente_id: receipt?.hash, record_id: null, change: "person erase", actor: userInfo().username },
    ]);
  });

  it("gives its receipts before the vacuum, which may fail (A16)", async () => {
    // Only the vacuum runs in a transaction that is read-only.
    await query(`create function refuse_outside(value text) returns text language plpgsql immutable as $$
      begin if current_setting('transaction_read_only') = 'on' then raise 'not outside'; end if; return value; end $$;
      create index refuse_analyze on transacoes (refuse_outside(salon_id));
      set default_transaction_read_only = on`);
    const reported: Receipt[] = [];
    const report = (receipts: Receipt[]) => reported.push(...receipts);
    try {
      await expect(
        erasePersons(db, { kind: "client", ids: [CLIENT], key, command: "person erase", ...silent, report }),
      ).rejects.toThrow(/^The erasure is done, but this failed: vacuum analyze .*not outside/);
    } finally {
      await query("set default_transaction_read_only = off");
      await query("drop function refuse_outside cascade");
    }
    expect(reported).toMatchObject([{ kind: "client", rows: { transacoes: 3 } }]);
    expect(await query("select from transacoes where cliente_salon_id = $1", [CLIENT])).toEqual([]);
  });

  it("is refused with another key than that of earlier erasures (A16)", async () => {
    await erase("client", OTHER);
    const another = readKey(randomBytes(32).toString("base64url"));
    await expect(
      erasePersons(db, { kind: "client", ids: [CLIENT], key: another, command: "person erase", ...silent }),
    ).rejects.toThrow(
      `ERASURE_KEY is the key ${another.id}, but earlier erasures used the key ${key.id}. Set that one. Nothing was changed.`,
    );
    expect((await search(TRACES)).length).toBeGreaterThan(5);
  });

  it("changes nothing and gives no receipt if the client is unknown (A16)", async () => {
    expect(await erase("client", "never seen")).toEqual([]);
    expect((await search(TRACES)).length).toBeGreaterThan(5);
  });

  it("gives a receipt without rows when it is repeated (A16)", async () => {
    const [first] = await erase("client", CLIENT);
    const [again] = await erase("client", CLIENT);
    expect(again).toMatchObject({ hash: first?.hash, rows: {} });
  });

  it("changes nothing if it is interrupted (A16)", async () => {
    const before = await search(TRACES);
    await query(`create function refuse() returns trigger language plpgsql as $$ begin raise 'interrupted'; end $$;
      create trigger refuse before insert on erasures execute function refuse()`);
    try {
      await expect(erase("client", CLIENT)).rejects.toThrow("interrupted");
    } finally {
      await query("drop function refuse cascade");
    }
    expect(await search(TRACES)).toEqual(before);
    await expectConsistent();
  });
});
