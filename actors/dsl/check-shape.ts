/** The first check of a document: validates it against the schema. */
import type { DslDocument } from "../../protocol/dsl/document.ts";
import { limits } from "../../protocol/limits.ts";
import { documentSchema, resolved, type Schema } from "./schema.ts";

/** `pointer` is a JSON Pointer into the document; `node` is the enclosing block. */
export interface Problem {
  pointer: string;
  node: { id: string; kind: string } | null;
  message: string;
}

export interface Mark {
  pointer: string;
  text: string;
  format: "template" | "regex";
}

export type Shaped =
  | { document: DslDocument; marks: Map<object, Mark[]>; unknownKeys: string[] }
  | { problems: Problem[] };

const problemsMax = 20;

interface Walk {
  problems: Problem[];
  /** By enclosing block; by document outside blocks. */
  marks: Map<object, Mark[]>;
  unknownKeys: string[];
  lenient: boolean;
  depth: number;
  block: object;
  node: Problem["node"];
}

/** Validates a document. With `lenient`, unknown keys are collected instead of refused. */
export function checkShape(value: unknown, lenient: boolean): Shaped {
  const walk: Walk = {
    problems: [],
    marks: new Map(),
    unknownKeys: [],
    lenient,
    depth: 0,
    block: {},
    node: null,
  };
  visit(documentSchema, value, "", walk);
  const { problems, marks, unknownKeys } = walk;
  return isShaped(value, problems) ? { document: value, marks, unknownKeys } : { problems };
}

function isShaped(value: unknown, problems: readonly Problem[]): value is DslDocument {
  return value !== undefined && problems.length === 0;
}

function report(walk: Walk, pointer: string, message: string): void {
  if (walk.problems.length < problemsMax) walk.problems.push({ pointer, node: walk.node, message });
}

function visit(given: Schema, value: unknown, pointer: string, walk: Walk): void {
  if (walk.problems.length >= problemsMax) return;
  if (walk.depth > limits.dslNestingMax) {
    report(walk, pointer.slice(0, 200), `is nested more than ${limits.dslNestingMax} deep`);
    return;
  }
  walk.depth += 1;
  visitHere(given, value, pointer, walk);
  walk.depth -= 1;
}

function visitHere(given: Schema, value: unknown, pointer: string, walk: Walk): void {
  const schema = resolved(given);
  if (schema.oneOf !== undefined) {
    const branch = choose(unionOf(schema.oneOf), value, pointer, walk);
    if (branch !== null) visit(branch, value, pointer, walk);
    return;
  }
  if (schema.enum !== undefined || "const" in schema) {
    const allowed = schema.enum ?? [schema.const];
    if (!allowed.includes(value)) report(walk, pointer, `must be ${oneOf(allowed)}, got ${shown(value)}`);
    return;
  }
  if (!isOfType(schema.type, value)) {
    report(walk, pointer, `must be ${typeWords(schema)}, got ${shown(value)}`);
    return;
  }
  if (typeof value === "string") visitText(schema, value, pointer, walk);
  else if (typeof value === "number") visitNumber(schema, value, pointer, walk);
  else if (Array.isArray(value)) visitList(schema, value, pointer, walk);
  else if (isRecord(value)) visitObject(schema, value, pointer, walk);
}

/** A `oneOf`, prepared once and cached, because every block needs it. */
interface Union {
  branches: readonly Schema[];
  objects: readonly Schema[];
  key: string | undefined;
  byTag: ReadonlyMap<unknown, Schema>;
  untagged: readonly Schema[];
}

const unions = new WeakMap<readonly Schema[], Union>();

function unionOf(oneOf: readonly Schema[]): Union {
  const known = unions.get(oneOf);
  if (known !== undefined) return known;
  const branches = oneOf.map(resolved);
  const objects = branches.filter((one) => one.properties !== undefined);
  const key = ["kind", "by", "op"].find((name) => objects.some((one) => tags(one, name).length > 0));
  const tagged = key === undefined ? [] : objects.map((one) => ({ one, tags: tags(one, key) }));
  // If two branches share a tag, the first one wins.
  const pairs = tagged.flatMap(({ one, tags }) => tags.map((tag): [unknown, Schema] => [tag, one]));
  const untagged = tagged.filter(({ tags }) => tags.length === 0).map(({ one }) => one);
  const union = { branches, objects, key, byTag: new Map(pairs.reverse()), untagged };
  unions.set(oneOf, union);
  return union;
}

/** Picks a branch by the discriminating key, otherwise by the value's type, so that errors are about the intended branch only. */
function choose(union: Union, value: unknown, pointer: string, walk: Walk): Schema | null {
  const { branches, objects, key, byTag, untagged } = union;
  if (!isRecord(value)) {
    const branch = branches.find(
      (one) => one.enum?.includes(value) ?? (one.oneOf === undefined && isOfType(one.type, value)),
    );
    if (branch !== undefined) return branch;
    const words = branches.flatMap((one) =>
      one.enum === undefined ? [typeWords(one)] : one.enum.map((word) => JSON.stringify(word)),
    );
    report(walk, pointer, `must be ${[...new Set(words)].join(" or ")}, got ${shown(value)}`);
    return null;
  }
  const [only] = objects;
  if (key === undefined && only !== undefined) return only;
  if (key === undefined) {
    report(walk, pointer, `must be ${branches.map(typeWords).join(" or ")}, got an object`);
    return null;
  }
  const tag = value[key];
  const found =
    tag === undefined
      ? untagged.find((one) => one.required?.every((name) => Object.hasOwn(value, name)))
      : byTag.get(tag);
  if (found !== undefined) return found;
  if (key === "kind") walk.node = nodeOf(value);
  if (tag === undefined) report(walk, pointer, `required property "${key}" is missing`);
  else {
    const known = [...byTag.keys()].map(String);
    report(walk, `${pointer}/${key}`, `must be ${oneOf(known.sort())}, got ${shown(tag)}`);
  }
  return null;
}

function tags(schema: Schema, key: string): unknown[] {
  const property = schema.properties?.[key];
  if (property === undefined) return [];
  return property.enum ?? ("const" in property ? [property.const] : []);
}

function visitText(schema: Schema, value: string, pointer: string, walk: Walk): void {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = schema;
  if (value.length < minLength) report(walk, pointer, "must not be empty");
  // JSON Schema counts characters, not UTF-16 units.
  else if (value.length > maxLength && [...value].length > maxLength)
    report(walk, pointer, `must have at most ${maxLength} characters, got ${[...value].length}`);
  else if (pattern !== undefined && !expression(pattern).test(value))
    report(walk, pointer, `must match ${pattern}, got ${shown(value)}`);
  if (format !== "template" && format !== "regex") return;
  const marks = walk.marks.get(walk.block);
  if (marks === undefined) walk.marks.set(walk.block, [{ pointer, text: value, format }]);
  else marks.push({ pointer, text: value, format });
}

const expressions = new Map<string, RegExp>();
function expression(pattern: string): RegExp {
  const known = expressions.get(pattern) ?? new RegExp(pattern, "u");
  expressions.set(pattern, known);
  return known;
}

function visitNumber(schema: Schema, value: number, pointer: string, walk: Walk): void {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema;
  if (value < minimum || value > maximum)
    report(walk, pointer, `must be ${typeWords(schema)}, got ${shown(value)}`);
}

function visitList(schema: Schema, value: unknown[], pointer: string, walk: Walk): void {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, items } = schema;
  if (value.length < minItems) report(walk, pointer, `must have at least ${minItems} item, got none`);
  if (value.length > maxItems)
    report(walk, pointer, `must have at most ${maxItems} items, got ${value.length}`);
  if (schema.uniqueItems === true && new Set(value).size < value.length)
    report(walk, pointer, "must not have the same item twice");
  if (items === undefined) return;
  for (const [index, item] of value.entries()) visit(items, item, `${pointer}/${index}`, walk);
}

function visitObject(schema: Schema, value: Record<string, unknown>, pointer: string, walk: Walk): void {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const { node, block } = walk;
  if (properties.kind !== undefined) {
    walk.node = nodeOf(value);
    walk.block = value;
  }
  for (const name of required)
    if (value[name] === undefined) report(walk, pointer, `required property "${name}" is missing`);
  for (const [name, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const below = `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) visit(property, item, below, walk);
    else if (typeof additionalProperties === "object") {
      if (propertyNames !== undefined) visit(propertyNames, name, below, walk);
      visit(additionalProperties, item, below, walk);
    } else if (walk.lenient) walk.unknownKeys.push(below);
    else report(walk, pointer, `unknown property "${name}"; known are ${Object.keys(properties).join(", ")}`);
  }
  walk.node = node;
  walk.block = block;
}

function nodeOf(value: Record<string, unknown>): Problem["node"] {
  const { id, kind } = value;
  return typeof id === "string" && typeof kind === "string" ? { id, kind } : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isOfType(type: string | undefined, value: unknown): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number" && Number.isFinite(value);
    case "array":
      return Array.isArray(value);
    case "object":
      return isRecord(value);
    case "null":
      return value === null;
    default:
      return typeof value === type;
  }
}

function typeWords({ type, minimum, maximum }: Schema): string {
  const range = minimum === undefined || maximum === undefined ? "" : ` from ${minimum} to ${maximum}`;
  if (type === "integer") return `an integer${range}`;
  if (type === "number") return `a number${range}`;
  if (type === "string") return "a text";
  if (type === "boolean") return "true or false";
  if (type === "array") return "an array";
  return type === "null" ? "null" : "an object";
}

function oneOf(values: readonly unknown[]): string {
  const words = values.map((value) => JSON.stringify(value));
  return words.length === 1 ? String(words[0]) : `one of ${words.join(", ")}`;
}

export function shown(value: unknown): string {
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
