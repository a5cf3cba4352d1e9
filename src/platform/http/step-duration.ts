import type { Context } from "hono";
import { setMetric } from "hono/timing";

/** Adds to the duration of a step in `Server-Timing`. A step that runs twice appears once, with the sum (E8). */
export const addStepDuration = (c: Context, step: "db" | "limit", ms: number): void => {
  const metrics = c.get("metric")?.headers ?? [];
  const prefix = `${step};dur=`;
  const index = metrics.findIndex((metric) => metric.startsWith(prefix));
  const earlierMs = index === -1 ? 0 : Number(metrics.splice(index, 1)[0]?.slice(prefix.length));
  setMetric(c, step, earlierMs + ms);
};

/** Starts to measure a step. Only the first call of the returned function ends it. */
export const startStep = (c: Context, step: "limit"): (() => void) => {
  const started = Date.now();
  let isRunning = true;
  return () => {
    if (isRunning) addStepDuration(c, step, Date.now() - started);
    isRunning = false;
  };
};
