import { readFileSync } from "node:fs";
import { join } from "node:path";
import { API, NodeBuilderFlags } from "typescript/unstable/sync";
import { readArguments } from "../arguments.ts";

const ROOT = join(import.meta.dirname, "../..");
const PROJECT = join(ROOT, "src/tsconfig.json");
const SCHEMA = join(ROOT, "src/client-schema.ts");

const USAGE = `Prints the types of the API for Hono's client, as one file that imports only hono.

  npm run -s client:types > salon-erp.d.ts

In a program: hc<App>(baseUrl), with App from that file.`;

const { NoTruncation, MultilineObjectLiterals, InTypeAlias } = NodeBuilderFlags;

/** The text of a type of the file, in full. */
const textOf = (file: string, name: string): string => {
  const api = new API({ cwd: ROOT });
  try {
    const project = api.updateSnapshot({ openProjects: [PROJECT] }).getProject(PROJECT);
    const type = project?.checker.getTypeAtPosition(file, readFileSync(file, "utf8").indexOf(`${name} =`));
    if (!project || !type || type.isErrorType()) throw new Error(`${file} does not declare ${name}`);
    return project.checker.typeToString(
      type,
      undefined,
      NoTruncation | MultilineObjectLiterals | InTypeAlias,
    );
  } finally {
    api.close();
  }
};

readArguments(USAGE, { options: {} });
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
console.log(`// Types of the API, version ${version}. Written by npm run client:types.
import type { Hono } from "hono";

export type App = Hono<{}, ${textOf(SCHEMA, "ClientSchema")}, "/">;`);
