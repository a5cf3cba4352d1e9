import { Validator } from "@cfworker/json-schema";
import { answerOf, type Document, forbidExtraProperties, type Operation } from "./document.ts";

type JsonSchema = ConstructorParameters<typeof Validator>[0];

/** Creates a validator for response bodies. It also reports properties that the schema does not document. */
export const createBodyValidator = (document: Document) => {
  const schemas = Object.fromEntries(
    Object.entries(document.components.schemas).map(([name, schema]) => [
      name,
      forbidExtraProperties(schema),
    ]),
  );
  const validators = new Map<string, Validator>();
  /** The violations of a body; empty if it is valid. */
  return (operation: Operation, status: number, body: unknown): string[] => {
    const { content } = answerOf(document, operation, `${status}`);
    const schema = content?.["application/json"]?.schema;
    if (schema === undefined) return [`${operation.operationId} does not document ${status}`];
    const key = `${operation.operationId} ${status}`;
    const validator =
      validators.get(key) ??
      new Validator(
        { ...forbidExtraProperties(schema), components: { schemas } } as JsonSchema,
        "2020-12",
        false,
      );
    validators.set(key, validator);
    return validator
      .validate(body)
      .errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
  };
};
