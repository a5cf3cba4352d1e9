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
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { version } from "../../../package.json";
import { ACCESS_TOKEN_LIFETIME } from "../../access/auth/access-token.ts";
import { callerOf } from "../../access/auth/bearer.ts";
import { buildDocument } from "../../api/openapi/document.ts";
import { nearest } from "../../api/v1/nearest.ts";
import type { AppEnv } from "../../core/context.ts";
import { Refusal } from "../../core/errors.ts";
import type { Settings } from "../../core/settings.ts";
import { type InProcessRoutes, inProcessRoutes } from "../../platform/http/in-process.ts";
import { originOf } from "../../platform/http/origin.ts";
import { callTool } from "./call.ts";
import { instructionsFor } from "./instructions.ts";
import { explainResult, isPermitted } from "./rights.ts";
import { type Tool, toolsOf } from "./tools.ts";

/** Protocol versions, newest first (M1). `initialize` falls back to the newest one that has a handshake. */
const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"];

const JSON_TYPE = /^application\/json\s*(;|$)/i;

/** Parses the body as one JSON-RPC message. @throws Refusal 400 for any other body (M1) */
const parseMessage = async (c: Context<AppEnv>): Promise<unknown> => {
  if (!JSON_TYPE.test(c.req.header("Content-Type") ?? ""))
    throw new Refusal(400, "The body must be JSON. Send it with `Content-Type: application/json`.");
  const bytes = await c.req.arrayBuffer();
  let message: unknown;
  try {
    // `fatal` rejects invalid UTF-8: replacing it with U+FFFD would change the arguments.
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new Refusal(400, "The body is not valid JSON in UTF-8. Send one JSON-RPC message.");
  }
  if (Array.isArray(message)) throw new Refusal(400, "The body is a batch. Send one message per request.");
  if (!isJSONRPCRequest(message) && !isJSONRPCNotification(message) && !isJSONRPCResponse(message))
    throw new Refusal(
      400,
      "The body is not a JSON-RPC 2.0 message. Send a message of the Model Context Protocol.",
    );
  return message;
};

type AllRoutes = () => Promise<OpenAPIHono<AppEnv>>;

interface Toolbox {
  tools: Map<string, Tool>;
  routes: InProcessRoutes;
}

let cachedToolbox: Toolbox | undefined;

/** Builds the tools once: the document takes tens of milliseconds. No tool depends on the settings. */
const loadToolbox = async (allRoutes: AllRoutes, settings: Settings): Promise<Toolbox> => {
  if (cachedToolbox === undefined) {
    const routes = await allRoutes();
    cachedToolbox = {
      tools: toolsOf(buildDocument(routes, settings)),
      routes: inProcessRoutes(routes),
    };
  }
  return cachedToolbox;
};

/** What the server says about itself (M8). Clients show it beside the tools. */
const describeServer = (c: Context) => ({
  name: "salon-erp-data-service",
  title: "Salon-to-ERP data service",
  version,
  description:
    "Read-only data of a chain of beauty salons: visits, product sales, ERP payments, professionals, " +
    "business units and reports.",
  websiteUrl: `${originOf(c)}/`,
  icons: ["192", "512"].map((size) => ({
    src: `${originOf(c)}/icons/${size}.png`,
    mimeType: "image/png",
    sizes: [`${size}x${size}`],
  })),
});

/** A client may keep a list as long as an access token is valid (M8): rights change with the token. */
const CACHE_HINT = { ttlMs: ACCESS_TOKEN_LIFETIME * 1000, cacheScope: "private" } as const;

/** No tool has a longer name. */
const MAX_NAME = 64;

const unknownTool = (name: string, permitted: Tool[]): ProtocolError => {
  const names = permitted.map((tool) => ({ value: tool.definition.name, name: null }));
  const [first, second, third] = nearest(name.slice(0, MAX_NAME), names, 3).map(
    ({ value }) => `\`${value}\``,
  );
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `No tool has this name. The nearest are ${first}, ${second} and ${third}. Call tools/list for all names.`,
  );
};

/** Creates a server for one message: its handlers use the context of that request. */
const serverFor = (c: Context<AppEnv>, { tools, routes }: Toolbox, message: unknown): Server => {
  const { rights } = callerOf(c);
  const server = new Server(describeServer(c), {
    capabilities: { tools: {} },
    instructions: instructionsFor(rights),
    supportedProtocolVersions: REVISIONS,
    cacheHints: { "tools/list": CACHE_HINT, "server/discover": CACHE_HINT },
  });
  const permitted = () => [...tools.values()].filter((tool) => isPermitted(tool, rights));
  server.setRequestHandler("tools/list", () => ({
    tools: permitted().map(({ definition }) => definition),
  }));
  server.setRequestHandler("tools/call", async ({ params }) => {
    const tool = tools.get(params.name);
    if (tool === undefined) throw unknownTool(params.name, permitted());
    // Read the original arguments: the SDK's validation drops a name like `__proto__`.
    const { arguments: args = {} } = (message as CallToolRequest).params;
    const { text, isError } = await callTool(c, routes, tool, args).catch((error: unknown) => {
      // The SDK would send its own error response. `respond` rethrows `bug`, so that `onError` sends a 500.
      c.set("bug", error);
      throw error;
    });
    const note = isError ? "" : explainResult(tool, rights, text);
    const texts = note === "" ? [text] : [text, note];
    return { content: texts.map((one) => ({ type: "text", text: one })), isError };
  });
  return server;
};

/** Serves a message of a revision without a handshake. */
const handleModern = async (server: Server, request: Request, parsedBody: unknown): Promise<Response> => {
  const handler = createMcpHandler(() => server, { legacy: "reject", maxSubscriptions: 0 });
  const response = await handler.fetch(request, { parsedBody });
  const isSubscription = isJSONRPCRequest(parsedBody) && parsedBody.method === "subscriptions/listen";
  // The SDK reports that the limit of subscriptions is reached. But the method is not implemented (M8).
  if (!isSubscription || response.status !== 200) return response;
  const error = { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id: parsedBody.id, error }, { status: 404 });
};

/** Responds with JSON, not with a stream: a stream sends its headers before all their values are known. */
const handleMessage = async (c: Context<AppEnv>, toolbox: Toolbox, message: unknown): Promise<Response> => {
  const headers = new Headers(c.req.raw.headers);
  headers.set("Accept", "application/json, text/event-stream");
  const request = new Request(c.req.url, { method: "POST", headers });
  const server = serverFor(c, toolbox, message);
  if (!(await isLegacyRequest(request, message))) return handleModern(server, request, message);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  await server.connect(transport);
  try {
    return await transport.handleRequest(request, { parsedBody: message });
  } finally {
    await server.close();
  }
};

/** Responds to one MCP message (M1). @throws Refusal 400 for an invalid body */
export const respond = async (c: Context<AppEnv>, allRoutes: AllRoutes): Promise<Response> => {
  const message = await parseMessage(c);
  const response = await handleMessage(c, await loadToolbox(allRoutes, c.var.settings), message);
  if (c.var.bug !== undefined) throw c.var.bug;
  const type = response.headers.get("Content-Type");
  return type === null
    ? c.body(null, response.status as 202)
    : c.body(await response.text(), response.status as ContentfulStatusCode, { "Content-Type": type });
};
