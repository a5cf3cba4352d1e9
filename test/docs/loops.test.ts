// @module-tag slow
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { posting } from "../../tools/posting.ts";
import { startFaultyProxy } from "../support/node/faulty-proxy.ts";
import { hasGenerators } from "../support/node/installed.ts";
import { fences, ROOT, runScript, skipWithoutTools } from "../support/node/pages.ts";

const docs = inject("docs");

/** A project of another repository: it has only hono and the printed types. */
const project = mkdtempSync(join(tmpdir(), "client-"));
beforeAll(async () => {
  mkdirSync(join(project, "node_modules"));
  symlinkSync(join(ROOT, "node_modules/hono"), join(project, "node_modules/hono"));
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  const { failed, output } = await runScript(
    docs.folder,
    `npm run -s client:types > ${project}/salon-erp.d.ts`,
  );
  expect(failed, output).toEqual([]);
});
afterAll(() => rmSync(project, { recursive: true }));

/** The number of ledger entries of the demo, from its summary. */
const countEntries = async (): Promise<number> => {
  const account = { email: "demo@example.com", password: "demo-password" };
  const login = await fetch(`${docs.base}/auth/login`, posting(account));
  const { access_token: token } = (await login.json()) as { access_token: string };
  const headers = { Authorization: `Bearer ${token}` };
  const summary = await fetch(`${docs.base}/v1/relatorios/resumo`, { headers });
  return ((await summary.json()) as { lancamentos: { total: number } }).lancamentos.total;
};
const total = await countEntries();

const scriptsOf = (wanted: string) =>
  fences.flatMap(({ heading, language, text }) => (heading === wanted && language === "sh" ? [text] : []));
const loop = (wanted: string) => fences.find(({ language }) => language === wanted)?.text ?? "";
it.for([
  ["TypeScript", loop("ts"), "node all.ts", /^\d+ \S+$/gm],
  ["Python", loop("python"), "python3 all.python", /^\d+ \S+$/gm],
] as const)(
  "the %s loop waits after a 429, renews an expired token and reads every record once",
  async ([name, text, command, line], context) => {
    skipWithoutTools(context, command);
    const proxy = await startFaultyProxy(docs.base);
    const local = text.replaceAll("http://127.0.0.1:8787", proxy.url);
    expect(local).not.toBe(text);
    const folder = name === "TypeScript" ? project : docs.folder;
    writeFileSync(join(folder, name === "Python" ? "all.python" : "all.ts"), local);
    const { output, failed } = await runScript(folder, command);
    await proxy.close();
    expect(proxy.faults, output).toMatchObject({ busy: 1, expired: 1 });
    const entries = output.match(line) ?? [];
    expect([entries.length, new Set(entries).size], output.slice(-2000)).toEqual([total, total]);
    expect(failed).toEqual([]);
  },
);

it("the Python loop over a change feed makes a copy and keeps it up to date (C1)", async (context) => {
  const command = "python3 copy.python";
  skipWithoutTools(context, command);
  const [all = "", copy = ""] = fences.flatMap(({ language, text }) => (language === "python" ? [text] : []));
  // Without the part of the first program that reads a list.
  const script = `${all.replace(/^after = 0\n[\s\S]*/m, "")}\n${copy}\nprint("again", len(copy))\n`;
  writeFileSync(join(docs.folder, "copy.python"), script.replaceAll("http://127.0.0.1:8787", docs.base));
  const { output, failed } = await runScript(docs.folder, command);
  expect(failed, output).toEqual([]);
  expect(output).toContain(`copied ${total}\nagain ${total}\n`);
});

it("the curl loop over a whole list goes on after it broke off twice, and has every record once (X2)", async (context) => {
  const [, whole = ""] = scriptsOf("Read a whole list");
  const script = `${scriptsOf("Save a table as CSV")[0]?.replace(/^curl .*$/m, "")}\n${whole}`;
  skipWithoutTools(context, script);
  const proxy = await startFaultyProxy(docs.base, { expires: false, cutAfter: [50_000, 2_000_000] });
  const local = script.replaceAll("http://127.0.0.1:8787", proxy.url);
  const { output, failed } = await runScript(docs.folder, local);
  await proxy.close();
  expect(failed, output).toEqual([]);
  expect(proxy.faults).toMatchObject({ busy: 1, cut: 2 });
  const lines = readFileSync(join(docs.folder, "lancamentos.ndjson"), "utf8").trimEnd().split("\n");
  const ids = lines.map((line): number => JSON.parse(line).id);
  expect([ids.length, new Set(ids).size]).toEqual([total, total]);
});

const WRONG = `
const wrong = await (await client.v1.lancamentos.$get({ query: {} })).json();
// @ts-expect-error: \`data\` is a list.
wrong.data.id;
`;

it.for([
  ["7", join(ROOT, "node_modules/.bin/tsc --ignoreConfig"), true],
  ["5.9", join(ROOT, "test/clients/node_modules/.bin/tsc"), hasGenerators],
] as const)(
  "the TypeScript loop compiles in another repository that has only hono, with TypeScript %s",
  async ([version, tsc, isInstalled], { skip }) => {
    if (!isInstalled) skip("not installed: TypeScript 5.9 (npm --prefix test/clients ci)");
    expect((await runScript(project, `${tsc} --version`)).output).toContain(`Version ${version}`);
    expect(readFileSync(join(project, "salon-erp.d.ts"), "utf8").match(/from ".*?"|import\(/g)).toEqual([
      'from "hono"',
    ]);
    writeFileSync(join(project, "strict.ts"), loop("ts") + WRONG);
    const options =
      "--noEmit --strict --target esnext --module nodenext --noUncheckedIndexedAccess --exactOptionalPropertyTypes";
    const { output, failed } = await runScript(project, `${tsc} ${options} strict.ts`);
    expect(failed, output).toEqual([]);
  },
);
