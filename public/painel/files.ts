// Tables as Excel workbooks: saved, or shared where the browser can share them.
import type { Sheet } from "./sheet.ts";

const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

const fileOf = async (sheet: Sheet) => {
  const { writeWorkbook } = await import("./workbook.ts");
  return new File([await writeWorkbook(sheet)], `${sheet.name}.xlsx`, { type: TYPE });
};

/** Whether the browser can share a workbook. Desktops save it. */
export const canShareFiles = (): boolean =>
  matchMedia("(pointer: coarse)").matches &&
  (navigator.canShare?.({ files: [new File([""], "a.xlsx", { type: TYPE })] }) ?? false);

export const saveSheet = async (sheet: Sheet): Promise<void> => {
  const file = await fileOf(sheet);
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(file);
  anchor.download = file.name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000);
};

export const shareSheet = async (sheet: Sheet): Promise<void> => {
  const file = await fileOf(sheet);
  try {
    await navigator.share({ title: sheet.name, files: [file] });
  } catch (error) {
    // The user closed the dialog of the phone.
    if (!(error instanceof DOMException && error.name === "AbortError")) throw error;
  }
};
