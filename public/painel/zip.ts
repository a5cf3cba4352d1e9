// In place of fflate in the pages: `zip` starts a worker from a `blob:` URL, which their policy does not allow.
import { type Zippable, zipSync } from "fflate/browser";

export { strToU8, zipSync } from "fflate/browser";

export const zip = (files: Zippable, onEnd: (error: null, archive: Uint8Array) => void): void =>
  onEnd(null, zipSync(files));
