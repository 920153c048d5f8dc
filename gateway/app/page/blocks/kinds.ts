/** What the schema of the DSL says about each kind of block: where blocks go into it, and what else it holds. */

/** A JSON Schema, as far as the editor looks into one. */
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
  /** Ours: things come and go at the end only, as each has its place on the canvas. */
  endOnly?: boolean;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  pattern?: string;
  format?: string;
  description?: string;
}

/** What `GET /v1/dsl/schema` answers as `schema`. */
export interface DslSchema extends Schema {
  $defs: Record<string, Schema>;
}

/** The properties of a block but for its id, its kind and the blocks in it. */
export type Props = Record<string, unknown>;

/** A property whose every thing holds blocks beside other properties, as `elseIf` does. */
export interface Branch {
  name: string;
  /** Of a thing: what holds its blocks. */
  slot: string;
  /** The slot of the block that comes next. */
  before: string | null;
}

export interface BlockKind {
  kind: string;
  group: string;
  description: string;
  /** Properties that hold blocks. */
  slots: string[];
  branch: Branch | null;
  /** The other properties, as one object. */
  form: Schema;
  /** What a new block begins with. */
  first: Props;
}

export type Resolve = (schema: Schema) => Schema;

/** Names a schema's definition; the descriptions that stand beside the reference win. */
export function resolverOf(schema: DslSchema): Resolve {
  return (given) => {
    const name = given.$ref?.slice("#/$defs/".length);
    return name === undefined ? given : { ...schema.$defs[name], ...given, $ref: name };
  };
}

/** By what their names and slots say; in this order in the list that blocks are dragged from. */
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

/** Of no use in the form: the canvas shows the first two, and there is one version. */
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

/** The list's form: what holds blocks is on the canvas. */
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

/** The least that a schema takes, with texts left empty. */
export function firstOf(given: Schema, resolve: Resolve): unknown {
  const schema = resolve(given);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.oneOf?.[0] !== undefined) {
    const [first] = schema.oneOf;
    // Of what may be anything, a text is asked for most.
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

/** Whether a value is one that the schema describes, looked at no deeper than it takes to tell variants apart. */
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
