import { line } from "d3-shape";

const [WIDTH, HEIGHT, MARGIN] = [64, 22, 2];

/** The course of a row's values, without axes: its table holds the figures. */
export const Sparkline = ({ values }: { values: readonly number[] }) => {
  if (values.length < 2) return <span class="sparkline" />;
  const [low, high] = [Math.min(0, ...values), Math.max(...values)];
  const span = high - low || 1;
  const path = line<number>(
    (_, index) => MARGIN + (index / (values.length - 1)) * (WIDTH - 2 * MARGIN),
    (value) => HEIGHT - MARGIN - ((value - low) / span) * (HEIGHT - 2 * MARGIN),
  )([...values]);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <path d={path ?? ""} />
    </svg>
  );
};
