// @module-tag slow
import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { posting } from "../../tools/posting.ts";
import { fences, runScript, skipWithoutTools } from "../support/node/pages.ts";

const docs = inject("docs");

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

/** Starts a proxy to the service that answers one request with 429 and corrupts the token of another. */
const startFaultyProxy = async () => {
  let pages = 0;
  const faults = { busy: 0, expired: 0 };
  const proxy = createServer((incoming, outgoing) => {
    if (incoming.url?.includes("after_id=")) pages += 1;
    const headers = { ...incoming.headers };
    if (pages === 3 && faults.busy === 0) {
      faults.busy += 1;
      outgoing.writeHead(429, { "Retry-After": "1", "Content-Type": "application/json" });
      outgoing.end('{"error":"Too Many Requests","message":"wait"}');
      return;
    }
    if (pages === 5 && faults.expired === 0) {
      faults.expired += 1;
      headers.authorization = `${headers.authorization}x`;
    }
    const onward = request(docs.base + incoming.url, { method: incoming.method, headers }, (upstream) => {
      outgoing.writeHead(upstream.statusCode ?? 500, upstream.headers);
      upstream.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => proxy.close(resolve));
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, faults, close };
};

const [tour] = fences.filter(({ heading, language }) => heading === "A tour with curl" && language === "sh");
const loop = (wanted: string) => fences.find(({ language }) => language === wanted)?.text ?? "";
it.for([
  ["curl", tour?.text ?? "", "", /^\[\d+,".+"\]$/gm],
  ["TypeScript", loop("ts"), "node all.ts", /^\d+ \S+$/gm],
  ["Python", loop("python"), "python3 all.python", /^\d+ \S+$/gm],
] as const)(
  "the %s loop waits after a 429, renews an expired token and reads every record once",
  async ([name, text, command, line], context) => {
    skipWithoutTools(context, command || text);
    const proxy = await startFaultyProxy();
    const local = text.replaceAll("http://127.0.0.1:8787", proxy.url);
    expect(local).not.toBe(text);
    writeFileSync(join(docs.folder, name === "Python" ? "all.python" : "all.ts"), local);
    const { output, failed } = await runScript(docs.folder, command || local);
    await proxy.close();
    expect(proxy.faults, output).toEqual({ busy: 1, expired: 1 });
    const entries = output.match(line) ?? [];
    expect([entries.length, new Set(entries).size], output.slice(-2000)).toEqual([total, total]);
    // curl reports the 401 that makes the loop renew its token.
    expect(failed.length).toBeLessThanOrEqual(name === "curl" ? 1 : 0);
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

it("the TypeScript loop compiles in strict mode", async () => {
  writeFileSync(join(docs.folder, "all.ts"), loop("ts"));
  const options =
    "--noEmit --strict --target esnext --module esnext --moduleResolution bundler --allowImportingTsExtensions --skipLibCheck --ignoreConfig --noUncheckedIndexedAccess --exactOptionalPropertyTypes";
  const { output, failed } = await runScript(
    docs.folder,
    `tsc ${options} --lib esnext --types @cloudflare/workers-types,node all.ts src/env.d.ts`,
  );
  expect(failed, output).toEqual([]);
});
