import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { authorization, send, signIn } from "./api.ts";

/** Supported protocol revisions, newest first. */
export const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"] as const;

type Send = (path: string, init: RequestInit) => Promise<Response>;

let session: ReturnType<typeof signIn> | undefined;

export const bearer = async () => {
  session ??= signIn();
  return authorization(await session);
};

/**
 * Connects the official MCP client through the Worker.
 * @param headers replace the demo user's `Authorization`
 * @param sendRequest sends the requests
 */
export const connectClient = async (
  revision: (typeof REVISIONS)[number] = "2026-07-28",
  headers?: Record<string, string>,
  sendRequest: Send = send,
) => {
  const isModern = revision === "2026-07-28";
  const client = new Client(
    { name: "test", version: "1.0.0" },
    isModern
      ? { versionNegotiation: { mode: { pin: revision } } }
      : { supportedProtocolVersions: [revision] },
  );
  const transport = new StreamableHTTPClientTransport(new URL("https://api.test/mcp"), {
    requestInit: { headers: headers ?? (await bearer()) },
    fetch: (url, init) => sendRequest(new URL(url).pathname, init as RequestInit),
  });
  await client.connect(transport);
  return client;
};

interface ParsedResult {
  text: string;
  isError: boolean;
  /** What the result leaves out because of rights (M7). */
  note?: string;
}

/** Reads a tool's result. @throws unless its content is one text and, at most, a note */
export const parseToolResult = (result: unknown): ParsedResult => {
  const { content, isError = false } = result as CallToolResult;
  const [text, note, ...others] = content.map((one) => (one.type === "text" ? one.text : undefined));
  if (text === undefined || others.length > 0 || (content.length > 1 && note === undefined))
    throw new Error(`not one text: ${JSON.stringify(content)}`);
  return { text, isError, ...(note !== undefined && { note }) };
};

/** Posts a message to `/mcp` without changing it. */
export const postMessage = async (body: unknown, headers: Record<string, string> = {}) =>
  send("/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(await bearer()), ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });

/** Posts a request of revision 2026-07-28. `_meta` in the parameters replaces that of the revision. */
export const postModern = (method: string, params: object = {}, headers: Record<string, string> = {}) =>
  postMessage(
    {
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
        ...params,
      },
    },
    { "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...headers },
  );

export const toolCall = (name: unknown, args?: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, ...(args !== undefined && { arguments: args }) },
});

/** Calls a tool and returns its text. */
export const callTool = async (
  name: string,
  args: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) => {
  const response = await postMessage(toolCall(name, args), headers);
  const { result } = await response.json<{ result: unknown }>();
  return parseToolResult(result);
};
