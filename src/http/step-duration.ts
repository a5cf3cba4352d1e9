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
