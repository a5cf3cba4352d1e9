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
  /** The note beside the last result (M7). */
  note: () => string | undefined;
  cost: Cost;
}

/** @param headers replace the demo user's `Authorization` */
export const startAssistant = async (headers: Record<string, string> = {}): Promise<Assistant> => {
  const tools = await (await postMessage({ jsonrpc: "2.0", id: 1, method: "tools/list" }, headers)).text();
  const cost = { calls: 0, characters: 0 };
  let lastNote: string | undefined;
  const assertNamed = (...names: string[]) => {
    for (const name of names) expect(tools).toContain(name);
  };
  const ask: Assistant["ask"] = async (tool, args = {}) => {
    assertNamed(tool, ...Object.keys(args));
    const { text, isError, note } = await callTool(tool, args, headers);
    expect(isError, text).toBe(false);
    lastNote = note;
    cost.calls += 1;
    cost.characters += text.length;
    return JSON.parse(text);
  };
  return { ask, assertNamed, note: () => lastNote, cost };
};
