import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "./icon.tsx";

interface SheetProps {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
}

/** A dialog: from below on a phone, in the middle of a desktop. Escape and a tap beside it close it. */
export const Sheet = ({ title, onClose, children }: SheetProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const opener = document.activeElement;
    dialog.current?.showModal();
    // For a browser that does not know `closedby`.
    dialog.current?.addEventListener("click", ({ target, currentTarget }) => {
      if (target === currentTarget) dialog.current?.close();
    });
    // A dialog that is removed while it is open does not return the focus itself.
    return () => {
      if (opener instanceof HTMLElement) setTimeout(() => opener.isConnected && opener.focus());
    };
  }, []);
  // The dialog would focus its first button, which Enter then presses. Another title is another content.
  useLayoutEffect(() => heading.current?.focus(), [title]);
  const id = `sheet-${title.toLowerCase().replaceAll(/\W+/g, "-")}`;
  return (
    <dialog ref={dialog} class="sheet" aria-labelledby={id} onClose={onClose} closedby="any">
      <div class="sheet-body">
        <div class="titled">
          <h2 id={id} ref={heading} tabIndex={-1}>
            {title}
          </h2>
          <button type="button" class="icon-button" aria-label="Fechar" onClick={onClose}>
            <Icon name="fechar" />
          </button>
        </div>
        {children}
      </div>
    </dialog>
  );
};
