import type { Standing } from "./sliding-log.ts";

/** How a client stood when its counter was last asked, by this isolate's clock. */
interface Memory {
  standings: Standing[];
  asOf: number;
}

const MAX_CLIENTS = 10_000;
const memories = new Map<string, Memory>();

/**
 * Keeps what a counter said. Its answers may overtake one another: until its oldest hit stops counting, what is left can
 * only become less. The client not heard of for longest is forgotten first.
 */
export const remember = (client: string, standings: Standing[]): void => {
  const earlier = recall(client);
  const least = standings.map(
    (one) =>
      earlier.find(
        ({ name, quota, remaining }) => name === one.name && quota === one.quota && remaining < one.remaining,
      ) ?? one,
  );
  memories.delete(client);
  memories.set(client, { standings: least, asOf: Date.now() });
  const [oldest] = memories.keys();
  if (memories.size > MAX_CLIENTS && oldest !== undefined) memories.delete(oldest);
};

/** The same standings, aged to now: those of a window that has ended are left out. */
const recall = (client: string): Standing[] => {
  const memory = memories.get(client);
  const age = Date.now() - (memory?.asOf ?? 0);
  return (memory?.standings ?? [])
    .map((one) => ({ ...one, resetMs: one.resetMs - age }))
    .filter(({ resetMs }) => resetMs > 0);
};

/** Standings of a client that is known to be blocked for one of these quotas: no counter needs to be asked. */
export const knownBlock = (client: string, names: string[]): Standing[] | undefined => {
  const standings = recall(client).filter(({ name }) => names.includes(name));
  return standings.some(({ remaining }) => remaining === 0) ? standings : undefined;
};

/** How many requests of each client its counter has not answered yet. */
const underWay = new Map<string, number>();

/** Whether a client is known to have plenty of each quota left: a tenth of it, and fifty requests at the least. */
export const hasPlenty = (client: string, names: string[]): boolean => {
  const standings = recall(client);
  const taken = underWay.get(client) ?? 0;
  return names.every((name) => {
    const standing = standings.find((one) => one.name === name);
    return standing !== undefined && standing.remaining - taken >= Math.max(50, standing.quota / 10);
  });
};

/** Takes a request into account for as long as its counter has not answered. */
export const whileUnderWay = async <T>(client: string, asked: Promise<T>): Promise<T> => {
  underWay.set(client, (underWay.get(client) ?? 0) + 1);
  try {
    return await asked;
  } catch (error) {
    // It may have been counted all the same, so that nothing is known of what is left.
    memories.delete(client);
    throw error;
  } finally {
    const others = (underWay.get(client) ?? 1) - 1;
    if (others > 0) underWay.set(client, others);
    else underWay.delete(client);
  }
};

/** Forgets everything, as a new isolate. For tests. */
export const forget = (): void => {
  memories.clear();
  underWay.clear();
};
