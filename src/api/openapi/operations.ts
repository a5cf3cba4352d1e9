import type { OpenAPIHono } from "@hono/zod-openapi";
import type { Right } from "../../core/rights.ts";

export type Document = ReturnType<OpenAPIHono["getOpenAPI31Document"]>;

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

/** A JSON Schema from the OpenAPI document. */
// A type, not an interface, so that it is assignable to JSON.
export type Schema = {
  $ref?: string;
  type?: string | string[];
  description?: string;
  enum?: string[];
  /** What a list of names separated by commas may contain. */
  "x-names"?: string[];
  /** The parameter without which this one is unknown. */
  "x-only-with"?: string;
  "x-personal-data"?: true | "shortened";
  minimum?: number;
  maximum?: number;
  pattern?: string;
  default?: Json;
  example?: Json;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
};

export interface Parameter {
  name: string;
  in: "query" | "path";
  required?: boolean;
  schema: Schema;
}

export interface Response {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: unknown[];
  parameters?: Parameter[];
  /** The right that it needs (A11). */
  "x-required-right"?: Right;
  responses: Record<string, Response>;
}

/** The `GET` operations of the paths that match. */
export const getOperations = (
  { paths = {} }: Document,
  isWanted: (path: string) => boolean,
): [path: string, operation: Operation][] =>
  Object.entries(paths).flatMap(([path, { get } = {}]) =>
    get && isWanted(path) ? [[path, get as unknown as Operation]] : [],
  );

export const schemasOf = (document: Document) =>
  (document.components?.schemas ?? {}) as Record<string, Schema>;

/** The schema of the body that a successful request gets. */
export const bodyOf = ({ responses }: Operation): Schema =>
  responses["200"]?.content?.["application/json"]?.schema ?? {};

/** The name of the schema that a reference refers to; empty for any other schema. */
export const nameOf = ({ $ref = "" }: Schema): string => $ref.split("/").at(-1) ?? "";
