import { writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fences, needs, openFolder, run } from "../support/pages.ts";

let place: Awaited<ReturnType<typeof openFolder>>;
beforeAll(async () => {
  place = await openFolder();
}, 120_000);
afterAll(() => place.close());

/** The service, behind a way on which one request is refused for a second and another's token is spoiled. */
const startRefusing = async () => {
  let pages = 0;
  const refused = { busy: 0, expired: 0 };
  const way = createServer((asked, answer) => {
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
  return { url: `http://127.0.0.1:${(way.address() as AddressInfo).port}`, refused, close };
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

it("the one in Python that follows a feed makes a copy and keeps it", {
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
