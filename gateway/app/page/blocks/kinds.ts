/** What the DSL's schema says about each kind of block: its slots for other blocks, and the form of the rest. */

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
  /** Our own keyword: items are added and removed at the end only, because each has its place on the canvas. */
  endOnly?: boolean;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  pattern?: string;
  format?: string;
  description?: string;
}

/** `schema` in the reply of `GET /v1/dsl/schema`. */
export interface DslSchema extends Schema {
  $defs: Record<string, Schema>;
}

export type Props = Record<string, unknown>;

/** A list property whose items hold blocks beside other properties, such as `elseIf`. */
export interface Branch {
  name: string;
  slot: string;
  /** The slot that follows the branch on the canvas. */
  before: string | null;
}

export interface BlockKind {
  kind: string;
  group: string;
  description: string;
  slots: string[];
  branch: Branch | null;
  form: Schema;
  first: Props;
}

export type Resolve = (schema: Schema) => Schema;

/** Resolves `$ref`; keywords beside the reference take precedence. */
export function resolverOf(schema: DslSchema): Resolve {
  return (given) => {
    const name = given.$ref?.slice("#/$defs/".length);
    return name === undefined ? given : { ...schema.$defs[name], ...given, $ref: name };
  };
}

const groups: readonly { group: string; has: RegExp }[] = [
  { group: "Flow", has: /^(if|for|while|try|call|stop|break|continue|assert|comment|log)/ },
  { group: "Waiting", has: /^wait/ },
  { group: "Tabs and frames", has: /Tab$|^(iframe|dialog|download)$/ },
  {
    group: "Page",
    has: /^(navigate|back|forward|reload|click|hover|type|pressKey|scroll|select|check|uncheck|upload)$/,
  },
  { group: "Reading", has: /^(extract|count|pageInfo|screenshot|evaluate|output)/ },
];
export const groupNames = ["Page", "Waiting", "Reading", "Flow", "Tabs and frames", "Data"];

/** The canvas shows the id and the kind, and there is only one version. */
const notInForm = new Set(["id", "kind", "v"]);

export function kindsOf(schema: DslSchema): BlockKind[] {
  const resolve = resolverOf(schema);
  return (schema.$defs.Block?.oneOf ?? []).flatMap((reference) => {
    const block = resolve(reference);
    const named = block.properties?.kind;
    const names = named?.enum ?? [named?.const];
    return names.map((name) => kindOf(String(name), block, resolve));
  });
}

function kindOf(kind: string, block: Schema, resolve: Resolve): BlockKind {
  const all = Object.entries(block.properties ?? {});
  const holdsBlocks = (schema: Schema) => {
    const { type, items } = resolve(schema);
    return type === "array" && items?.$ref === "#/$defs/Block";
  };
  const slots = all.filter(([, schema]) => holdsBlocks(schema)).map(([name]) => name);
  const branch = branchOf(all, slots, holdsBlocks, resolve);
  const rest = all
    .filter(([name]) => !slots.includes(name) && !notInForm.has(name))
    .map(([name, schema]) => [name, name === branch?.name ? withoutSlot(schema, branch, resolve) : schema]);
  const required = block.required?.filter((name) => rest.some(([known]) => known === name)) ?? [];
  const form: Schema = { type: "object", properties: Object.fromEntries(rest), required };
  return {
    kind,
    group: groups.find(({ has }) => has.test(kind))?.group ?? "Data",
    description: block.description ?? "",
    slots,
    branch,
    form,
    first: Object(firstOf(form, resolve)),
  };
}

function branchOf(
  all: [string, Schema][],
  slots: string[],
  holdsBlocks: (schema: Schema) => boolean,
  resolve: Resolve,
): Branch | null {
  for (const [at, [name, schema]] of all.entries()) {
    const { type, items } = resolve(schema);
    if (type !== "array" || items === undefined) continue;
    const inner = Object.entries(resolve(items).properties ?? {}).find(([, held]) => holdsBlocks(held));
    const next = all.slice(at).find(([other]) => slots.includes(other));
    if (inner !== undefined) return { name, slot: inner[0], before: next?.[0] ?? null };
  }
  return null;
}

function withoutSlot(schema: Schema, { slot }: Branch, resolve: Resolve): Schema {
  const list = resolve(schema);
  const { properties, required, ...item } = resolve(list.items ?? {});
  const kept = Object.entries(properties ?? {}).filter(([name]) => name !== slot);
  const items = {
    ...item,
    properties: Object.fromEntries(kept),
    required: required?.filter((name) => name !== slot) ?? [],
  };
  return { ...list, endOnly: true, items };
}

/** The smallest value that the schema accepts, with empty texts. */
export function firstOf(given: Schema, resolve: Resolve): unknown {
  const schema = resolve(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.oneOf?.[0] !== undefined) {
    const [first] = schema.oneOf;
    const text = schema.oneOf.find((variant) => resolve(variant).type === "string");
    return firstOf(resolve(first).type === "null" && text !== undefined ? text : first, resolve);
  }
  if (schema.type === "object") {
    const wanted = schema.required ?? [];
    return Object.fromEntries(
      wanted.map((name) => [name, firstOf(schema.properties?.[name] ?? {}, resolve)]),
    );
  }
  if (schema.type === "array") {
    return (schema.minItems ?? 0) > 0 && schema.items !== undefined ? [firstOf(schema.items, resolve)] : [];
  }
  if (schema.type === "integer" || schema.type === "number") return Math.max(schema.minimum ?? 0, 0);
  if (schema.type === "boolean") return false;
  if (schema.type === "null") return null;
  return "";
}

/** Whether the schema describes the value; checks only as deep as it takes to choose between variants. */
export function fits(value: unknown, given: Schema, resolve: Resolve): boolean {
  const schema = resolve(given);
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  if (schema.oneOf !== undefined) return schema.oneOf.some((variant) => fits(value, variant, resolve));
  if (schema.type === "object") {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
    const told = Object.entries(schema.properties ?? {}).filter(
      ([name, { const: one, enum: some }]) => schema.required?.includes(name) && (one ?? some) !== undefined,
    );
    return (
      (schema.required ?? []).every((name) => name in value) &&
      told.every(([name, property]) => fits(Reflect.get(value, name), property, resolve))
    );
  }
  if (schema.type === "array") return Array.isArray(value);
  if (schema.type === "null") return value === null;
  if (schema.type === "integer" || schema.type === "number") return typeof value === "number";
  return typeof value === schema.type;
}
