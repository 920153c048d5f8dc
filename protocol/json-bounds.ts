/** Counts the depth and keys of JSON text before it is parsed. */
import { limits } from "./limits.ts";

export const quote = 0x22;
export const colon = 0x3a;
const backslash = 0x5c;
const braceBit = 0x20;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The limit that the text breaks, as the end of a sentence, or null. Leaves invalid JSON to the parser. */
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

/** The index of the closing quote; `from` is the string's first character. */
export function stringEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}
