import { SettingsError } from "../../src/core/settings.ts";

/** An error the user can fix. Its message is one sentence. */
export class StartError extends Error {}

const UNWRITABLE = ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST", "EISDIR", "ENOSPC"];

/** The text for an error that ends the start: a sentence if the user can fix it, otherwise the whole error. */
export const explain = (error: unknown): unknown => {
  if (error instanceof StartError || error instanceof SettingsError) return error.message;
  const { code, path } = error as NodeJS.ErrnoException;
  if (!code || !path || !UNWRITABLE.includes(code)) return error;
  return `${path} cannot be written (${code}). \`npm start\` keeps its data in \`.data/\` of the current folder: start it in a folder that you can write to.`;
};
