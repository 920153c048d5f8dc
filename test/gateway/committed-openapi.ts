/** The committed OpenAPI document. Run it (`npm run openapi`) to write it from the routes. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openapiDocument } from "../../gateway/openapi.ts";
import { routes } from "../../gateway/routes/all.ts";

const file = new URL("../../protocol/openapi.json", import.meta.url);
/** The served document has the port of its service. */
const anyService = "http://127.0.0.1";

export function committedDocument(): unknown {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** A served document without the address of its service. */
export function withoutPort<Document extends object>(document: Document): object {
  return { ...document, servers: [{ url: anyService, description: "This machine" }] };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** JSON Pointer of the first value that differs; null when all are equal. Names of an object have no order. */
export function firstDifference(one: unknown, other: unknown, at = ""): string | null {
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other))
    return Object.is(one, other) ? null : at;
  for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
    const below = `${at}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const found = firstDifference(one[name], other[name], below);
    if (found !== null) return found;
  }
  return null;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(file, `${JSON.stringify(openapiDocument(routes, anyService), null, 2)}\n`);
}
