import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface FoldableProps {
  title: string;
  /** Called when it is opened, so that a closed card requests nothing. */
  children: () => ComponentChildren;
}

/** A card that is closed at first. */
export const Foldable = ({ title, children }: FoldableProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="card fold" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
};
