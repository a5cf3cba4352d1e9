// The headers of responses, once for all operations: Swagger UI repeats them under every status.
import { element } from "./element.ts";
import type { Responses, Specification } from "./navigation.ts";

/** Takes the headers out of the responses. @returns the statuses of each header */
export const takeHeaders = ({ paths = {}, components = {} }: Specification): Map<string, string[]> => {
  const found = new Map<string, Set<string>>();
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const named = components.responses ?? {};
  const entries = operations.flatMap(({ responses = {} }) => Object.entries(responses));
  for (const [status, { $ref, headers }] of entries) {
    const names = Object.keys(headers ?? named[$ref?.split("/").at(-1) ?? ""]?.headers ?? {});
    for (const name of names) found.set(name, (found.get(name) ?? new Set()).add(status));
  }
  const responses: Responses[] = [named, ...operations.map((one) => one.responses ?? {})];
  for (const response of responses.flatMap((one) => Object.values(one))) delete response.headers;
  const all = new Set(entries.map(([status]) => status)).size;
  return new Map(
    [...found].map(([name, statuses]) => [name, statuses.size === all ? ["all"] : [...statuses].sort()]),
  );
};

const code = (text: string) => element("code", {}, text);

/** Fills the table: the header, the statuses that have it, and what it says, with an example. */
export const showHeaders = (statuses: Map<string, string[]>, { components = {} }: Specification): void => {
  const rows = [...statuses].map(([name, all]) => {
    const { description = "", example = "" } = components.headers?.[name] ?? {};
    const text = [`${description.replaceAll("`", "")}: `, code(example)];
    return element(
      "tr",
      {},
      element("th", { scope: "row" }, code(name)),
      element("td", {}, all.join(", ")),
      element("td", {}, ...text),
    );
  });
  document.querySelector("#headers tbody")?.replaceChildren(...rows);
};
