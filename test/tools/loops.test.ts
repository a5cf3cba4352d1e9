// @module-tag slow
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, inject, it } from "vitest";
import { fences, needs, run } from "../support/pages.ts";

const place = inject("docs");

/** The service, behind a way on which one request is refused for a second and another's token is spoiled. */
const startRefusing = async () => {
  let pages = 0;
  const refused = { busy: 0, expired: 0 };
  const paths: string[] = [];
  const way = createServer((asked, answer) => {
    paths.push(asked.url ?? "");
    if (asked.url?.includes("after_id=")) pages += 1;
    const headers = { ...asked.headers };
    if (pages === 3 && refused.busy === 0) {
      refused.busy += 1;
      answer.writeHead(429, { "Retry-After": "1", "Content-Type": "application/json" });
      answer.end('{"error":"Too Many Requests","message":"wait"}');
      return;
    }
    if (pages === 5 && refused.expired === 0) {
      refused.expired += 1;
      headers.authorization = `${headers.authorization}x`;
    }
    const onward = request(place.base + asked.url, { method: asked.method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 500, got.headers);
      got.pipe(answer);
    });
    asked.pipe(onward);
  });
  await new Promise<void>((resolve) => way.listen(0, "127.0.0.1", resolve));
  const close = () => new Promise((resolve) => way.close(resolve));
  return { url: `http://127.0.0.1:${(way.address() as AddressInfo).port}`, refused, paths, close };
};

const [tour] = fences.filter(({ heading, language }) => heading === "A tour with curl" && language === "sh");
const loop = (wanted: string) => fences.find(({ language }) => language === wanted)?.text ?? "";
it.for([
  ["curl", tour?.text ?? "", "", /^\[\d+,".+"\]$/gm],
  ["TypeScript", loop("ts"), "node all.ts", /^\d+ \S+$/gm],
  ["Python", loop("python"), "python3 all.python", /^\d+ \S+$/gm],
] as const)(
  "%s: waits when told to, renews its token, and misses nothing",
  { timeout: 60_000 },
  async ([name, text, command, line], context) => {
    needs(context, command || text);
    const way = await startRefusing();
    const local = text.replaceAll("http://127.0.0.1:8787", way.url);
    expect(local).not.toBe(text);
    writeFileSync(join(place.folder, name === "Python" ? "all.python" : "all.ts"), local);
    const { output, failed } = await run(place.folder, command || local);
    await way.close();
    expect(way.refused, output).toEqual({ busy: 1, expired: 1 });
    const entries = output.match(line) ?? [];
    expect([entries.length, new Set(entries).size], output.slice(-2000)).toEqual([1200, 1200]);
    // curl tells of the one refusal that makes the loop renew.
    expect(failed.length).toBeLessThanOrEqual(name === "curl" ? 1 : 0);
  },
);

it("the one in Python that follows a feed makes a copy and keeps it (C1)", {
  timeout: 60_000,
}, async (context) => {
  const command = "python3 copy.python";
  needs(context, command);
  const [all = "", copy = ""] = fences.flatMap(({ language, text }) => (language === "python" ? [text] : []));
  // What the first of them lists is not wanted here.
  const script = `${all.replace(/^after = 0\n[\s\S]*/m, "")}\n${copy}\nprint("again", len(copy))\n`;
  writeFileSync(join(place.folder, "copy.python"), script.replaceAll("http://127.0.0.1:8787", place.base));
  const { output, failed } = await run(place.folder, command);
  expect(failed, output).toEqual([]);
  expect(output).toMatch(/^copied 1200\nagain 1200$/m);
});

it("the one in TypeScript compiles as it stands", { timeout: 60_000 }, async () => {
  writeFileSync(join(place.folder, "all.ts"), loop("ts"));
  const options =
    "--noEmit --strict --target esnext --module esnext --moduleResolution bundler --allowImportingTsExtensions --skipLibCheck --ignoreConfig --noUncheckedIndexedAccess --exactOptionalPropertyTypes";
  const { output, failed } = await run(
    place.folder,
    `tsc ${options} --lib esnext --types @cloudflare/workers-types,node all.ts src/env.d.ts`,
  );
  expect(failed, output).toEqual([]);
});

it("a month is drawn from one request, by day, by unit and by payment form", {
  timeout: 60_000,
}, async (context) => {
  const script =
    fences.find(({ heading, language }) => heading === "A screen from one request" && language === "python")
      ?.text ?? "";
  needs(context, "python3");
  const way = await startRefusing();
  writeFileSync(join(place.folder, "painel.python"), script.replaceAll("http://127.0.0.1:8787", way.url));
  const { output, failed } = await run(place.folder, "python3 painel.python");
  await way.close();
  expect(failed, output).toEqual([]);
  expect(way.paths.map((path) => path.split("?")[0])).toEqual(["/auth/login", "/v1/relatorios/painel"]);
  const drawn = readFileSync(join(place.folder, "painel.svg"), "utf8");
  const charts = drawn.split('font-weight="bold">').slice(1);
  const bars = charts.map((chart) => [...chart.matchAll(/: (\d+)<\/text><rect [^>]*width="([\d.]+)"/g)]);
  const visits = bars.map((chart) => chart.reduce((sum, [, count]) => sum + Number(count), 0));
  expect(bars.map(({ length }) => length)).toEqual([30, 6, expect.any(Number)]);
  expect(visits).toEqual([visits[0], visits[0], visits[0]]);
  expect(visits[0]).toBeGreaterThan(30);
  // The longest bar of each is as long as the others are measured by.
  for (const chart of bars) expect(Math.max(...chart.map(([, , width]) => Number(width)))).toBe(400);
});
