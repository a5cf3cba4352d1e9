// Keeps the values that were used last.

/** @template Value @param {number} max values kept at most */
export const openMemory = (max) => {
  /** Least recently used first. @type {Map<string, Value>} */
  const values = new Map();
  return {
    get: (/** @type {string} */ key) => values.get(key),
    /** @param {string} key @param {Value} value */
    keep: (key, value) => {
      values.delete(key);
      values.set(key, value);
      for (const oldest of values.keys()) if (values.size > max) values.delete(oldest);
      return value;
    },
    clear: () => values.clear(),
  };
};
