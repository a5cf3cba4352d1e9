import { useEffect, useRef, useState } from "preact/hooks";
import { serviceNow } from "../../service-clock.ts";
import { usePanel } from "../context.ts";
import { canShareFiles, saveSheet, shareSheet } from "../files.ts";
import { atTime } from "../format.ts";
import { RequestError } from "../service.ts";
import type { Sheet } from "../sheet.ts";
import { Icon } from "./icon.tsx";

const failureText = (error: unknown) => {
  const again =
    error instanceof RequestError && error.waitMs > 0
      ? ` ${atTime(new Date(serviceNow() + error.waitMs))}`
      : "";
  return `Não foi possível criar o arquivo. Tente novamente${again}.`;
};

interface FileButtonsProps {
  /** What the file holds. */
  label: string;
  load: (signal: AbortSignal) => Promise<Sheet>;
}

/** Saves a table for Excel, and shares it where the browser can share files. */
export const FileButtons = ({ label, load }: FileButtonsProps) => {
  const { notify } = usePanel();
  const [isBusy, setBusy] = useState(false);
  const controller = useRef(new AbortController());
  useEffect(() => () => controller.current.abort(), []);
  const give = (use: (sheet: Sheet) => void | Promise<void>) => async () => {
    if (isBusy) return;
    const { signal } = controller.current;
    setBusy(true);
    try {
      await use(await load(signal));
    } catch (error) {
      if (!signal.aborted) notify(failureText(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-disabled={isBusy}
        aria-label={`Baixar: ${label}`}
        onClick={give(saveSheet)}
      >
        <Icon name="baixar" />
        Baixar
      </button>
      {canShareFiles() && (
        <button
          type="button"
          class="quiet"
          aria-disabled={isBusy}
          aria-label={`Compartilhar arquivo: ${label}`}
          onClick={give(shareSheet)}
        >
          Compartilhar
        </button>
      )}
    </>
  );
};
