// The shades of a heat map.
const LEVELS = 5;

/** The class of a cell. Only 0 has no shade. */
export const heatClass = (value: number, max: number): string =>
  `heat-${max > 0 ? Math.ceil((value / max) * LEVELS) : 0}`;
