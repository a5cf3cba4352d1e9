import type { Point } from "../series.ts";
import { ChartFrame, type Scales } from "./chart.tsx";

interface LineChartProps {
  title: string;
  points: readonly Point[];
  /** A horizontal line, with its name. */
  goal?: { value: number; name: string } | undefined;
  /** What the last point will be if the value goes on as it does. */
  pace?: number | undefined;
  textOf: (index: number) => string;
}

type At = [index: number, value: number];

const pointsOf = ({ x, y }: Scales, points: At[]) =>
  points.map(([index, value]) => `${x(index)},${y(value)}`).join(" ");

const known = (points: readonly Point[], key: "value" | "earlier"): At[] =>
  points.flatMap((point, index) => (point[key] === undefined ? [] : [[index, point[key]] satisfies At]));

/** A line for the period, a dashed one for the earlier period, a dotted one to the expected end, and a goal. */
export const LineChart = ({ title, points, goal, pace, textOf }: LineChartProps) => {
  const [now, earlier] = [known(points, "value"), known(points, "earlier")];
  const last = now.at(-1) ?? [0, 0];
  const draw = (scales: Scales, at: number) => {
    const { x, y, bottom } = scales;
    const line = pointsOf(scales, now);
    const point = points[at];
    return (
      <>
        <polygon class="area" points={`${x(0)},${y(0)} ${line} ${x(last[0])},${y(0)}`} />
        <polyline class="earlier" points={pointsOf(scales, earlier)} />
        {goal && (
          <g class="goal">
            <line x1={x(0)} x2={x(points.length - 1)} y1={y(goal.value)} y2={y(goal.value)} />
            <text x={x(points.length - 1)} y={y(goal.value) - 5} text-anchor="end">
              {goal.name}
            </text>
          </g>
        )}
        <polyline class="now" points={line} />
        {pace !== undefined && (
          <polyline class="pace" points={pointsOf(scales, [last, [points.length - 1, pace]])} />
        )}
        <line
          class="cursor"
          x1={x(at)}
          x2={x(at)}
          y1={y(Math.max(point?.value ?? 0, point?.earlier ?? 0))}
          y2={bottom}
        />
        {point?.value !== undefined && <circle class="dot" cx={x(at)} cy={y(point.value)} r="4" />}
      </>
    );
  };
  return (
    <ChartFrame
      key={title}
      title={title}
      points={points}
      more={[goal?.value ?? 0, pace ?? 0]}
      textOf={textOf}
      start={last[0]}
      draw={draw}
    />
  );
};
