import type { Point } from "../series.ts";
import { ChartFrame, type Scales } from "./chart.tsx";

interface PairBarsProps {
  title: string;
  /** `earlier` is of the same step of the earlier period. */
  points: readonly Point[];
  textOf: (index: number) => string;
  /** The step that is not over, if there is one: its bar is lighter. */
  running?: number | undefined;
}

/** Two bars a step: before outlined, now filled. */
export const PairBars = ({ title, points, textOf, running }: PairBarsProps) => {
  const draw = ({ x, y, step }: Scales, at: number) => {
    const width = Math.min(14, step * 0.38);
    const box = (value: number) => ({
      y: Math.min(y(value), y(0)),
      height: Math.abs(y(value) - y(0)),
      width,
    });
    return (
      <>
        {points.map(({ value, earlier }, index) => (
          <g key={index} class={index === at ? "pair-bar chosen" : "pair-bar"}>
            {earlier !== undefined && <rect class="before" x={x(index) - width - 1} {...box(earlier)} />}
            {value !== undefined && (
              <rect class={index === running ? "now running" : "now"} x={x(index) + 1} {...box(value)} />
            )}
          </g>
        ))}
      </>
    );
  };
  return (
    <ChartFrame
      key={title}
      title={title}
      points={points}
      textOf={textOf}
      start={running ?? points.length - 1}
      draw={draw}
    />
  );
};
