import { REASON_PHRASES } from "../../core/errors.ts";
import type { Document, Operation, Parameter, Response } from "./operations.ts";

const operationsOf = ({ paths = {} }: Document) => Object.values(paths).flatMap<Operation>(Object.values);

/** Headers that tell apart responses with one status, and what they add to its name. */
const VARIANTS = { "Applied-Range": "WithRange", "Preference-Applied": "WithPreference" };

/** Moves every response but 200 to `components`: one for each status and set of headers. */
const shareResponses = (document: Document) => {
  const phrases: Record<string, string> = { 304: "Not Modified", ...REASON_PHRASES };
  const shared = new Map<string, Response>();
  for (const { responses } of operationsOf(document))
    for (const [status, response] of Object.entries(responses).filter(([status]) => status !== "200")) {
      const variants = Object.entries(VARIANTS).filter(([header]) => header in (response.headers ?? {}));
      const name = [phrases[status]?.replaceAll(" ", ""), ...variants.map(([, suffix]) => suffix)].join("");
      const first = shared.get(name) ?? response;
      if (JSON.stringify(first) !== JSON.stringify(response)) throw new Error(`${name} has two meanings.`);
      shared.set(name, first);
      Object.assign(responses, { [status]: { $ref: `#/components/responses/${name}` } });
    }
  return Object.fromEntries<{ description: string }>(shared);
};

/**
 * Moves each parameter that several operations have to `components`. Of parameters with one name, the first gets it;
 * the names of the others end with the first operation that has them.
 */
const shareParameters = (document: Document) => {
  const users = Map.groupBy(
    operationsOf(document).flatMap((operation) =>
      (operation.parameters ?? []).map((parameter, index) => ({ operation, parameter, index })),
    ),
    ({ parameter }) => JSON.stringify(parameter),
  );
  const shared: Record<string, Pick<Parameter, "name" | "in">> = {};
  for (const [first, ...others] of users.values()) {
    if (first === undefined || others.length === 0) continue;
    const { operation, parameter } = first;
    const name = parameter.name in shared ? `${parameter.name}_${operation.operationId}` : parameter.name;
    shared[name] = parameter;
    for (const { operation, index } of [first, ...others])
      Object.assign(operation.parameters ?? [], { [index]: { $ref: `#/components/parameters/${name}` } });
  }
  return shared;
};

/** Replaces what several operations repeat by references to `components`. Mutates and returns `document`. */
export const shareComponents = (document: Document): Document => {
  const [responses, parameters] = [shareResponses(document), shareParameters(document)];
  document.components = { ...document.components, responses, parameters };
  return document;
};
