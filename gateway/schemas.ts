/** The JSON Schemas of the wire, tidied: closed objects, and `enum` where typia writes `oneOf` of `const`. */
import { wireSchemas } from "../protocol/generated/wire.ts";

/** A JSON Schema, as far as this project looks into one. */
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
  /** It may hold a secret: no message repeats what came. */
  writeOnly?: boolean;
}

/** Schemas by type name, as the OpenAPI document shows them under `components`. */
export const schemas: Record<string, Schema> = Object.fromEntries(
  // typia's own schema type is a closed union of OpenAPI shapes; the interface above is what they have in common.
  Object.entries(wireSchemas.components.schemas ?? {}).map(([name, schema]) => [
    name,
    tidy(schema as Schema),
  ]),
);

function tidy(schema: Schema): Schema {
  const { oneOf, ...rest } = schema;
  if (oneOf !== undefined) {
    const values = oneOf.filter((branch) => "const" in branch).map((branch) => branch.const);
    const others = oneOf.filter((branch) => !("const" in branch)).map(tidy);
    if (others.length === 0) return { type: typeName(values), enum: values, ...rest };
    // `null` is a value like any other: `string or null` reads better than a union of schemas.
    if (values.length > 0 && others.every((branch) => branch.type === "null")) {
      return { enum: [...values, null], ...rest };
    }
    return { oneOf: others, ...rest };
  }
  const tidied: Schema = { ...rest };
  if (schema.properties !== undefined && Object.keys(schema.properties).length === 0) {
    // A map: typia adds TypeScript's own description of Record.
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

/** The schema that `$ref` stands for, with the description given at the place of use. */
export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.split("/").at(-1);
  const target = name === undefined ? undefined : schemas[name];
  return target === undefined ? schema : { ...target, ...schema };
}
