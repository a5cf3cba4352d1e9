import { type CallToolResult, Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { authorization, send, signIn } from "./api.ts";

/** Revisions of the protocol that are served, newest first. */
export const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18"] as const;

type Send = (path: string, init: RequestInit) => Promise<Response>;

let session: ReturnType<typeof signIn> | undefined;

/** The demo user's bearer. */
export const bearer = async () => {
  session ??= signIn();
  return authorization(await session);
};

/**
 * The protocol's own client, connected through the Worker.
 * @param through sends its requests
 * @param headers instead of the demo user's
 */
export const connect = async (
  revision: (typeof REVISIONS)[number] = "2026-07-28",
  headers?: Record<string, string>,
  through: Send = send,
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
    fetch: (url, init) => through(new URL(url).pathname, init as RequestInit),
  });
  await client.connect(transport);
  return client;
};

/** What a tool says: its one text, and whether that is an error. */
export const saidBy = (result: unknown): { text: string; isError: boolean } => {
  const { content, isError = false } = result as CallToolResult;
  const [one] = content;
  if (content.length !== 1 || one?.type !== "text")
    throw new Error(`not one text: ${JSON.stringify(content)}`);
  return { text: one.text, isError };
};

/** A message posted as it is. */
export const postMessage = async (body: unknown, headers: Record<string, string> = {}) =>
  send("/mcp", {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(await bearer()), ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });

/** The message that calls a tool. */
export const calling = (name: unknown, args?: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name, ...(args !== undefined && { arguments: args }) },
});

/** Asks a tool, for its text. */
export const askTool = async (name: string, args: Record<string, unknown> = {}) => {
  const response = await postMessage(calling(name, args));
  const { result } = await response.json<{ result: unknown }>();
  return saidBy(result);
};
