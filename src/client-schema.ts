import type { ExtractSchema } from "hono/types";
import type { App } from "./app.ts";

/** The same type without references to others. */
type Expanded<T> = T extends object ? (T extends infer O ? { [K in keyof O]: Expanded<O[K]> } : never) : T;

/** What `npm run client:types` prints. The two documents are text, which has no type. */
export type ClientSchema = Expanded<Omit<ExtractSchema<App>, "/openapi.yaml" | "/llms.txt">>;
