/** The text of a 400: names the field, what it must be, and what came (gateway/README.md, "Order of checks"). */
import { resolved, type Schema, schemas } from "../schemas.ts";

interface CheckError {
  path: string;
  expected: string;
  value?: unknown;
}

const shownCharsMax = 80;

/** Explains the first error of a failed check of the shape `shape`, as in `count must be an integer from 1 to 50, got 51`. */
export function explain(shape: string, errors: readonly CheckError[], value: object): string {
  const error = strayKey(shape, value) ?? mostTelling(errors);
  if (error === undefined) return "the request does not have the expected shape";
  const steps = stepsOf(error.path);
  const field = fieldName(steps);
  const { known, schema, secret } = locate(schemas[shape] ?? {}, steps);
  if (!known) {
    const names = Object.keys(schemas[shape]?.properties ?? {});
    const allowed = names.length === 0 ? "none is allowed" : `known keys are ${names.join(", ")}`;
    return `unknown key ${field}; ${allowed}`;
  }
  if (secret && error.value !== undefined)
    return `${field} must be ${mustBe(schema)}; what came is not shown, as it may hold a password`;
  if (error.value === undefined) return `${field} is required and must be ${mustBe(schema)}`;
  return `${field} must be ${mustBe(schema)}, got ${shown(error.value)}`;
}

/** typia does not look for unknown keys when their number happens to make up for that of missing ones. */
function strayKey(shape: string, value: object): CheckError | undefined {
  const known = schemas[shape]?.properties ?? {};
  const key = Object.keys(value).find((name) => !Object.hasOwn(known, name));
  return key === undefined ? undefined : { path: `$input[${JSON.stringify(key)}]`, expected: "undefined" };
}

/** An unknown key says most: a misspelt name is also a missing one. */
function mostTelling(errors: readonly CheckError[]): CheckError | undefined {
  return errors.find((error) => error.expected === "undefined") ?? errors[0];
}

function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const match of path.matchAll(/\.([A-Za-z_$][\w$]*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]/g)) {
    if (match[1] !== undefined) steps.push(match[1]);
    else if (match[2] !== undefined) steps.push(Number(match[2]));
    else if (match[3] !== undefined) steps.push(JSON.parse(`"${match[3]}"`));
  }
  return steps;
}

function fieldName(steps: (string | number)[]): string {
  if (steps.length === 0) return "the body";
  return steps
    .map((step, index) => (typeof step === "number" ? `[${step}]` : index === 0 ? step : `.${step}`))
    .join("");
}

/** The schema that stands at the end of `steps`; `known` is false when a step names no property. */
function locate(
  root: Schema,
  steps: (string | number)[],
): { known: boolean; schema: Schema; secret: boolean } {
  let schema = resolved(root);
  let secret = false;
  for (const step of steps) {
    const next: Schema | boolean | undefined =
      typeof step === "number"
        ? schema.items
        : schema.properties !== undefined && step in schema.properties
          ? schema.properties[step]
          : schema.additionalProperties;
    if (next === undefined || typeof next === "boolean") return { known: false, schema, secret };
    schema = resolved(next);
    secret ||= schema.writeOnly === true;
  }
  return { known: true, schema, secret };
}

function mustBe(schema: Schema): string {
  if (schema.enum !== undefined) return `one of ${schema.enum.join(", ")}`;
  if (schema.format === "uuid") return "a uuid";
  if (schema.format === "date-time") return "an RFC 3339 date and time with offset";
  if (schema.type === "integer" || schema.type === "number") return `an integer${range(schema)}`;
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

/** The value as JSON, cut short: a body may be megabytes. */
function shown(value: unknown): string {
  if (Array.isArray(value) && value.length === 0) return "an empty array";
  const text = JSON.stringify(value) ?? String(value);
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}
