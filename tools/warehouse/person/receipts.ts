import { createHmac } from "node:crypto";
import { UsageError } from "../../arguments.ts";
import type { Kind } from "./places.ts";

/** What the operator keeps of an erasure. It names nobody without the key. */
export interface Receipt {
  kind: Kind;
  /** HMAC of the person's id. */
  hash: string;
  /** HMACs of the names, and of the CPF, that nobody else has, to find them in rows that come back without the id. */
  names: string[];
  key_id: string;
  erased_at: string;
  /** The number of changed rows, by table. */
  rows: Record<string, number>;
  /** What could not be removed, as `left in <table>.<column>: n`. */
  left: string[];
}

/** The key of the operator. The database and the receipts do not have it. */
export interface ErasureKey {
  id: string;
  hashOf: (what: Kind | "name", value: string) => string;
}

/** @throws UsageError if `ERASURE_KEY` is missing or too short */
export const readKey = (raw = process.env.ERASURE_KEY ?? ""): ErasureKey => {
  const bytes = Buffer.from(raw, "base64url");
  if (!/^[\w-]+=*$/.test(raw) || bytes.length < 32)
    throw new UsageError(
      "ERASURE_KEY must be base64url of at least 32 bytes. Use the key of your earlier erasures. For the first one, create it and keep it with your secrets: openssl rand -base64 32 | tr '+/' '-_' | tr -d =",
    );
  const hmac = (text: string) => createHmac("sha256", bytes).update(text).digest("hex");
  return { id: hmac("key").slice(0, 8), hashOf: (what, value) => hmac(`${what}:${value}`) };
};

const HASH = /^[0-9a-f]{64}$/;

/** The column in a line of a receipt, as `table.column`. */
export const columnOf = (line: string): string | undefined => /^left in (\w+\.\w+): \d+$/.exec(line)?.[1];

const isReceipt = (value: unknown): value is Receipt => {
  const { kind, hash, names, key_id, left } = (value ?? {}) as Partial<Receipt>;
  return (
    (kind === "client" || kind === "professional") &&
    HASH.test(hash ?? "") &&
    Array.isArray(names) &&
    names.every((name) => HASH.test(name)) &&
    typeof key_id === "string" &&
    Array.isArray(left) &&
    left.every((line) => columnOf(line) !== undefined)
  );
};

/** Reads a file with a receipt in each line, after a byte order mark of an editor. @throws Error that names the first wrong line */
export const parseReceipts = (text: string): Receipt[] =>
  text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .flatMap((line, n) => {
      if (line.trim() === "") return [];
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {}
      if (!isReceipt(value)) throw new Error(`Line ${n + 1} is not a receipt. Nothing was changed.`);
      return [value];
    });
