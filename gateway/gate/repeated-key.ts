/** Finds a key that an object of JSON text has twice: a parser takes the last one silently, and another reader may take the first. */
import { colon, quote, stringEnd } from "../../protocol/json-bounds.ts";

const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The first such key, or null. Leaves invalid JSON to the parser. `jsonExcess` bounds depth and keys. */
export function repeatedKey(bytes: Buffer): string | null {
  /** The keys of each open object so far; null for an array. */
  const open: (Set<string> | null)[] = [];
  let last: readonly [from: number, to: number] = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      const from = at;
      at = stringEnd(bytes, at + 1);
      last = [from, at + 1];
    } else if (byte === openBrace) open.push(new Set());
    else if (byte === openBracket) open.push(null);
    else if (byte === closeBrace || byte === closeBracket) open.pop();
    else if (byte === colon) {
      const keys = open.at(-1);
      const key = keyAt(bytes, ...last);
      if (key === null || keys === null || keys === undefined) continue;
      if (keys.has(key)) return key;
      keys.add(key);
    }
  }
  return null;
}

function keyAt(bytes: Buffer, from: number, to: number): string | null {
  try {
    return String(JSON.parse(bytes.toString("utf8", from, to)));
  } catch {
    return null; // The text is no JSON.
  }
}
