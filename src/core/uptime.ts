// A Worker's clock is zero while it loads, so the first request sets this.
let startedAt: number | undefined;

/** Milliseconds since the first call, which the first request to this instance makes (E10). */
export const uptimeMs = (): number => {
  const now = Date.now();
  startedAt ??= now;
  return Math.max(0, now - startedAt);
};
