import { describe, expect, it } from "vitest";
import { parseReceipts, readKey } from "../../../tools/warehouse/person/receipts.ts";
import {
  CLIENT,
  entry,
  erase,
  NAME,
  plant,
  query,
  removePlanted,
  repeat,
  search,
  TRACES,
  usePersons,
  visit,
} from "./fixture.ts";

usePersons();

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
