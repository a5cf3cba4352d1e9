// Types for the few Node APIs that the Worker and its tests use. The runtime has them since the compatibility date
// 2026-08-04. The Worker uses Node's crypto where Web Crypto has no such function or offers only an asynchronous one.

declare module "node:buffer" {
  type Encoding = "base64" | "base64url" | "hex" | "latin1" | "utf8";
  interface Buffer extends Uint8Array<ArrayBuffer> {
    includes(byteOrText: number | string, from?: number): boolean;
    subarray(start?: number, end?: number): Buffer;
    toString(encoding?: Encoding, start?: number, end?: number): string;
    write(text: string, offset: number, encoding?: Encoding): number;
    writeBigUInt64BE(value: bigint, offset: number): number;
    writeUInt32BE(value: number, offset: number): number;
  }
  export const Buffer: {
    from(text: string, encoding?: Encoding): Buffer;
    from(bytes: Uint8Array | ArrayBuffer): Buffer;
    alloc(size: number, fill: number): Buffer;
    concat(parts: Uint8Array[]): Buffer;
  };
  export const isAscii: (bytes: Uint8Array) => boolean;
}

declare module "node:crypto" {
  import type { Buffer } from "node:buffer";

  interface Hash {
    update(data: string | Uint8Array): Hash;
    digest(): Buffer;
    digest(encoding: "hex" | "base64url"): string;
  }
  interface Cost {
    N: number;
    r: number;
    p: number;
    maxmem?: number;
  }
  export const createHash: (algorithm: string) => Hash;
  export const createHmac: (algorithm: string, key: string | Uint8Array) => Hash;
  export const hkdfSync: (
    hash: string,
    key: Uint8Array,
    salt: Uint8Array,
    info: string,
    size: number,
  ) => ArrayBuffer;
  export const randomBytes: (size: number) => Buffer;
  export const scryptSync: (password: string, salt: Uint8Array, size: number, cost: Cost) => Buffer;
  export const timingSafeEqual: (a: Uint8Array, b: Uint8Array) => boolean;
}

// The platform types declare these as `any`. As `undefined`, using one is a compile error.
declare var process: undefined;
declare var Buffer: undefined;
declare var global: undefined;
