/** Finds half a surrogate pair in JSON text: UTF-8 cannot hold it, so storing it would change a name or a key. */
import { fieldName } from "./explain.ts";

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

const halfEscapes = ["\\ud", "\\uD"];

/** Where a string starts and ends, quotes included. */
type Span = readonly [from: number, to: number];
/** An index of an array, or the last key of an object. */
type Place = number | Span;

/** Names the field of the first half, as a sentence; null if there is none. Leaves invalid JSON to the parser. */
export function malformedText(bytes: Buffer): string | null {
  // Only an escape can write a half, and few bodies have one.
  return halfEscapes.some((text) => bytes.includes(text)) ? malformedIn(bytes) : null;
}

/** Parses nothing: a body may have millions of values. `jsonExcess` bounds its depth. */
function malformedIn(bytes: Buffer): string | null {
  const places: Place[] = [];
  let last: Span = [0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    const top = places.at(-1);
    if (byte === quote) {
      const { end, hasHalf } = stringFrom(bytes, at + 1);
      if (hasHalf) return sentence(bytes, places, end);
      last = [at, end + 1];
      at = end;
    } else if (byte === openBracket) places.push(0);
    else if (byte === openBrace) places.push([0, 0]);
    else if (byte === closeBracket || byte === closeBrace) places.pop();
    else if (byte === colon && top !== undefined) places[places.length - 1] = last;
    else if (byte === comma && typeof top === "number") places[places.length - 1] = top + 1;
  }
  return null;
}

/** `from` is the string's first character; `end` is its closing quote. */
function stringFrom(bytes: Buffer, from: number): { end: number; hasHalf: boolean } {
  let hasHalf = false;
  let at = from;
  while (at < bytes.length && bytes[at] !== quote) {
    const length = bytes[at] === backslash ? escapeLength(bytes, at) : 1;
    hasHalf ||= length === 0;
    at += length === 0 ? 2 : length;
  }
  return { end: at, hasHalf };
}

/** Bytes of the escape at the backslash, both halves of a pair; 0 for a lone half. */
function escapeLength(bytes: Buffer, at: number): number {
  const unit = unitAt(bytes, at);
  if (unit < 0xd800 || unit > 0xdfff) return 2;
  const next = unit < 0xdc00 ? unitAt(bytes, at + 6) : 0;
  return next >= 0xdc00 && next <= 0xdfff ? 12 : 0;
}

/** The code unit of an escape such as `\ud800`; 0 for anything else. */
function unitAt(bytes: Buffer, at: number): number {
  const text = bytes.toString("latin1", at, at + 6);
  return /^\\u[\da-f]{4}$/i.test(text) ? Number.parseInt(text.slice(2), 16) : 0;
}

function sentence(bytes: Buffer, places: readonly Place[], end: number): string | null {
  const isKey = /^\s*:/.test(bytes.toString("latin1", end + 1, end + 100));
  const to = isKey ? places.slice(0, -1) : places;
  try {
    const steps = to.map((place) =>
      typeof place === "number" ? place : String(JSON.parse(bytes.toString("utf8", ...place))),
    );
    const what = isKey ? "have keys that are" : "be";
    return `${fieldName(steps)} must ${what} well-formed Unicode, got half a surrogate pair`;
  } catch {
    return null; // The text is no JSON.
  }
}
