import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { fail, readArguments } from "./arguments.ts";
import { ROOT, VERSIONS } from "./deploy.ts";

const USAGE = `Turns the stacks of log lines into lines of the source, through the source maps that npm run deploy has kept.

  npm run stack < lines.json      log lines as they were written, one a line; those without a stack are passed over
  npm run stack -- --version V    takes this version instead of the one the lines name

Run it where the version was deployed from: dist/<version>/ has its map. Source lines are those of its commit.
Ends with 1 when no line has a stack, or a map is not there.`;

interface LogLine {
  version?: string;
  request?: string;
  error?: string;
  stack?: string[];
}

const linesOf = (given: string): LogLine[] =>
  given.split("\n").flatMap((text) => {
    try {
      const line = JSON.parse(text) as LogLine | null;
      return Array.isArray(line?.stack) ? [line] : [];
    } catch {
      return [];
    }
  });

const mapOf = (version: string): SourceMap => {
  const file = join(VERSIONS, version, "index.js.map");
  return /^[\w.-]+$/.test(version) && existsSync(file)
    ? new SourceMap(JSON.parse(readFileSync(file, "utf8")))
    : fail(`There is no source map of version ${version}: dist/${version}/index.js.map is missing.`, 1);
};

const FRAME = /^( *at )(?:(.*) \()?[^()]*index\.js:(\d+):(\d+)\)?$/;

/** Maps a frame of the bundle to its source. Returns other frames unchanged. */
const sourceOf = (frame: string, version: string, map: SourceMap): string => {
  const [, at, minified, line, column] = FRAME.exec(frame) ?? [];
  const origin = map.findOrigin(Number(line), Number(column));
  if (!("fileName" in origin)) return frame;
  const file = relative(ROOT, join(VERSIONS, version, origin.fileName));
  const name = origin.name ?? minified;
  const place = `${file}:${origin.lineNumber}:${origin.columnNumber}`;
  return name ? `${at}${name} (${place})` : `${at}${place}`;
};

const { values } = readArguments(USAGE, { options: { version: { type: "string" } } });
const lines = linesOf(await text(process.stdin));
if (lines.length === 0) fail("No line has a stack: give log lines of the service on stdin.", 1);
for (const line of lines) {
  const version = values.version ?? line.version ?? "unknown";
  const map = mapOf(version);
  console.log(`${line.error} of request ${line.request}, version ${version}`);
  for (const frame of line.stack ?? []) console.log(sourceOf(frame, version, map));
}
