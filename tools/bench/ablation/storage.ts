/** Instead of the storage of a counter: what is kept is forgotten with the object, and nothing is written. */
export const storage = () => {
  const kept = new Map<string, unknown>();
  const kv = {
    get: (key: string) => kept.get(key),
    put: (key: string, value: unknown) => void kept.set(key, value),
    delete: (key: string) => kept.delete(key),
    list: ({ prefix }: { prefix: string }) => [...kept].filter(([key]) => key.startsWith(prefix)),
  };
  // Of an object's storage the counter's log needs no more.
  return {
    kv,
    getAlarm: async () => null,
    setAlarm: async () => undefined,
  } as unknown as DurableObjectStorage;
};
