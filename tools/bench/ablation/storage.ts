/** Replaces a counter's durable storage with memory: nothing is written to disk. */
export const storage = () => {
  const kept = new Map<string, unknown>();
  const kv = {
    get: (key: string) => kept.get(key),
    put: (key: string, value: unknown) => void kept.set(key, value),
    delete: (key: string) => kept.delete(key),
    list: ({ prefix }: { prefix: string }) => [...kept].filter(([key]) => key.startsWith(prefix)),
  };
  // The counter's log uses no other part of the storage API.
  return {
    kv,
    getAlarm: async () => null,
    setAlarm: async () => undefined,
  } as unknown as DurableObjectStorage;
};
