import type { Goal } from "../pace.ts";

/** The right end of a meter, as a share of the goal. It is one for all, so the marks of a list are aligned. */
const END = 1.16;

const width = (value: number, goal: number) => `${Math.min(1, Math.max(0, value / goal / END)) * 100}%`;

/** What came in, what will at this pace, and a mark at the goal. The figures are beside it. */
export const GoalMeter = ({ done, pace = done, goal }: Goal) => (
  <span class="goal-meter" aria-hidden="true">
    <span class="pace" style={{ width: width(pace, goal) }} />
    <span class="done" style={{ width: width(done, goal) }} />
    <span class="mark" style={{ left: `${100 / END}%` }} />
  </span>
);
