import { useState } from "preact/hooks";
import { changeText, useClosing } from "../closings.ts";
import { date, signedMoney } from "../format.ts";
import type { View } from "../view.ts";
import { Icon } from "./icon.tsx";
import { Later } from "./later.tsx";

const loadChanges = async () => (await import("./closing-changes.tsx")).ClosingChanges;

/** Of a closed month: its lock and, if its revenue changed since, by how much, with what changed behind it (F2). */
export const ClosingNote = ({ view }: { view: View }) => {
  const [isOpen, setOpen] = useState(false);
  const closing = useClosing(view);
  if (closing === undefined) return null;
  // Its place is kept, so that nothing moves.
  if (closing === "loading") return <p class="closing loading" />;
  const closed = `Fechado em ${date(closing.closedAt)}`;
  const change = changeText(closing.body, view, (reais) => `mudou ${signedMoney(reais)}`);
  return change === undefined ? (
    <p class="closing">
      <Icon name="cadeado" />
      {closed}
    </p>
  ) : (
    <details class="closing" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <Icon name="cadeado" />
        <span>
          {closed}: <strong>{change} desde o fechamento</strong>
        </span>
      </summary>
      {isOpen && <Later load={loadChanges} />}
    </details>
  );
};
