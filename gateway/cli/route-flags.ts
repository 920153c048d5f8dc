/** The flags of a route's command: one per field of its query and body. */
import type { Route } from "../route.ts";
import { resolved, type Schema, schemas } from "../schemas.ts";
import { kebab } from "./route-names.ts";

/** list: strings; map: NAME=VALUE; json: an object; records: an array of objects. These four also take `@FILE` and `-` (stdin). either: text or a JSON object. */
export type FlagKind = "text" | "either" | "integer" | "boolean" | "list" | "map" | "json" | "records";

export interface Flag {
  key: string;
  part: "query" | "body";
  name: string;
  kind: FlagKind;
  required: boolean;
  /** The word null stands for null. */
  nullable: boolean;
  choices: string[];
  /** May contain a password, so it is not split at commas. */
  secret: boolean;
  description: string;
}

export function flagsOf(route: Route): Flag[] {
  return (["query", "body"] as const).flatMap((part) => {
    const shape = route[part] === null ? undefined : schemas[route[part]];
    return Object.entries(shape?.properties ?? {}).map(([key, property]) =>
      flagOf(part, key, property, shape?.required?.includes(key) ?? false),
    );
  });
}

function flagOf(part: Flag["part"], key: string, property: Schema, required: boolean): Flag {
  const branches = property.oneOf?.map(resolved) ?? [resolved(property)];
  const given = branches.filter(({ type }) => type !== "null");
  const [only = {}] = given;
  const schema = { ...only, description: property.description ?? only.description ?? "" };
  const kind = given.length > 1 ? "either" : kindOf(schema);
  return {
    key,
    part,
    name: kebab(key),
    kind,
    required,
    nullable: given.length < branches.length,
    choices: (schema.enum ?? []).filter((value) => typeof value === "string"),
    secret: schema.writeOnly === true,
    description: descriptionOf(schema, kind, required),
  };
}

function kindOf(schema: Schema): FlagKind {
  if (schema.type === "boolean") return "boolean";
  if (schema.type === "integer" || schema.type === "number") return "integer";
  if (schema.type === "array") {
    const { type } = resolved(schema.items ?? {});
    return type === "object" || type === undefined ? "records" : "list";
  }
  if (schema.type !== "object") return "text";
  const values = schema.additionalProperties;
  return typeof values === "object" && values.type === "string" ? "map" : "json";
}

export function placeholderOf({ kind, name }: Flag): string {
  if (kind === "integer") return "<n>";
  if (kind === "map") return "<name=value>";
  if (kind === "json" || kind === "records") return "<json>";
  if (name.endsWith("-id")) return "<id>";
  if (kind === "list") return name.endsWith("-ids") ? "<ids>" : "<values>";
  return "<text>";
}

const forms: Record<FlagKind, string> = {
  text: "",
  either: "also a JSON object",
  integer: "",
  boolean: "",
  list: "comma-separated or repeated; also a JSON array, @FILE or - (stdin) with one per line",
  map: "may be repeated; also a JSON object, @FILE or - (stdin)",
  json: "JSON, @FILE or - (stdin)",
  records: "a JSON array, @FILE (.json or .csv) or - (stdin)",
};

function descriptionOf(schema: Schema, kind: FlagKind, required: boolean): string {
  const said = schema.description?.replace(/\s+/g, " ").trim() ?? "";
  const form =
    schema.writeOnly === true && kind === "list"
      ? "may be repeated; @FILE or - (stdin) with one per line"
      : forms[kind];
  const notes = [required ? "required" : "", rangeOf(schema), form].filter((note) => note !== "");
  return `${said}${said === "" ? "" : " "}${notes.length === 0 ? "" : `(${notes.join("; ")})`}`.trim();
}

/** The help does not mention a maximum from here on. */
const hugeBound = 2_147_483;

function rangeOf({ minimum, maximum }: Schema): string {
  if (minimum === undefined) return "";
  return maximum === undefined || maximum >= hugeBound ? `at least ${minimum}` : `${minimum} to ${maximum}`;
}
