/** Random requests from the OpenAPI document's schemas: valid ones, and ones with a single error. */
import { randomUUID } from "node:crypto";

export type Random = () => number;

export interface MadeRequest {
  method: string;
  path: string;
  rawBody?: string;
}

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  minItems?: number;
  format?: string;
}
interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: Schema }[];
  requestBody?: { content: { "application/json": { schema: Schema } } };
}
export interface ApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const oddities: readonly unknown[] = [
  ...[null, true, false, -1, 0, 0.5, 1e308, -0, 2 ** 53, 2 ** 31, [], {}, [[[]]], [null], { "": null }],
  ...[
    "",
    " ",
    "\u0000",
    "\ud800",
    "💥",
    "__proto__",
    "constructor",
    "null",
    "-1",
    "1e9",
    "%00",
    "../../x",
    "a:b:c:d",
  ],
  ...["2026-02-30T00:00:00Z", "9999-12-31T23:59:59+99:99", "* * * * *", "61 25 32 13 8", "</script>", "{n}"],
  "x".repeat(70_000),
  Array(2_000).fill("x"),
  JSON.parse(`${"[".repeat(90)}${"]".repeat(90)}`),
  JSON.parse('{"__proto__":{"a":1},"toString":1,"hasOwnProperty":2}'),
];

export interface RequestMaker {
  next(): MadeRequest;
  arguments(): { id: string; values: Record<string, unknown> };
}

export function createRequestMaker(
  document: ApiDocument,
  random: Random,
  ids: readonly string[],
): RequestMaker {
  const pick = <Value>(from: readonly Value[]): Value => from[Math.floor(random() * from.length)] as Value;
  const chance = (share: number) => random() < share;
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
  const resolved = (schema: Schema): Schema => {
    const name = schema.$ref?.split("/").at(-1) ?? "";
    return document.components.schemas[name] ?? schema;
  };

  const text = ({ format, minLength = 0 }: Schema): string => {
    if (format === "uuid") return chance(0.7) ? pick(ids) : randomUUID();
    if (format === "date-time") return new Date(2e12 + random() * 1e12).toISOString();
    return `${"t".repeat(minLength)}${pick(["", "a", "shop", "export default async function run() {}", "127.0.0.1:9"])}`;
  };
  const count = ({ minimum = -3, maximum = 1e6 }: Schema): number =>
    chance(0.02) ? maximum : Math.min(maximum, minimum + Math.floor(random() * 3));
  const map = ({ properties = {}, required = [], additionalProperties }: Schema, depth: number) => {
    const value: Record<string, unknown> = {};
    for (const [key, schema] of Object.entries(properties))
      if (required.includes(key) || chance(0.4)) value[key] = fitting(schema, depth + 1);
    if (typeof additionalProperties === "object" && chance(0.7))
      value[pick(["a", "email", "dslVersion"])] = fitting(additionalProperties, depth + 1);
    return value;
  };
  const fitting = (given: Schema, depth = 0): unknown => {
    const schema = resolved(given);
    if (depth > 8) return null;
    if (schema.oneOf !== undefined) return fitting(pick(schema.oneOf), depth + 1);
    if (schema.enum !== undefined) return pick(schema.enum);
    if (schema.const !== undefined) return schema.const;
    if (schema.type === "string") return text(schema);
    if (schema.type === "integer" || schema.type === "number") return count(schema);
    if (schema.type === "boolean") return chance(0.5);
    if (schema.type === "array") {
      const length = (schema.minItems ?? 0) + Math.floor(random() * 3);
      return Array.from({ length }, () => fitting(schema.items ?? {}, depth + 1));
    }
    return schema.type === "object" || schema.properties !== undefined ? map(schema, depth) : pick(oddities);
  };

  const spoiled = (value: unknown): unknown => {
    if (typeof value !== "object" || value === null || chance(0.15)) return pick(oddities);
    if (Array.isArray(value)) return chance(0.5) ? [...value, pick(oddities)] : value.map(spoiled);
    const key = pick(Object.keys(value));
    if (key === undefined || chance(0.25))
      return { ...value, [pick(["colour", "__proto__x", "id"])]: pick(oddities) };
    const { [key]: old, ...rest }: Record<string, unknown> = { ...value };
    return chance(0.2) ? rest : { ...rest, [key]: spoiled(old) };
  };
  const rawOf = (value: unknown): string => {
    const whole = JSON.stringify(value) ?? "";
    if (chance(0.95)) return whole;
    return pick([
      whole.slice(0, -1),
      `${whole}x`,
      "",
      "null",
      "[]",
      `{"a":${"[".repeat(5_000)}`,
      "\ufeff{}",
      `[${whole}]`,
    ]);
  };
  const bodyOf = (operation: Operation): unknown => {
    const schema = operation.requestBody?.content["application/json"].schema;
    const body = schema === undefined ? {} : fitting(schema);
    return chance(0.5) ? body : spoiled(body);
  };
  const valueFor = (schema: Schema) => (chance(0.8) ? fitting(schema) : pick(oddities));
  const wordOf = (schema: Schema) => {
    const value = valueFor(schema);
    const word = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    return encodeURIComponent(word.slice(0, 3_000).replace(/[\ud800-\udfff]/g, ""));
  };

  return {
    next() {
      const { path, method, operation } = pick(operations);
      const parameters = operation.parameters ?? [];
      const filled = parameters
        .filter(({ in: place }) => place === "path")
        .reduce((at, { name, schema }) => at.replace(`{${name}}`, wordOf(schema)), path);
      const query = parameters
        .filter(({ in: place }) => place === "query" && chance(0.5))
        .map(({ name, schema }) => `${name}=${wordOf(schema)}`);
      const target = query.length === 0 ? filled : `${filled}?${query.join("&")}`;
      if (method === "GET") return { method, path: target };
      return { method, path: target, ...(chance(0.1) ? {} : { rawBody: rawOf(bodyOf(operation)) }) };
    },
    arguments() {
      const { operation } = pick(operations);
      const parameters = (operation.parameters ?? []).map(({ name, schema }) => [name, valueFor(schema)]);
      return {
        id: operation.operationId,
        values: { ...Object.fromEntries(parameters), ...Object(bodyOf(operation)) },
      };
    },
  };
}
