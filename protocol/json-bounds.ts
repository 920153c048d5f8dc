/** How deep a text of JSON is and how many keys it has, counted before anybody parses it. */
import { limits } from "./limits.ts";

const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
/** A bracket and a brace differ in this bit alone. */
const braceBit = 0x20;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * What of the limits the text of JSON breaks, as the end of a sentence about it; null when it keeps them. One pass over the
 * bytes: what is no JSON is for the parser to refuse.
 */
export function jsonExcess(bytes: Uint8Array): string | null {
  if (bytes.length <= limits.jsonLevelsMax) return null;
  let levels = 0;
  let keys = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) at = stringEnd(bytes, at + 1);
    else if (byte === colon) keys += 1;
    else if ((byte | braceBit) === openBrace) levels += 1;
    else if ((byte | braceBit) === closeBrace) levels -= 1;
    if (levels > limits.jsonLevelsMax) return `may be at most ${limits.jsonLevelsMax} levels deep`;
    if (keys > limits.jsonKeysMax) return `may have at most ${limits.jsonKeysMax} keys`;
  }
  return null;
}

/** Where the string ends whose first character stands at `from`. */
function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
