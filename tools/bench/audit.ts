import { setTimeout as wait } from "node:timers/promises";
import { get } from "./answers.ts";
import { atMost, type Figure, median } from "./figures.ts";
import type { Target } from "./targets.ts";

const PATH = "/v1/transacoes?per_page=50";
const ROUNDS_PER_SECOND = 50;
/** In milliseconds. The insert ends before the next request: how long it takes is not part of an answer. */
const PAUSE = 20;

/** The time of one answer, in milliseconds. */
const timed = async (target: Target): Promise<number> => {
  const started = performance.now();
  await get(target, PATH);
  const elapsed = performance.now() - started;
  await wait(PAUSE);
  return elapsed;
};

/** Compares answers that are recorded (A15) with the same answers unrecorded, in turn. */
export const measureAudit = async (recording: Target, ours: Target, seconds: number): Promise<Figure> => {
  const times: Record<"recording" | "ours", number[]> = { recording: [], ours: [] };
  for (let round = 0; round < Math.max(10, seconds * ROUNDS_PER_SECOND); round += 1) {
    times.recording.push(await timed(recording));
    times.ours.push(await timed(ours));
  }
  const [recorded, plain] = [median(times.recording), median(times.ours)];
  return atMost(
    "time of an answer with personal data: recorded / not recorded",
    recorded / plain,
    1.15,
    `${recorded.toFixed(2)} ms / ${plain.toFixed(2)} ms, medians`,
  );
};
