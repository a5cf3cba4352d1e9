import { change } from "../format.ts";

interface DeltaProps {
  now: number | null | undefined;
  before: number | null | undefined;
  /** Formats the earlier value, to show it beside the change. */
  format?: (value: number) => string;
  /** Whether less is better, as of what is overdue. */
  isInverse?: boolean;
  /** Whether the data begin within the earlier period: then there is no percentage. */
  isUnfair?: boolean;
}

const signOf = (text: string) => (text.startsWith("+") ? "up" : /^[-−]/.test(text) ? "down" : "same");
const ARROWS = { up: "↑", down: "↓", same: "=" };
const WORDS = { up: "mais", down: "menos", same: "" };

/** The change since the earlier period, in per cent: an arrow, a colour and a spoken word. */
export const Delta = ({ now, before, format, isInverse = false, isUnfair = false }: DeltaProps) => {
  const text = isUnfair ? undefined : change(now ?? undefined, before ?? undefined);
  const earlier = format && before !== null && before !== undefined ? `antes ${format(before)}` : "";
  if (text === undefined)
    return before === undefined ? null : <span class="delta same">{earlier || "—"}</span>;
  const sign = signOf(text);
  const isGood = sign === "same" ? undefined : (sign === "up") !== isInverse;
  const kind = isGood === undefined ? "same" : isGood ? "good" : "bad";
  return (
    <span class={`delta ${kind}`}>
      <span class="change">
        <span aria-hidden="true">{ARROWS[sign]} </span>
        {text.replace(/^[+-]/, "")}
        {WORDS[sign] && <span class="sr-only"> a {WORDS[sign]}</span>}
      </span>
      {earlier && <span class="earlier"> {earlier}</span>}
    </span>
  );
};
