const [WIDTH, HEIGHT, MARGIN] = [64, 22, 2];

/** The course of a row's values, without axes: its table holds the figures. */
export const Sparkline = ({ values }: { values: readonly number[] }) => {
  if (values.length < 2) return <span class="sparkline" />;
  const low = Math.min(0, ...values);
  const span = Math.max(...values) - low || 1;
  const points = values.map((value, index) => {
    const x = MARGIN + (index / (values.length - 1)) * (WIDTH - 2 * MARGIN);
    const y = HEIGHT - MARGIN - ((value - low) / span) * (HEIGHT - 2 * MARGIN);
    return `${x},${y}`;
  });
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      <polyline points={points.join(" ")} />
    </svg>
  );
};
