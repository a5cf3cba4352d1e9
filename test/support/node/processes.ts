import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface Process {
  pid: number;
  group: number;
  name: string;
}

/** The running processes of this machine, without zombies. */
const processes = (): Process[] =>
  execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat=,comm="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state]) => state && !state.startsWith("Z"))
    .map(([pid, group, , name = ""]) => ({ pid: Number(pid), group: Number(group), name }));

export const processesInGroup = (group: number): Process[] =>
  processes().filter((one) => one.group === group);

/** The TCP ports the processes listen on. */
export const portsOf = (pids: number[]): number[] => {
  const sockets = new Set(
    pids.flatMap((pid) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
        } catch {
          // The file descriptor was closed in the meantime.
          return [];
        }
      }),
    ),
  );
  return ["tcp", "tcp6"].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, "utf8")
      .split("\n")
      .map((line) => line.trim().split(/\s+/))
      // 0A is the state LISTEN.
      .filter(([, , , state, , , , , , inode]) => state === "0A" && inode && sockets.has(inode))
      .map(([, address = ""]) => Number.parseInt(address.slice(address.indexOf(":") + 1), 16)),
  );
};
