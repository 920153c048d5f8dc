/** Checks path, query and body against the shapes of the route (gateway/README.md, "Order of checks" 6). */
import { Fault } from "../../protocol/faults.ts";
import { verbShapeChecks } from "../../protocol/generated/verbs.ts";
import { requestChecks } from "../../protocol/generated/wire.ts";
import { refuseUnseenName } from "../../protocol/names.ts";
import type { Route, ShapeName } from "../route.ts";
import { resolved, schemas } from "../schemas.ts";
import { type CheckError, explain } from "./explain.ts";

const checks = { ...requestChecks, ...verbShapeChecks };

/** Throws `invalid`. Without a shape only `{}` passes. */
export function checked(shape: ShapeName | null, value: object, what: string): unknown {
  if (shape === null) {
    const key = Object.keys(value)[0];
    if (key !== undefined)
      throw new Fault("invalid", `unknown key ${key.slice(0, 80)}; this call takes no ${what}`);
    return value;
  }
  try {
    return checks[shape](value);
  } catch (error) {
    throw new Fault("invalid", explain(shape, breachOf(error), value));
  }
}

/** Rethrows what is not typia's error. */
function breachOf(error: unknown): CheckError {
  if (error instanceof Error && "path" in error && "value" in error && typeof error.path === "string")
    return { path: error.path, value: error.value };
  throw error;
}

/** The id in lower case, as every actor knows it. Throws `invalid` for a path whose id is not a uuid. */
export function checkParams(route: Route, params: Record<string, string | undefined>): unknown {
  checked(route.params, params, "path parameters");
  return params.id === undefined ? params : { ...params, id: params.id.toLowerCase() };
}

/** Converts integers and booleans as the schema says. Throws `invalid`. */
export function queryValues(route: Route, query: URLSearchParams): Record<string, unknown> {
  const properties = route.query === null ? {} : (schemas[route.query]?.properties ?? {});
  const values = new Map<string, unknown>();
  for (const [key, text] of query) {
    if (values.has(key)) throw new Fault("invalid", `${key.slice(0, 80)} is given twice in the query`);
    const schema = Object.hasOwn(properties, key) ? properties[key] : undefined;
    values.set(key, schema === undefined ? text : queryValue(resolved(schema).type, text));
  }
  return Object.fromEntries(values); // Assigning `__proto__` would lose it.
}

/** Throws `invalid`. */
export function checkQuery(route: Route, values: Record<string, unknown>): unknown {
  return checked(route.query, values, "query parameters");
}

/** Leaves text of another type for the check to refuse. */
function queryValue(type: unknown, text: string): unknown {
  if (type === "integer" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (type === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Throws `invalid` when the body is missing or does not fit. */
export function checkBody(route: Route, body: object | undefined): unknown {
  if (body === undefined && route.body !== null && route.bodyOptional !== true) {
    const fields = schemas[route.body]?.required ?? [];
    throw new Fault(
      "invalid",
      `a JSON body is required${fields.length > 0 ? `, with ${fields.join(", ")}` : ""}`,
    );
  }
  const given = checked(route.body, body ?? {}, "body");
  if (body !== undefined) refuseUnseenName(body);
  return given;
}
