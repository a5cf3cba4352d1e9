import { bodyLimit } from "hono/body-limit";
import { Refusal } from "./errors.ts";

const MAX_BYTES = 4096;

/** No body of this service is larger than 4 KiB (A5). */
export const smallBody = bodyLimit({
  maxSize: MAX_BYTES,
  onError: () => {
    throw new Refusal(413, `The body must not be larger than ${MAX_BYTES} bytes.`);
  },
});
