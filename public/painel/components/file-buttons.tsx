import { useEffect, useRef, useState } from "preact/hooks";
import { serviceNow } from "../../service-clock.ts";
import { usePanel } from "../context.ts";
import { canShareFiles, saveSheet, shareSheet } from "../files.ts";
import { atTime, counted } from "../format.ts";
import { REASONS } from "../messages.ts";
import { RequestError } from "../service.ts";
import type { Sheet } from "../sheet.ts";
import { Icon } from "./icon.tsx";

const failureText = (error: unknown) => {
  // The workbook has too many rows, or the browser has too little memory.
  if (error instanceof RangeError) return "São registros demais para um arquivo. Escolha um período menor.";
  if (!(error instanceof RequestError))
    return "Não foi possível criar o arquivo. Recarregue a página: o painel pode ter sido atualizado.";
  const again = error.waitMs > 0 ? ` ${atTime(new Date(serviceNow() + error.waitMs))}` : "";
  return `Nenhum arquivo foi salvo. ${REASONS[error.reason]} Tente novamente${again}.`;
};

interface FileButtonsProps {
  /** What the file holds. */
  label: string;
  /** @param onCount is called with the number of records so far, if they take time */
  load: (signal: AbortSignal, onCount: (records: number) => void) => Promise<Sheet>;
}

/** Loads a table and gives it away, one at a time. */
const useFile = (load: FileButtonsProps["load"]) => {
  const { notify } = usePanel();
  const [isBusy, setBusy] = useState(false);
  const [count, setCount] = useState<number>();
  const controller = useRef<AbortController>(undefined);
  const cancel = () => controller.current?.abort();
  useEffect(() => cancel, []);
  const give = (use: (sheet: Sheet) => Promise<void>) => async () => {
    if (isBusy) return;
    controller.current = new AbortController();
    const { signal } = controller.current;
    setBusy(true);
    try {
      const sheet = await load(signal, setCount);
      signal.throwIfAborted();
      await use(sheet);
    } catch (error) {
      if (!signal.aborted) notify(failureText(error));
    } finally {
      setBusy(false);
      setCount(undefined);
    }
  };
  return { isBusy, count, give, cancel };
};

/** Saves a table for Excel, and shares it where the browser can share files. */
export const FileButtons = ({ label, load }: FileButtonsProps) => {
  const { isBusy, count, give, cancel } = useFile(load);
  const saveButton = useRef<HTMLButtonElement>(null);
  const cancelAndFocus = () => {
    cancel();
    saveButton.current?.focus();
  };
  const attributes = { type: "button", class: "quiet", "aria-disabled": isBusy } as const;
  return (
    <>
      <button {...attributes} aria-label={`Baixar: ${label}`} onClick={give(saveSheet)} ref={saveButton}>
        <Icon name="baixar" />
        Baixar
      </button>
      {canShareFiles() && (
        <button {...attributes} aria-label={`Compartilhar arquivo: ${label}`} onClick={give(shareSheet)}>
          Compartilhar
        </button>
      )}
      {count !== undefined && (
        <>
          <span role="status">{counted(count, "registro", "registros")}…</span>
          <button type="button" class="quiet" onClick={cancelAndFocus}>
            Cancelar
          </button>
        </>
      )}
    </>
  );
};
