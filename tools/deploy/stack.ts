import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, relative } from "node:path";
import { text } from "node:stream/consumers";
import { fail, readArguments } from "../arguments.ts";
import { ROOT } from "../wrangler.ts";
import { VERSIONS } from "./deploy.ts";

const USAGE = `Maps the stacks of log lines to source lines, with the source maps that npm run deploy and npm start keep.

  npm run stack < lines.json      reads log lines as they were written; skips lines without a stack
  npm run stack -- --version V    uses this version instead of the one in each log line

Run it in the checkout that deployed or started the version: the source map is in dist/<version>/. Line numbers refer to
the commit of the version, and those of the version local to the files as the newest npm start found them. Exits with 1
if no line has a stack, or if a source map is missing.`;

interface LogLine {
  version?: string;
  request?: string;
  error?: string;
  stack?: string[];
}

const linesOf = (input: string): LogLine[] =>
  input.split("\n").flatMap((text) => {
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
    : fail(
        `There is no source map of version ${version}: dist/${version}/index.js.map is missing. Run this in the checkout that deployed or started it.`,
        1,
      );
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
if (lines.length === 0) fail("No line has a stack. Pass log lines of the service on stdin.", 1);
for (const line of lines) {
  const version = values.version ?? line.version ?? "unknown";
  const map = mapOf(version);
  console.log(`${line.error} of request ${line.request}, version ${version}`);
  for (const frame of line.stack ?? []) console.log(sourceOf(frame, version, map));
}
