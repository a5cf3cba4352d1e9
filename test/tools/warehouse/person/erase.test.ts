// @module-tag server
import { randomBytes } from "node:crypto";
import { userInfo } from "node:os";
import { describe, expect, inject, it } from "vitest";
import { printAccesses } from "../../../../tools/warehouse/accesses.ts";
import { erasePersons } from "../../../../tools/warehouse/person/erase.ts";
import { parseReceipts, type Receipt, readKey } from "../../../../tools/warehouse/person/receipts.ts";
import { createFollower } from "../../../oracle/follower.ts";
import { runRandomLoaders } from "../../../oracle/storm.ts";
import {
  CLIENT,
  db,
  entry,
  erase,
  eraseIn,
  expectConsistent,
  isServer,
  key,
  NAME,
  OTHER,
  PAID,
  PROFESSIONAL,
  plant,
  query,
  removePlanted,
  repeat,
  search,
  service,
  silent,
  TRACES,
  totals,
  usePersons,
  visit,
  warehouse,
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

describe("receipts", () => {
  it("name nobody, and find a client again who came back with a restore (A16)", async () => {
    const receipts = await erase("client", CLIENT);
    const text = receipts.map((receipt) => JSON.stringify(receipt)).join("\n");
    expect(text).not.toMatch(TRACES);
    await removePlanted();
    await plant();
    const again = await repeat(parseReceipts(text));
    expect(again).toMatchObject([{ hash: receipts[0]?.hash, rows: { transacoes: 3, lancamentos: 1 } }]);
    await query("analyze");
    expect(await search(TRACES)).toEqual([]);
  });

  it("find a client again whom a late sync brings back with the id (A16)", async () => {
    const receipts = await erase("client", CLIENT);
    await visit("pt 2", CLIENT, NAME);
    await visit("pt 5", CLIENT, NAME);
    expect(await repeat(receipts)).toMatchObject([{ rows: { transacoes: 2 } }]);
    expect(await search(TRACES)).toEqual([]);
  });

  it("find a name again that a late sync brings back without the id, unless somebody else has it (A16)", async () => {
    const receipts = await erase("client", CLIENT);
    await entry("pl 1", "pt 1", NAME);
    await visit("pt 6", "cliente-9", NAME);
    await repeat(receipts);
    expect((await search(TRACES)).length).toBeGreaterThan(0);
    await query("delete from transacoes where salon_id = 'pt 6'");
    expect(await repeat(receipts)).toMatchObject([{ rows: { lancamentos: 1 } }]);
    await query("analyze");
    expect((await search(TRACES)).filter((row) => !row.startsWith("transacoes_"))).toEqual([]);
  });

  it("find the id of an erased client again in the record of a later request (A15, A16)", async () => {
    const receipts = await erase("client", CLIENT);
    await query("insert into acessos (route, cliente_id) values ('/v1/transacoes', $1)", [CLIENT]);
    expect(await repeat(receipts)).toMatchObject([{ rows: { acessos: 1 } }]);
    expect(await search(TRACES)).toEqual([]);
  });

  it("keep the time of the first erasure (A16)", async () => {
    const [first] = await erase("client", CLIENT);
    await query("update erasures set erased_at = erased_at - interval '1 day'");
    const [again] = await erase("client", CLIENT);
    expect(Date.parse(first?.erased_at ?? "") - Date.parse(again?.erased_at ?? "")).toBe(86_400_000);
  });

  it("with a wrong line are an error (A16)", async () => {
    const [receipt] = await erase("client", CLIENT);
    const text = JSON.stringify(receipt);
    expect(() => parseReceipts(`${text}\n\n{}`)).toThrow("Line 3 is not a receipt. Nothing was changed.");
    expect(() => parseReceipts(JSON.stringify({ ...receipt, names: ["Ana"] }))).toThrow("Line 1 is not");
    expect(parseReceipts(`\uFEFF${text}`)).toEqual([receipt]);
    expect(() => readKey("short")).toThrow(/^ERASURE_KEY must be base64url of at least 32 bytes/);
  });
});

describe("erasing a professional", () => {
  const THEIRS = /970013|ubirajara|xerem|xerém/i;

  it("leaves neither name nor id, and every total as it was (A16)", async () => {
    const before = await totals();
    const [receipt] = await erase("professional", PROFESSIONAL);
    expect(receipt?.rows).toEqual({ lancamentos: 2, profissionais: 1, transacoes: 3, vendas_produto: 1 });
    await query("analyze");
    expect(await search(THEIRS)).toEqual([]);
    expect(await totals()).toEqual(before);
    await expectConsistent();
    const [row] = await query("select cliente_nome, servicos from transacoes where salon_id = 'pt 1'");
    expect(row.cliente_nome).toBe(NAME);
    expect(row.servicos).toMatchObject([
      { idProfissionalQueRealizouServico: null, valor: 150.45 },
      { idProfissionalQueRealizouServico: 970099 },
    ]);
  });

  it("is repeated by receipts after a restore (A16)", async () => {
    const receipts = await erase("professional", PROFESSIONAL);
    await removePlanted();
    await plant();
    expect(await repeat(receipts, "professional")).toMatchObject([
      { rows: { profissionais: 1, transacoes: 3 } },
    ]);
  });
});

describe("erasing a professional whose name", () => {
  it.each([
    ["is one word", "Shirlene", "select"],
    [
      "another professional has",
      "Rosa Linda",
      "insert into profissionais (nome, salon_id) values ('Rosa Linda', '970099')",
    ],
    ["a product has", "Kit Verão", "update produtos set nome = 'Kit Verão' where salon_id = 'pp 1'"],
    ["a cost centre has", "Centro Novo", "select"],
  ])(
    "%s, %s, leaves it in no entry or service with the id, and in all others (A16)",
    async (_, name, make) => {
      const id = Number(PROFESSIONAL);
      await query("update profissionais set nome = $1 where salon_id = $2", [name, PROFESSIONAL]);
      await query(make);
      const theirs = { Pessoa: name, Observacao: `pago a ${name}`, Outra: 5 };
      const others = { Profissional: "Maria", IdProfissional: 970099, Pessoa: name };
      const service = { nome: "Corte", valor: 1, quem: name, nota: [`com ${name}!`] };
      await query("update lancamentos set raw_data = $1 where salon_id = 'pl 1'", [
        { ...theirs, IdProfissional: id, CentroCusto: name, Itens: [others], [name]: 1 },
      ]);
      await query("update lancamentos set raw_data = $1 where salon_id = 'pl 3'", [theirs]);
      await query(
        "update pagamentos_erp set raw_data = $1, descricao = $2, nome_conta_classificacao = $3 where erp_id = 970002",
        [{ ProfissionalId: PROFESSIONAL, json: JSON.stringify(theirs) }, `Comissão ${name}`, name],
      );
      await query("update transacoes set servicos = $1 where salon_id = 'pt 3'", [
        JSON.stringify([
          { ...service, idProfissionalQueRealizouServico: id },
          { ...service, idProfissionalQueRealizouServico: 970099 },
        ]),
      ]);
      const [receipt] = await erase("professional", PROFESSIONAL);
      expect(receipt?.left).toEqual([]);
      expect(
        await query("select raw_data from lancamentos where salon_id in ('pl 1', 'pl 3') order by salon_id"),
      ).toEqual([
        {
          raw_data: {
            Pessoa: null,
            Observacao: null,
            Outra: 5,
            IdProfissional: null,
            CentroCusto: name,
            Itens: [others],
            "removed 1": 1,
          },
        },
        { raw_data: theirs },
      ]);
      const [payment] = await query(
        "select raw_data, descricao, nome_conta_classificacao from pagamentos_erp where erp_id = 970002",
      );
      expect(JSON.parse(payment.raw_data.json)).toEqual({ Pessoa: null, Observacao: null, Outra: 5 });
      expect(payment).toMatchObject({ descricao: null, nome_conta_classificacao: name });
      const [{ servicos }] = await query("select servicos from transacoes where salon_id = 'pt 3'");
      expect(servicos).toEqual([
        { nome: "Corte", valor: 1, quem: null, nota: [null], idProfissionalQueRealizouServico: null },
        { ...service, idProfissionalQueRealizouServico: 970099 },
      ]);
      await expectConsistent();
      await query("delete from profissionais where salon_id = '970099'");
      await query("update pagamentos_erp set nome_conta_classificacao = null where erp_id = 970002");
    },
  );
});

describe("any client of a random warehouse", () => {
  it("is erased without a change of any total (A16)", async () => {
    const clients = await query(
      "select id from (select cliente_salon_id as id from transacoes union select cliente_id from vendas_produto) as c where id is not null order by md5(id) limit 12",
    );
    const ids: string[] = clients.map(({ id }) => id);
    const before = await totals();
    const receipts = await erase("client", ...ids);
    expect(receipts).toHaveLength(ids.length);
    expect(await totals()).toEqual(before);
    await expectConsistent();
    for (const table of [
      "transacoes",
      "vendas_produto",
      "visitas_facts",
      "vendas_facts",
      "transacoes_cliente_rollup",
      "vendas_cliente_rollup",
    ]) {
      const column = /^(transacoes|visitas)/.test(table) ? "cliente_salon_id" : "cliente_id";
      expect(await query(`select from ${table} where ${column} = any($1)`, [ids])).toEqual([]);
    }
  });
});

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
    const erasing = eraseIn(own, CLIENT);
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
      const [loader, other] = [await warehouse.connect(), await warehouse.connect()];
      const own = await warehouse.connect();
      await visit("pt 9", "first cliente-7f3", null);
      await loader.query("begin; update transacoes set total = total where salon_id = 'pt 9'");
      const [{ pid }] = (await own.query("select pg_backend_pid() as pid")).rows;
      const ids = ["first cliente-7f3"];
      const erasing = eraseIn(own, ...ids);
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
      for (let n = 0; isWriting && n < clients.length; n += 1) await eraseIn(own, clients[n].id);
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
