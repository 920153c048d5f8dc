/** The wire's JSON Schemas, simplified: closed objects, and `enum` in place of typia's `oneOf` of `const`. */
import { wireSchemas } from "../protocol/generated/wire.ts";

/** The parts of JSON Schema that this project reads. */
export interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  pattern?: string;
  format?: string;
  description?: string;
  title?: string;
  /** May be a secret: no message repeats the value. */
  writeOnly?: boolean;
}

export const schemas: Record<string, Schema> = Object.fromEntries(
  // `Schema` has what the members of typia's closed union have in common.
  Object.entries(wireSchemas.components.schemas ?? {})
    .filter(([name]) => name !== "RequestShapes")
    .map(([name, schema]) => [name, tidy(schema as Schema)]),
);

function tidy(schema: Schema): Schema {
  const { oneOf, ...rest } = schema;
  if (oneOf !== undefined) {
    const values = oneOf.filter((branch) => "const" in branch).map((branch) => branch.const);
    const others = oneOf.filter((branch) => !("const" in branch)).map(tidy);
    if (others.length === 0) return { type: typeName(values), enum: values, ...rest };
    if (values.length > 0 && others.every((branch) => branch.type === "null")) {
      return { enum: [...values, null], ...rest };
    }
    return { oneOf: others, ...rest };
  }
  const tidied: Schema = { ...rest };
  if (schema.properties !== undefined && Object.keys(schema.properties).length === 0) {
    // A map: typia adds TypeScript's description of Record.
    delete tidied.properties;
    delete tidied.required;
    delete tidied.description;
  } else if (schema.properties !== undefined) {
    tidied.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, value]) => [key, tidy(value)]),
    );
  }
  if (schema.type === "object" && schema.additionalProperties === undefined)
    tidied.additionalProperties = false;
  else if (typeof schema.additionalProperties === "object") {
    tidied.additionalProperties = tidy(schema.additionalProperties);
  }
  if (schema.items !== undefined) tidied.items = tidy(schema.items);
  return tidied;
}

function typeName(values: unknown[]): string {
  return typeof values[0] === "boolean" ? "boolean" : "string";
}

/** Follows `$ref`; the description at the place of use wins. */
export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  const target = name === undefined ? undefined : schemas[name];
  return target === undefined ? schema : { ...target, ...schema };
}
