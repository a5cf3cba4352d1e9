/** A bar as long as the share of the value in the highest one. The figure is beside it. */
export const Meter = ({ value, max }: { value: number; max: number }) => (
  <span class="meter" aria-hidden="true">
    <span style={{ width: `${max > 0 ? Math.max(0, (value / max) * 100) : 0}%` }} />
  </span>
);
