// Keeps the values that were used last.

export type Memory<Value> = {
  get(key: string): Value | undefined;
  keep(key: string, value: Value): Value;
  clear(): void;
};

/** Keeps at most `max` values. */
export const openMemory = <Value>(max: number): Memory<Value> => {
  /** Least recently used first. */
  const values = new Map<string, Value>();
  return {
    get: (key) => values.get(key),
    keep: (key, value) => {
      values.delete(key);
      values.set(key, value);
      for (const oldest of values.keys()) if (values.size > max) values.delete(oldest);
      return value;
    },
    clear: () => values.clear(),
  };
};
