import { BROWSER_MAP, OS_MAP, parse } from "bowser";

/** Enough for every browser. Longer headers could make the parser slow. */
const MAX_LENGTH = 512;

/** The parser names a browser that it does not know by the client's own text. Show none of that. */
const KNOWN = new Set<string | undefined>([...Object.values(BROWSER_MAP), ...Object.values(OS_MAP)]);

/** The names that people use, where they differ from the parser's. */
const USUAL_NAMES = new Map([
  ["Microsoft Edge", "Edge"],
  ["Samsung Internet for Android", "Samsung Internet"],
  ["Android Browser", "Navegador"],
  ["Google Search", "Google"],
  ["macOS", "Mac"],
  ["Chrome OS", "Chromebook"],
]);

const usualName = (name: string | undefined): string[] =>
  name !== undefined && KNOWN.has(name) ? [USUAL_NAMES.get(name) ?? name] : [];

/** The browser and system of a `User-Agent`, for example "Chrome no Android"; null if both are unknown (A13). */
export const deviceOf = (userAgent: string | undefined): string | null => {
  if (!userAgent) return null;
  const { browser, os, platform } = parse(userAgent.slice(0, MAX_LENGTH));
  const system = os.name === OS_MAP.iOS && platform.model ? [platform.model] : usualName(os.name);
  return [...usualName(browser.name), ...system].join(" no ") || null;
};
