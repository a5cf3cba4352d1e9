// The list of operations at the side, their order, and the search.
import { element } from "./element.ts";

/** With `$ref`, a reference to the components. */
type Parameter = {
  $ref?: string;
  name?: string;
  description?: string;
  schema?: { example?: unknown; pattern?: string };
};
/** By status, or by name in the components. */
export type Responses = Record<string, { $ref?: string; headers?: object }>;
type Operation = {
  parameters?: Parameter[];
  responses?: Responses;
  tags?: string[];
  operationId?: string;
  summary?: string;
};
export type Specification = {
  tags?: { name: string }[];
  paths?: Record<string, Record<string, Operation>>;
  components?: {
    parameters?: Record<string, Parameter>;
    responses?: Responses;
    headers?: Record<string, { description?: string; example?: string }>;
  };
};
/** What this page uses of Swagger UI. */
export type Reference = {
  specSelectors: { specJson(): { toJS(): Specification } };
  layoutActions: { show(at: string[], isShown: boolean): void };
};
/** Immutable maps and lists, as Swagger UI passes them. */
type OperationEntry = {
  get(name: "operation"): { toJS(): Operation };
  get(name: "path"): string;
  getIn(path: [name: "operation", field: "tags", index: number]): string | undefined;
};
type OperationList = {
  size: number;
  first(): OperationEntry | undefined;
  filter(test: (entry: OperationEntry) => boolean): OperationList;
};
type TagGroup = {
  get(name: "operations"): OperationList;
  set(name: "operations", value: OperationList): TagGroup;
};
type TagGroups = {
  map(change: (group: TagGroup) => TagGroup): TagGroups;
  filter(test: (group: TagGroup) => boolean): TagGroups;
};

/** These are not data: they come last. */
const LAST = ["health", "auth", "docs"];

/** Sorts the tags: data first, otherwise in the order of the document. */
export const byResource = (a: string, b: string): number => LAST.indexOf(a) - LAST.indexOf(b);

/** Searches paths, names and summaries. Swagger UI itself searches only the tags. */
export const filterOperations = () => ({
  fn: {
    opsFilter: (groups: TagGroups, phrase: string) => {
      const words = phrase.toLowerCase().split(/\s+/);
      const matches = (tag: string, operation: OperationEntry) => {
        const { operationId = "", summary = "" } = operation.get("operation").toJS();
        const text = `${tag} ${operation.get("path")} ${operationId} ${summary}`.toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return groups
        .map((group) => {
          const tag = group.get("operations").first()?.getIn(["operation", "tags", 0]) ?? "";
          return group.set(
            "operations",
            group.get("operations").filter((operation) => matches(tag, operation)),
          );
        })
        .filter((group) => group.get("operations").size > 0);
    },
  },
});

/** The operations of each tag, in the order of the page. */
const groupsOf = ({ tags = [], paths = {} }: Specification) => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const names = tags.map(({ name }) => name).sort(byResource);
  return names.map((name) => ({ name, operations: operations.filter((one) => one.tags?.includes(name)) }));
};

/** Fills the list. A click opens the operation and scrolls to it. */
export const showNavigation = (reference: Reference, list: HTMLElement): void => {
  const groups = groupsOf(reference.specSelectors.specJson().toJS());
  list.replaceChildren(
    ...groups.flatMap(({ name, operations }) => {
      const items = operations.map(({ path, method, operationId = "", summary = "" }) => {
        const text = method === "get" ? path : `${method.toUpperCase()} ${path}`;
        const link = element("a", { href: `#/${name}/${operationId}`, title: summary }, text);
        link.addEventListener("click", () => {
          reference.layoutActions.show(["operations-tag", name], true);
          reference.layoutActions.show(["operations", name, operationId], true);
          // The operation is there after the next frame, if its section was closed.
          requestAnimationFrame(() =>
            document.getElementById(`operations-${name}-${operationId}`)?.scrollIntoView(),
          );
        });
        return element("li", {}, link);
      });
      return [element("h2", {}, name), element("ul", {}, ...items)];
    }),
  );
};
