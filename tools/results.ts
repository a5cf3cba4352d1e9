import { availableParallelism, cpus, totalmem } from "node:os";
import { argv } from "node:process";

/** The `q` quantile of the values; NaN if there are none. */
export const quantile = (values: number[], q: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? Number.NaN;

/** The command, date and machine of a result. @param script name in package.json */
export const provenance = (script: string): string => {
  const command = ["npm run", script, ...(argv.length > 2 ? ["--", ...argv.slice(2)] : [])].join(" ");
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `\`${command}\` · ${new Date().toISOString().slice(0, 10)} · ${machine}`;
};
