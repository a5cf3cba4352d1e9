import type { Reader } from "./service.ts";

interface Change {
  id: number;
  removido: boolean;
  registro: unknown;
}

interface Page {
  data: Change[];
  pagination: { next_after: string; has_more: boolean };
}

/** Keeps a copy of a list from its change feed alone. */
export const createFollower = (service: Reader, list: string) => {
  let state = { copy: new Map<number, string>(), after: undefined as string | undefined };
  /** How often the service rejected the marker with 410. */
  let restarts = 0;

  /** Requests the next page. Returns undefined if the marker is no longer valid. */
  const requestPage = async (per_page: number): Promise<Page | undefined> => {
    const query = { per_page: String(per_page), ...(state.after !== undefined && { after: state.after }) };
    try {
      return JSON.parse(await service.read(`alteracoes/${list}`, query));
    } catch (error) {
      const [status] = (error as Error).message.split(" ");
      // Concurrent TRUNCATEs may deadlock, and Postgres may abort this reader to resolve it.
      if (status === "503") return requestPage(per_page);
      if (status !== "410") throw error;
      return undefined;
    }
  };

  const applyPage = ({ data, pagination }: Page) => {
    for (const { id, removido, registro } of data) {
      if (removido) state.copy.delete(id);
      else state.copy.set(id, JSON.stringify(registro));
    }
    state.after = pagination.next_after;
  };

  const reset = () => {
    state = { copy: new Map(), after: undefined };
  };

  return {
    copy: () => state.copy,
    restarts: () => restarts,
    /**
     * Reads a page of random size. Unless `isReliable`, it may lose the page or the copy, as if it crashed.
     * @returns whether there are more
     */
    readPage: async (isReliable = false): Promise<boolean> => {
      const page = await requestPage(isReliable ? 200 : 1 + Math.floor(Math.random() * 60));
      if (page === undefined) {
        restarts += 1;
        reset();
        return true;
      }
      const luck = isReliable ? 1 : Math.random();
      if (luck < 0.02) reset();
      if (luck < 0.2) return true;
      applyPage(page);
      return page.pagination.has_more;
    },
    /** Reads every page. Returns the new changes in order. */
    readNewChanges: async (): Promise<Pick<Change, "id" | "removido">[]> => {
      const changes: Pick<Change, "id" | "removido">[] = [];
      for (let isMore = true; isMore; ) {
        const page = await requestPage(50);
        if (page === undefined) throw new Error("the marker is gone");
        changes.push(...page.data.map(({ id, removido }) => ({ id, removido })));
        applyPage(page);
        isMore = page.pagination.has_more;
      }
      return changes;
    },
  };
};
