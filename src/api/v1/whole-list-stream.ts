import type { Context } from "hono";
import { routePath } from "hono/route";
import { isStillValid } from "../../access/auth/bearer.ts";
import { assertEnough, runCounted } from "../../access/limits/stream.ts";
import { type AppEnv, TIME_BUDGET_MS } from "../../core/context.ts";
import { causeOf } from "../../core/database.ts";
import { Refusal } from "../../core/errors.ts";
import { writeLogLine } from "../../core/log-line.ts";
import type { Part, PartStart } from "../../platform/db/parts.ts";
import { CSV_CONTENT_TYPE, setFileName } from "../../platform/http/csv.ts";
import { streamOf } from "./part-stream.ts";

/** How many whole lists an isolate sends at once: each holds a part in memory. */
const MAX_STREAMS = 3;
/** A stream without a part for this long no longer counts: the runtime may have ended its request. */
const FORGOTTEN_MS = 600_000;

/** When each stream last read a part. */
const streams = new Map<symbol, number>();

/** @throws Refusal 503 while the isolate sends as many as it may */
const openStream = (): symbol => {
  const now = Date.now();
  for (const [stream, readAt] of streams) if (now - readAt > FORGOTTEN_MS) streams.delete(stream);
  if (streams.size >= MAX_STREAMS)
    throw new Refusal(
      503,
      `${MAX_STREAMS} whole lists are being sent already. Try again in a few seconds, or read pages.`,
      { "Retry-After": "5" },
    );
  const stream = Symbol("stream");
  streams.set(stream, now);
  return stream;
};

/** The log shows the name as `error`. */
class TokenEndedError extends Error {
  override name = "TokenEndedError";
}

/** What the client's connection ends with. The reader sees only that it ended. */
const BROKEN_OFF = "The list broke off before its end";

const logBreak = (c: Context<AppEnv>, error: unknown): void =>
  writeLogLine("error", {
    version: c.env.VERSION,
    event: "stream",
    message: BROKEN_OFF,
    request: c.var.requestId,
    route: routePath(c, -1),
    user: c.var.caller?.id,
    ...causeOf(error instanceof Refusal ? (error.cause ?? error) : error),
  });

type ReadFrom = (start: PartStart) => Promise<Part>;

/** Reads a later part: with a deadline of its own, counted, and only for a token that is still valid. */
const readLater = (c: Context<AppEnv>, readPart: ReadFrom, start: PartStart): Promise<Part> =>
  runCounted(c, async () => {
    c.set("deadline", Date.now() + TIME_BUDGET_MS);
    if (!(await isStillValid(c))) throw new TokenEndedError();
    return readPart(start);
  });

interface WholeList {
  isCsv: boolean;
  first: PartStart;
  /** Reads one part. */
  readPart: ReadFrom;
  /** Runs before anything is sent, and may refuse. */
  onFirst: (part: Part) => Promise<void>;
}

const setHeaders = (c: Context, { isCsv }: WholeList): void => {
  c.header("Vary", "Accept", { append: true });
  c.header("Cache-Control", "no-store");
  c.header("Content-Type", isCsv ? CSV_CONTENT_TYPE : "application/x-ndjson; charset=utf-8");
  setFileName(c, isCsv ? "csv" : "ndjson");
};

/** Reads the first part, which decides the status. */
const begin = async (c: Context<AppEnv>, list: WholeList): Promise<Part> => {
  const first = await list.readPart(list.first);
  await list.onFirst(first);
  setHeaders(c, list);
  return first;
};

/**
 * Sends a whole list, part by part (X2). HEAD reads only the first one.
 * @throws what the first part throws; Refusal 429 if too few requests are left, 503 while the isolate sends as many
 * lists as it may
 */
export const sendWholeList = async (c: Context<AppEnv>, list: WholeList): Promise<Response> => {
  assertEnough(c);
  if (c.req.method === "HEAD") {
    await begin(c, list);
    return c.body(null);
  }
  const stream = openStream();
  const close = () => streams.delete(stream);
  try {
    const first = await begin(c, list);
    const readNext = (start: PartStart) => {
      if (streams.has(stream)) streams.set(stream, Date.now());
      return readLater(c, list.readPart, start);
    };
    const isWanted = () => !(c.req.raw.signal.aborted || c.var.isReplaced);
    const onBreak = (error: unknown) => logBreak(c, error);
    const { body, records } = streamOf({ first, readNext, isWanted, onBreak }, BROKEN_OFF);
    c.executionCtx.waitUntil(records.then(close));
    if (c.var.access) c.set("access", { ...c.var.access, records });
    return c.body(body);
  } catch (error) {
    close();
    throw error;
  }
};
