/** Reads the manifest of an unpacked extension. */
import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Manifest {
  id: string;
  name: string;
  version: string;
  changesProxy: boolean;
}

const bytesMax = 1024 * 1024;

/** Or why Chromium would not load it, as words after the directory's name. Throws nothing. */
export function manifestIn(dir: string): Manifest | string {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true) return "is no directory, or is gone";
  const manifest = objectIn(join(dir, "manifest.json"));
  if (typeof manifest === "string") return `has a manifest.json that ${manifest}`;
  const { manifest_version: form, name, version, key } = manifest;
  if (form !== 3) return `has manifest_version ${JSON.stringify(form)}, and must have 3`;
  if (typeof name !== "string" || typeof version !== "string") return "has no name or no version";
  return {
    id: idFrom(typeof key === "string" ? Buffer.from(key, "base64") : dir),
    name: shownName(dir, name, manifest.default_locale),
    version,
    changesProxy: [manifest.permissions, manifest.optional_permissions].flat().includes("proxy"),
  };
}

/** Chromium's: the first 128 bits of a SHA-256, in the letters a to p. */
function idFrom(source: Buffer | string): string {
  const digits = createHash("sha256").update(source).digest("hex").slice(0, 32);
  return [...digits].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 16))).join("");
}

/** `__MSG_key__` stands for a text in the default locale. */
function shownName(dir: string, name: string, locale: unknown): string {
  const key = /^__MSG_(\w+)__$/.exec(name)?.[1]?.toLowerCase();
  if (key === undefined || typeof locale !== "string" || !/^\w+$/.test(locale)) return name;
  const messages = Object.entries(Object(objectIn(join(dir, "_locales", locale, "messages.json"))));
  const found: unknown = Object(messages.find(([one]) => one.toLowerCase() === key)?.[1]).message;
  return typeof found === "string" ? found : name;
}

/** Or why there is none. Chromium allows comments. */
function objectIn(file: string): Record<string, unknown> | string {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isFile() !== true) return "is missing";
  if (found.size > bytesMax) return `has more than ${bytesMax} bytes`;
  try {
    const text = readFileSync(file, "utf8").replace(/^\ufeff/, "");
    const bare = text.replace(
      /("(?:\\.|[^"\\])*")|\/\/.*|\/\*[\s\S]*?\*\//g,
      (_whole, quoted = "") => quoted,
    );
    const read: unknown = JSON.parse(bare);
    if (typeof read === "object" && read !== null && !Array.isArray(read)) return { ...read };
    return "is no JSON object";
  } catch (error) {
    return error instanceof SyntaxError ? `is not valid JSON: ${error.message}` : "cannot be read";
  }
}
