const FORMATS = new Map<unknown, string>([
  ["integer", "int64"],
  ["number", "double"],
]);

/**
 * Adds a format to every number: without one, generated clients read 32-bit integers and single-precision floats (D2).
 * Mutates `node`.
 */
export const addNumberFormats = (node: { type?: unknown; format?: string }): void => {
  const format = [node.type].flat().flatMap((type) => FORMATS.get(type) ?? [])[0];
  if (format !== undefined) node.format = format;
  for (const [name, child] of Object.entries(node))
    if (name !== "example" && typeof child === "object" && child !== null) addNumberFormats(child);
};
