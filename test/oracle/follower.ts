import type { Service } from "./service.ts";

interface Change {
  id: number;
  removido: boolean;
  registro: unknown;
}

interface Page {
  data: Change[];
  pagination: { next_after: string; has_more: boolean };
}

/** A copy of a list that knows nothing but its feed. */
export const createFollower = (service: Service, list: string) => {
  let kept = { copy: new Map<number, string>(), after: undefined as string | undefined };
  /** How often the marker was of no use any more. */
  let begunAgain = 0;

  /** One page, kept or lost. @returns undefined when the marker is gone */
  const ask = async (per_page: number): Promise<Page | undefined> => {
    const query = { per_page: String(per_page), ...(kept.after !== undefined && { after: kept.after }) };
    try {
      return JSON.parse(await service.read(`alteracoes/${list}`, query));
    } catch (error) {
      const [status] = (error as Error).message.split(" ");
      // Loaders that truncate in any order wait for one another, and a reader may be ended in their place.
      if (status === "503") return ask(per_page);
      if (status !== "410") throw error;
      return undefined;
    }
  };

  const take = ({ data, pagination }: Page) => {
    for (const { id, removido, registro } of data) {
      if (removido) kept.copy.delete(id);
      else kept.copy.set(id, JSON.stringify(registro));
    }
    kept.after = pagination.next_after;
  };

  const forget = () => {
    kept = { copy: new Map(), after: undefined };
  };

  return {
    copy: () => kept.copy,
    after: () => kept.after,
    begunAgain: () => begunAgain,
    /** One page of any size; now and then it dies with the page in hand, or with all it has. @returns whether there are more */
    step: async (isReliable = false): Promise<boolean> => {
      const page = await ask(isReliable ? 200 : 1 + Math.floor(Math.random() * 60));
      if (page === undefined) {
        begunAgain += 1;
        forget();
        return true;
      }
      const luck = isReliable ? 1 : Math.random();
      if (luck < 0.02) forget();
      if (luck < 0.2) return true;
      take(page);
      return page.pagination.has_more;
    },
    /** All that is new since, in order. */
    news: async (): Promise<Pick<Change, "id" | "removido">[]> => {
      const found: Pick<Change, "id" | "removido">[] = [];
      for (let isMore = true; isMore; ) {
        const page = await ask(50);
        if (page === undefined) throw new Error("the marker is gone");
        found.push(...page.data.map(({ id, removido }) => ({ id, removido })));
        take(page);
        isMore = page.pagination.has_more;
      }
      return found;
    },
  };
};
