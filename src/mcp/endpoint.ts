import type { OpenAPIHono } from "@hono/zod-openapi";
import {
  type CallToolRequest,
  createMcpHandler,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  isLegacyRequest,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import type { Context, Hono } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { version } from "../../package.json";
import { buildDocument } from "../docs/document.ts";
import { guide } from "../docs/llms.ts";
import type { AppEnv } from "../ground/context.ts";
import { Refusal } from "../ground/errors.ts";
import type { Settings } from "../ground/settings.ts";
import { call, inProcess } from "./call.ts";
import { type Tool, toolsOf, wordsOf } from "./tools.ts";

// `answer` takes a message, fetches what tools are made of from `toolbox`, and has `answerTo` put it to a server of the
// protocol, whose handlers (`serverFor`) list the tools or `call` one. What a handler throws the protocol would answer
// itself: it is kept as the request's `bug`, and `answer` throws it again, so that `onError` makes the 500 of it.

/** Revisions of the protocol, newest first (M1). Of those with a handshake, the first is offered to whoever asks for another. */
const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"];

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** The one message a body holds. @throws Refusal for every other body (M1) */
const messageIn = async (c: Context<AppEnv>): Promise<unknown> => {
  if (!JSON_TYPE.test(c.req.header("Content-Type") ?? ""))
    throw new Refusal(400, "The body must be JSON: send it with Content-Type: application/json.");
  const bytes = await c.req.arrayBuffer();
  let message: unknown;
  try {
    // What is no UTF-8 is refused: replaced by U+FFFD, an argument would ask for something else.
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new Refusal(400, "The body is not valid JSON in UTF-8.");
  }
  if (Array.isArray(message)) throw new Refusal(400, "Send one message, not a batch of them.");
  if (!isJSONRPCRequest(message) && !isJSONRPCNotification(message) && !isJSONRPCResponse(message))
    throw new Refusal(
      400,
      "The body is no message of JSON-RPC 2.0, which the Model Context Protocol speaks.",
    );
  return message;
};

/** Answers a router of all routes. */
type Everything = () => Promise<OpenAPIHono<AppEnv>>;

interface Toolbox {
  tools: Map<string, Tool>;
  /** What holds whichever tool is taken. */
  guide: string;
  routes: Hono<AppEnv>;
}

let made: Toolbox | undefined;

/**
 * Made when first asked for, and once: emitting the document costs tens of milliseconds. Of the settings it tells in the
 * headers of answers alone, which no tool has: it is the same for all.
 */
const toolbox = async (everything: Everything, settings: Settings): Promise<Toolbox> => {
  if (made === undefined) {
    const all = await everything();
    const document = buildDocument(all, settings);
    made = { tools: toolsOf(document), guide: wordsOf(document)(guide), routes: inProcess(all) };
  }
  return made;
};

/** A server for one message: it knows whose it is, and nothing of any other. */
const serverFor = (c: Context<AppEnv>, { tools, guide, routes }: Toolbox, message: unknown): Server => {
  const server = new Server(
    { name: "salon-erp-data-service", title: "Salon-to-ERP data service", version },
    { capabilities: { tools: {} }, instructions: guide, supportedProtocolVersions: REVISIONS },
  );
  server.setRequestHandler("tools/list", () => ({ tools: [...tools.values()].map(({ listed }) => listed) }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = tools.get(params.name);
    if (tool === undefined)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        "There is no tool of this name. tools/list has their names.",
      );
    // As they were sent: what checked them has dropped a name like `__proto__`.
    const { arguments: args = {} } = (message as CallToolRequest).params;
    const { text, isError } = await call(c, routes, tool, args).catch((error: unknown) => {
      c.set("bug", error);
      throw error;
    });
    return { content: [{ type: "text", text }], isError };
  });
  return server;
};

/**
 * Answers with JSON whatever the revision: there is nothing to stream, and the headers of a stream would leave before what
 * they tell of.
 */
const answerTo = async (c: Context<AppEnv>, box: Toolbox, message: unknown): Promise<Response> => {
  const headers = new Headers(c.req.raw.headers);
  headers.set("Accept", "application/json, text/event-stream");
  const request = new Request(c.req.url, { method: "POST", headers });
  const parsedBody = { parsedBody: message };
  const server = serverFor(c, box, message);
  if (!(await isLegacyRequest(request, message)))
    return createMcpHandler(() => server, { legacy: "reject", maxSubscriptions: 0 }).fetch(
      request,
      parsedBody,
    );
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, parsedBody);
  } finally {
    await server.close();
  }
};

/** One message of the Model Context Protocol, and its answer (M1). */
export const answer = async (c: Context<AppEnv>, everything: Everything): Promise<Response> => {
  const message = await messageIn(c);
  const response = await answerTo(c, await toolbox(everything, c.var.settings), message);
  // What nobody foresaw is told as everywhere, with the request's id.
  if (c.var.bug !== undefined) throw c.var.bug;
  const type = response.headers.get("Content-Type");
  return type === null
    ? c.body(null, response.status as 202)
    : c.body(await response.text(), response.status as ContentfulStatusCode, { "Content-Type": type });
};
