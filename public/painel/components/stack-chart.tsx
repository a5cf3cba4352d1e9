import type { Point } from "../series.ts";
import { barWidth, ChartFrame, type Scales } from "./chart.tsx";

/** A bar of parts, one on the other. */
export interface Stack extends Point {
  /** Each from a value to another, in the look of its class. */
  parts: readonly { look: string; from: number; to: number }[];
}

interface StackChartProps {
  title: string;
  stacks: readonly Stack[];
  textOf: (index: number) => string;
  /** The step that is not over, if there is one: its bar is lighter. */
  running?: number;
}

/** A bar of parts for each step. */
export const StackChart = ({ title, stacks, textOf, running = -1 }: StackChartProps) => {
  const draw = (scales: Scales, at: number) => {
    const { x, y } = scales;
    const width = barWidth(scales);
    return (
      <>
        {stacks.map(({ parts }, index) => (
          <g
            key={index}
            class={`column ${index === at ? "chosen" : ""} ${index === running ? "running" : ""}`}
          >
            {parts.map(({ look, from, to }) => (
              <rect
                key={look}
                class={look}
                x={x(index) - width / 2}
                width={width}
                y={y(Math.max(from, to))}
                height={Math.abs(y(from) - y(to))}
              />
            ))}
          </g>
        ))}
      </>
    );
  };
  return (
    <ChartFrame
      key={title}
      title={title}
      points={stacks}
      more={stacks.flatMap(({ parts }) => parts.flatMap(({ from, to }) => [from, to]))}
      textOf={textOf}
      start={stacks.length - 1}
      draw={draw}
    />
  );
};
