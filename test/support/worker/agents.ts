import { expect } from "vitest";
import { callTool, postMessage } from "./mcp.ts";

/** What an assistant spends on its questions: calls, and characters of their results. */
export interface Cost {
  calls: number;
  characters: number;
}

/** An assistant that knows only the list of tools. */
export interface Assistant {
  ask: <T>(tool: string, args?: Record<string, string | number | boolean>) => Promise<T>;
  /** Asserts that the list of tools names all of these. */
  assertNamed: (...names: string[]) => void;
  cost: Cost;
}

export const startAssistant = async (): Promise<Assistant> => {
  const tools = await (await postMessage({ jsonrpc: "2.0", id: 1, method: "tools/list" })).text();
  const cost = { calls: 0, characters: 0 };
  const assertNamed = (...names: string[]) => {
    for (const name of names) expect(tools).toContain(name);
  };
  const ask: Assistant["ask"] = async (tool, args = {}) => {
    assertNamed(tool, ...Object.keys(args));
    const { text, isError } = await callTool(tool, args);
    expect(isError, text).toBe(false);
    cost.calls += 1;
    cost.characters += text.length;
    return JSON.parse(text);
  };
  return { ask, assertNamed, cost };
};
