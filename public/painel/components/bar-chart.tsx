import type { Point } from "../series.ts";
import { barWidth, ChartFrame, type Scales } from "./chart.tsx";

interface BarChartProps {
  title: string;
  points: readonly Point[];
  textOf: (index: number) => string;
}

/** A bar for each step, and behind it a mark for the earlier period. */
export const BarChart = ({ title, points, textOf }: BarChartProps) => {
  const draw = (scales: Scales, at: number) => {
    const { x, y } = scales;
    const width = barWidth(scales);
    return (
      <>
        {points.map(({ value = 0, earlier }, index) => (
          <g key={index} class={index === at ? "column chosen" : "column"}>
            <rect
              x={x(index) - width / 2}
              width={width}
              y={Math.min(y(value), y(0))}
              height={Math.max(value === 0 ? 0 : 1, Math.abs(y(value) - y(0)))}
              rx="2"
            />
            {earlier !== undefined && earlier !== 0 && (
              <rect
                class="mark"
                x={x(index) - width / 2 - 2}
                width={width + 4}
                y={y(earlier) - 1}
                height="2"
              />
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
      start={points.length - 1}
      draw={draw}
    />
  );
};
