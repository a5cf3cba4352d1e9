// The list of operations at the side, their order, and the search.

/**
 * @typedef {{ parameters?: { schema: { example?: unknown } }[], tags?: string[], operationId?: string, summary?: string }} Operation
 * @typedef {{ tags?: { name: string }[], paths?: Record<string, Record<string, Operation>> }} Specification
 * @typedef {{ specSelectors: { specJson(): { toJS(): Specification } }, layoutActions: { show(at: string[], isShown: boolean): void } }} Reference
 * @typedef {{ get(name: string): any, set(name: string, value: unknown): TagGroup }} TagGroup an immutable map
 * @typedef {{ map(change: (group: TagGroup) => TagGroup): TagGroups, filter(test: (group: TagGroup, tag: string) => boolean): TagGroups }} TagGroups
 */

/** These are not data: they come last. */
const LAST = ["health", "auth", "docs"];

/** Sorts the tags: data first, otherwise in the order of the document. @param {string} a @param {string} b */
export const byResource = (a, b) => LAST.indexOf(a) - LAST.indexOf(b);

/** Searches paths, names and summaries. Swagger UI itself searches only the tags. */
export const filterOperations = () => ({
  fn: {
    opsFilter: (/** @type {TagGroups} */ groups, /** @type {string} */ phrase) => {
      const words = phrase.toLowerCase().split(/\s+/);
      const matches = (/** @type {string} */ tag, /** @type {any} */ operation) => {
        const { operationId = "", summary = "" } = operation.get("operation").toJS();
        const text = `${tag} ${operation.get("path")} ${operationId} ${summary}`.toLowerCase();
        return words.every((word) => text.includes(word));
      };
      return groups
        .map((group) => {
          const tag = group.get("operations").first()?.getIn(["operation", "tags", 0]) ?? "";
          return group.set(
            "operations",
            group.get("operations").filter((/** @type {unknown} */ operation) => matches(tag, operation)),
          );
        })
        .filter((group) => group.get("operations").size > 0);
    },
  },
});

/** The operations of each tag, in the order of the page. @param {Specification} specification */
const groupsOf = ({ tags = [], paths = {} }) => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const names = tags.map(({ name }) => name).sort(byResource);
  return names.map((name) => ({ name, operations: operations.filter((one) => one.tags?.includes(name)) }));
};

/**
 * Fills the list. A click opens the operation and scrolls to it.
 * @param {Reference} reference
 * @param {HTMLElement} list
 */
export const showNavigation = (reference, list) => {
  const groups = groupsOf(reference.specSelectors.specJson().toJS());
  list.replaceChildren(
    ...groups.flatMap(({ name, operations }) => {
      const heading = document.createElement("h2");
      heading.textContent = name;
      const items = operations.map(({ path, method, operationId = "", summary = "" }) => {
        const link = document.createElement("a");
        link.href = `#/${name}/${operationId}`;
        link.title = summary;
        link.textContent = method === "get" ? path : `${method.toUpperCase()} ${path}`;
        link.addEventListener("click", () => {
          reference.layoutActions.show(["operations-tag", name], true);
          reference.layoutActions.show(["operations", name, operationId], true);
          // The operation is there after the next frame, if its section was closed.
          requestAnimationFrame(() =>
            document.getElementById(`operations-${name}-${operationId}`)?.scrollIntoView(),
          );
        });
        const item = document.createElement("li");
        item.append(link);
        return item;
      });
      const group = document.createElement("ul");
      group.append(...items);
      return [heading, group];
    }),
  );
};
