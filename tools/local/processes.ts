import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

const statOf = (pid: number) => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The process name may contain spaces and parentheses, so split after the last parenthesis.
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
};

/** CPU seconds a process has used, user and system. */
export const cpuSeconds = (pid: number): number =>
  (Number(statOf(pid)[11]) + Number(statOf(pid)[12])) / TICKS_PER_SECOND;

/** Resident memory of a process, in MiB. */
export const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;

/** Child processes with this name, oldest first. */
export const childrenNamed = (name: string): number[] =>
  readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        const isMine = pid > 0 && Number(statOf(pid)[1]) === process.pid;
        return isMine && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === name;
      } catch {
        return false;
      }
    })
    .sort((a, b) => a - b);
