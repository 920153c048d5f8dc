/** The JSON Schema of the DSL (draft 2020-12), derived from typia's schema of the types. */
import { dslVersion } from "../../protocol/dsl/document.ts";
import { dslSchemas } from "../../protocol/generated/dsl.ts";
import { blockExamples, documentExample } from "./examples.ts";

export interface Schema {
  $ref?: string;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  oneOf?: Schema[];
  /** From OpenAPI, not JSON Schema: removed. */
  discriminator?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  propertyNames?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  pattern?: string;
  format?: string;
  description?: string;
  examples?: unknown[];
}

/** typia's name for the schema of `Record<string, T>`. */
const mapName = /^Recordstring/;

const raw: Record<string, Schema> = Object.fromEntries(
  Object.entries(dslSchemas.components.schemas ?? {}).map(([name, schema]) => [name, plain(schema)]),
);

export const definitions: Readonly<Record<string, Schema>> = Object.fromEntries(
  Object.entries(raw)
    .filter(([name]) => !mapName.test(name))
    .map(([name, schema]) => [name, withExamples(name, tidy(schema))]),
);

export const documentSchema: Schema = definitions.DslDocument ?? {};

export const publishedSchema: Record<string, unknown> = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: `urn:troupe:dsl:${dslVersion}`,
  title: `Troupe DSL ${dslVersion}`,
  ...documentSchema,
  description: `${documentSchema.description} When it is compiled, nodeCount counts every block, nested, disabled and subflow ones too, but not comments. Beyond this schema, ids are unique, subflows exist and do not call each other in a cycle, break and continue are inside loops, and templates and regular expressions parse.`,
  examples: [documentExample],
  $defs: Object.fromEntries(Object.entries(definitions).filter(([name]) => name !== "DslDocument")),
};

export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.slice("#/$defs/".length);
  return name === undefined ? schema : (definitions[name] ?? schema);
}

function plain(schema: object): Schema {
  return Object.fromEntries(Object.entries(schema));
}

function tidy(schema: Schema): Schema {
  if (schema.$ref !== undefined) return tidyReference(schema, schema.$ref);
  const { oneOf, discriminator: _openapi, ...rest } = schema;
  if (oneOf !== undefined) return { ...tidyUnion(oneOf), ...rest };
  const tidied: Schema = { ...rest };
  if (schema.properties !== undefined) {
    tidied.properties = Object.fromEntries(
      Object.entries(schema.properties).map(([key, value]) => [key, tidy(value)]),
    );
    tidied.additionalProperties = false;
  }
  if (schema.items !== undefined) tidied.items = tidy(schema.items);
  return tidied;
}

/** Inlines a map where it is used, with the description given there. */
function tidyReference({ description }: Schema, reference: string): Schema {
  const name = reference.split("/").at(-1) ?? "";
  const described = description === undefined ? {} : { description };
  if (!mapName.test(name)) return { $ref: `#/$defs/${name}`, ...described };
  const values = raw[name]?.additionalProperties;
  return {
    type: "object",
    propertyNames: { type: "string", minLength: 1, maxLength: 200 },
    additionalProperties: typeof values === "object" ? tidy(values) : true,
    ...described,
  };
}

function tidyUnion(branches: Schema[]): Schema {
  const values = branches.filter((branch) => "const" in branch).map((branch) => branch.const);
  const others = branches.filter((branch) => !("const" in branch)).map(tidy);
  const listed = values.length === 0 ? [] : [{ enum: values }];
  const all = [...listed, ...others];
  return all.length === 1 && all[0] !== undefined ? all[0] : { oneOf: all };
}

function withExamples(name: string, schema: Schema): Schema {
  const kind = schema.properties?.kind;
  const kinds: unknown[] = kind?.enum ?? [kind?.const];
  const examples = blockExamples.filter((example) => kinds.includes(example.kind));
  return examples.length === 0 || name === "DslDocument" ? schema : { ...schema, examples };
}
