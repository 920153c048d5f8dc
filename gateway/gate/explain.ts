/** The text of a 400: the field, what it must be, and what came (gateway/README.md, "Order of checks"). */
import { resolved, type Schema, schemas } from "../schemas.ts";

export interface CheckError {
  path: string;
  value: unknown;
}

/** A key of an object, or an index of an array. */
export type Step = string | number;

const shownCharsMax = 80;
/** A longer path contains a very long key and is not parsed. */
const pathCharsMax = 2_000;

/** Such as `count must be an integer from 1 to 50, got 51`. */
export function explain(shape: string, error: CheckError, value: object): string {
  const root = schemas[shape] ?? {};
  const failed = error.path.length > pathCharsMax ? [] : stepsOf(error.path);
  const steps = strayKey(root, [], value) ?? strayKey(root, failed.slice(0, -1), value) ?? failed;
  const field = fieldName(steps);
  const { known, schema, secret } = locate(root, steps);
  if (!known) {
    const names = Object.keys(objectOf(schema)?.properties ?? {});
    const allowed = names.length === 0 ? "none is allowed" : `known keys are ${names.join(", ")}`;
    return `unknown key ${field}; ${allowed}`;
  }
  if (secret && error.value !== undefined)
    return `${field} must be ${mustBe(schema)}; the value is not shown because it may contain a password`;
  if (error.value === undefined) return `${field} is required and must be ${mustBe(schema)}`;
  return `${field} must be ${mustBe(bounded(schema, error.value))}, got ${shown(error.value)}`;
}

/** The steps to an unknown key of the object at `steps`. Reported first, because a misspelt name is also a missing one. */
function strayKey(root: Schema, steps: Step[], value: object): Step[] | undefined {
  const { schema } = locate(root, steps);
  const { properties: known, additionalProperties } = objectOf(schema) ?? {};
  if (known === undefined || additionalProperties !== false) return undefined;
  const place = steps.reduce<object>((at, step) => Object(Reflect.get(at, step)), value);
  const key = Object.keys(place).find((name) => !Object.hasOwn(known, name));
  return key === undefined ? undefined : [...steps, key];
}

function stepsOf(path: string): Step[] {
  const steps: Step[] = [];
  for (const match of path.matchAll(/\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/g)) {
    if (match[1] !== undefined) steps.push(match[1]);
    else if (match[2] !== undefined) steps.push(Number(match[2]));
    else if (match[3] !== undefined) steps.push(JSON.parse(`"${match[3]}"`));
  }
  return steps;
}

/** Such as `tags[2]`, cut where a key is long. */
export function fieldName(steps: Step[]): string {
  if (steps.length === 0) return "the body";
  return steps
    .map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`))
    .map((part) => cut(part))
    .join("");
}

function locate(root: Schema, steps: Step[]): { known: boolean; schema: Schema; secret: boolean } {
  let schema = resolved(root);
  let secret = false;
  for (const step of steps) {
    const next = branchesOf(schema)
      .map((branch) => below(branch, step))
      .find((one) => typeof one === "object");
    if (next === undefined) return { known: false, schema, secret };
    schema = resolved(next);
    secret ||= branchesOf(schema).some((branch) => branch.writeOnly === true);
  }
  return { known: true, schema, secret };
}

/** Of a choice, such as a string or null. */
function branchesOf(schema: Schema): Schema[] {
  return [schema, ...(schema.oneOf ?? []).map(resolved)];
}

function objectOf(schema: Schema): Schema | undefined {
  return branchesOf(schema).find(({ properties }) => properties !== undefined);
}

function below(
  { items, properties, additionalProperties }: Schema,
  step: Step,
): Schema | boolean | undefined {
  if (typeof step === "number") return items;
  return properties !== undefined && Object.hasOwn(properties, step)
    ? properties[step]
    : additionalProperties;
}

/** The largest integer of the wire, which JSON Schema does not show. */
export const countMax = 2 ** 32 - 1;

function bounded(schema: Schema, value: unknown): Schema {
  const isBeyond = schema.type === "integer" && typeof value === "number" && value > countMax;
  return isBeyond ? { maximum: countMax, ...schema } : schema;
}

function mustBe(schema: Schema): string {
  if (schema.oneOf !== undefined) return schema.oneOf.map(resolved).map(mustBe).reverse().join(", or ");
  if (schema.type === "null") return "null";
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
  if (schema.format === "uuid") return "a uuid";
  if (schema.format === "date-time") return "an RFC 3339 date and time with offset";
  if (schema.type === "integer") return `an integer${range(schema)}`;
  if (schema.type === "number") return `a number${range(schema)}`;
  if (schema.type === "string") return stringRule(schema);
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "array") return arrayRule(schema);
  if (schema.type === "object") {
    const values = schema.additionalProperties;
    return typeof values === "object" && Object.keys(values).length > 0
      ? `an object whose values are each ${mustBe(resolved(values))}`
      : "an object";
  }
  return "of another type";
}

function range({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
}

function stringRule({ minLength, maxLength }: Schema): string {
  const least = minLength !== undefined && minLength > 0 ? "a non-empty string" : "a string";
  return maxLength === undefined ? least : `${least} of at most ${maxLength} characters`;
}

function arrayRule({ items, minItems, maxItems }: Schema): string {
  const what = items === undefined ? "" : ` of items that are each ${mustBe(resolved(items))}`;
  const least =
    minItems !== undefined && minItems > 0 ? `an array with at least ${minItems} item` : "an array";
  return `${least}${maxItems === undefined ? "" : `, at most ${maxItems},`}${what}`;
}

/** Cuts the value before it is serialized: a body may be megabytes. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "an empty array" : `an array of ${value.length}`;
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "number") return String(value);
  return JSON.stringify(typeof value === "string" ? cut(value) : value) ?? String(value);
}

function cut(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}
