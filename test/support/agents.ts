import { expect } from "vitest";
import { authorization, DEMO, readDocument, send } from "./api.ts";
import { operationsOf } from "./document.ts";
import { parseToolResult, postMessage, toolCall } from "./mcp.ts";

/** The session of an agent that knows only its instructions. */
export interface AgentSession {
  instructions: string;
  /** The name of a path in the instructions. */
  nameOf: (path: string) => string;
  /** Reads a path and returns the text of the answer. */
  read: (path: string, params: Record<string, string>) => Promise<string>;
  /** What the session has sent and received so far, with sign-in and instructions. */
  cost: { requests: number; bytes: number };
  /** The answers of `read` alone: what an assistant spends on its questions. */
  answers: { calls: number; characters: number };
}

const emptyCosts = () => ({ cost: { requests: 0, bytes: 0 }, answers: { calls: 0, characters: 0 } });

const addCost = (cost: AgentSession["cost"], text: string) => {
  cost.requests += 1;
  cost.bytes += new TextEncoder().encode(text).length;
};

export const startWithLlmsTxt = async (): Promise<AgentSession> => {
  const costs = emptyCosts();
  const fetchText = async (path: string, init?: RequestInit): Promise<string> => {
    const response = await send(path, init);
    const text = await response.text();
    expect(response.status, `${path}: ${text.slice(0, 300)}`).toBe(200);
    addCost(costs.cost, text);
    return text;
  };
  const instructions = await fetchText("/llms.txt");
  const tokens = JSON.parse(
    await fetchText("/auth/login", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(DEMO),
    }),
  );
  // Strict, so that a misspelled parameter fails as it does in a tool.
  const headers = { ...authorization(tokens), Prefer: "handling=strict" };
  const read: AgentSession["read"] = (path, params) =>
    fetchText(`${path}?${new URLSearchParams(params)}`, { headers });
  const nameOf: AgentSession["nameOf"] = (path) => path.replace("/v1", "");
  return { ...costs, instructions, nameOf, read };
};

export const startWithTools = async (): Promise<AgentSession> => {
  const costs = emptyCosts();
  const names = new Map(
    operationsOf(await readDocument()).map(({ path, operation }) => [path, operation.operationId]),
  );
  const nameOf = (path: string) => names.get(path) ?? path;
  const post = async (message: object) => {
    const text = await (await postMessage(message)).text();
    addCost(costs.cost, text);
    return text;
  };
  const instructions = await post({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const read: AgentSession["read"] = async (path, params) => {
    const { text, isError } = parseToolResult(JSON.parse(await post(toolCall(nameOf(path), params))).result);
    expect(isError, text).toBe(false);
    return text;
  };
  return { ...costs, instructions, nameOf, read };
};

/** Reads a path that the instructions name, and parses the answer. */
export const ask = async <T>(
  session: AgentSession,
  path: string,
  params: Record<string, string> = {},
): Promise<T> => {
  for (const name of [session.nameOf(path), ...Object.keys(params)])
    expect(session.instructions).toContain(name);
  const text = await session.read(path, params);
  session.answers.calls += 1;
  session.answers.characters += text.length;
  return JSON.parse(text);
};

/** Reads all pages of a list, with these fields only. */
export const listAll = async <T>(
  session: AgentSession,
  path: string,
  campos: string,
  params: Record<string, string> = {},
): Promise<T[]> => {
  for (const name of campos.split(",")) expect(session.instructions).toContain(name);
  const records: T[] = [];
  for (let page = 1; ; page += 1) {
    const paged = { ...params, campos, per_page: "200", page: String(page) };
    const { data, pagination } = await ask<{ data: T[]; pagination: { total_pages: number } }>(
      session,
      path,
      paged,
    );
    records.push(...data);
    if (page >= pagination.total_pages) return records;
  }
};
