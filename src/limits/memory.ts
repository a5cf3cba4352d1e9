import type { Standing } from "./sliding-log.ts";

/** How a client stood when its counter was last asked, by this isolate's clock. */
interface Memory {
  standings: Standing[];
  asOf: number;
}

const MAX_CLIENTS = 10_000;
const memories = new Map<string, Memory>();

/** Keeps what a counter said. The client not heard of for longest is forgotten first. */
export const remember = (client: string, standings: Standing[]): void => {
  memories.delete(client);
  memories.set(client, { standings, asOf: Date.now() });
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

/** Whether a client is known to have plenty of each quota left: a tenth of it, and fifty requests at the least. */
export const hasPlenty = (client: string, names: string[]): boolean => {
  const standings = recall(client);
  return names.every((name) => {
    const standing = standings.find((one) => one.name === name);
    return standing !== undefined && standing.remaining >= Math.max(50, standing.quota / 10);
  });
};

/** Forgets everything, as a new isolate. For tests. */
export const forget = (): void => memories.clear();
