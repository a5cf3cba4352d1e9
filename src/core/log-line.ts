export type LogLevel = "info" | "error";

/** Writes one JSON line to the log. Fields that are undefined are omitted. */
export const writeLogLine = (level: LogLevel, fields: Record<string, unknown>): void => {
  (level === "error" ? console.error : console.log)(JSON.stringify({ level, ...fields }));
};
