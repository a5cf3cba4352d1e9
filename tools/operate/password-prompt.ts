import { createInterface } from "node:readline/promises";
import { type Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { MAX_PASSWORD_BYTES } from "../../src/access/auth/passwords.ts";
import { UsageError } from "../arguments.ts";

const MIN_PASSWORD_CHARACTERS = 8;

/** Where a command reads a password, and prints messages. It returns its result, which goes to stdout. */
export interface Terminal {
  input: Readable & { isTTY?: boolean };
  print: (line: string) => void;
}

/** Reads from a prompt without echo, or to the end of the input if it is not a terminal. */
export const readPassword = async ({ input }: Terminal): Promise<string> => {
  const password = input.isTTY
    ? await askSilently(input, "Password: ")
    : (await text(input)).replace(/\r?\n$/, "");
  if ([...password].length < MIN_PASSWORD_CHARACTERS) {
    throw new UsageError(`The password must have at least ${MIN_PASSWORD_CHARACTERS} characters.`);
  }
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES) {
    throw new UsageError(`The password must have at most ${MAX_PASSWORD_BYTES} bytes.`);
  }
  return password;
};

const askSilently = async (input: Readable, question: string): Promise<string> => {
  process.stderr.write(question);
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: silence, terminal: true });
  try {
    return await terminal.question("");
  } finally {
    terminal.close();
    process.stderr.write("\n");
  }
};
