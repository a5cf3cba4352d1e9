// Tables as files for Excel: saved, or shared where the browser can share files.
import { type Sheet, sheetText } from "./sheet.ts";

const BYTE_ORDER_MARK = "\uFEFF";

const fileOf = (sheet: Sheet) =>
  new File([BYTE_ORDER_MARK, sheetText(sheet)], `${sheet.name}.csv`, { type: "text/csv" });

/** Whether the browser can share a file. Desktops save it. */
export const canShareFiles = (): boolean =>
  matchMedia("(pointer: coarse)").matches &&
  (navigator.canShare?.({ files: [new File([""], "a.csv", { type: "text/csv" })] }) ?? false);

export const saveSheet = (sheet: Sheet): void => {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(fileOf(sheet));
  anchor.download = `${sheet.name}.csv`;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
};

export const shareSheet = async (sheet: Sheet): Promise<void> => {
  try {
    await navigator.share({ title: sheet.name, files: [fileOf(sheet)] });
  } catch (error) {
    // The user closed the dialog of the phone.
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  }
};
