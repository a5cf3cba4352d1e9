import { partShare } from "../format.ts";

interface Part {
  name: string;
  value: number;
  text: string;
}

/** Two parts of a whole, as one bar with its legend. A part below zero has no length. */
export const SplitBar = ({ parts }: { parts: readonly Part[] }) => {
  const total = parts.reduce((sum, { value }) => sum + value, 0);
  return (
    <div>
      <div class="split-bar" aria-hidden="true">
        {parts.map(({ name, value }, index) => (
          <span key={name} class={`part-${index}`} style={{ flexGrow: Math.max(0, value) }} />
        ))}
      </div>
      <ul class="legend">
        {parts.map(({ name, value, text }, index) => (
          <li key={name}>
            <span class={`key part-${index}`} aria-hidden="true" />
            {name} <strong>{text}</strong> <span class="more">{partShare(value, total)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
};
