/** Binary messages of the debugging pipe: the part of CBOR (RFC 8949) that Chromium uses internally. JSON costs it a conversion. */

import { limits } from "../../../protocol/limits.ts";

export const marks = {
  envelopeHead: 7,
  envelopeTag: 0xd8,
  envelopeKind: 0x18,
  envelopeLength: 0x5a,
  mapStart: 0xbf,
  arrayStart: 0x9f,
  stop: 0xff,
  binaryTag: 0xd6,
  falseByte: 0xf4,
  trueByte: 0xf5,
  nullByte: 0xf6,
  doubleByte: 0xfb,
} as const;
/** The upper three bits of a value's first byte; `wide` is UTF-16 text. */
export const kinds = { unsigned: 0, negative: 1, wide: 2, text: 3 } as const;
const { envelopeHead, envelopeTag, stop } = marks;

/** A value that has not been decoded. */
export interface Unread {
  bytes: Buffer;
  at: number;
}

/** A message of the browser: a reply has an `id`, an event a `method`. */
export interface Incoming {
  id?: number;
  method?: string;
  params?: Unread;
  result?: Unread;
  error?: Unread;
  sessionId?: string;
}

/** Thrown for bytes that are no protocol message, and for messages nested too deeply. */
export class NotAMessage extends Error {}

/** Length in bytes of the message that begins here; null when too few bytes are there. */
export function messageLength(bytes: Buffer): number | null {
  if (bytes.length < envelopeHead) return null;
  if (bytes[0] !== envelopeTag || bytes[1] !== marks.envelopeKind || bytes[2] !== marks.envelopeLength)
    throw new NotAMessage(`a message begins with the bytes ${bytes.toString("hex", 0, 3)}`);
  return envelopeHead + bytes.readUInt32BE(3);
}

/** The fields of a message, with maps undecoded. */
export function fieldsOf(bytes: Buffer): Incoming {
  return new Reader(bytes, 0, nothing).fields();
}

/** Decodes a value without the fields named in `unwanted`, at any depth. Strings are as in JSON, binary data is base64. */
export function read({ bytes, at }: Unread, unwanted: ReadonlySet<string> = nothing): unknown {
  return new Reader(bytes, at, unwanted).value();
}

/** As `read`, in an object; null when the value is nested too deeply, which a page can cause. */
export function readable(unread: Unread, unwanted?: ReadonlySet<string>): { value: unknown } | null {
  try {
    return { value: read(unread, unwanted) };
  } catch (error) {
    if (error instanceof NotAMessage) return null;
    throw error;
  }
}

const nothing: ReadonlySet<string> = new Set<string>();

class Reader {
  readonly #bytes: Buffer;
  readonly #unwanted: ReadonlySet<string>;
  #at: number;
  #levels = 0;

  constructor(bytes: Buffer, at: number, unwanted: ReadonlySet<string>) {
    this.#bytes = bytes;
    this.#at = at;
    this.#unwanted = unwanted;
  }

  fields(): Record<string, unknown> {
    const bytes = this.#bytes;
    const found: Record<string, unknown> = {};
    this.#at += envelopeHead + 1;
    while (bytes[this.#at] !== stop) {
      const name = this.#string();
      if (bytes[this.#at] !== envelopeTag) found[name] = this.value();
      else {
        found[name] = { bytes, at: this.#at } satisfies Unread;
        this.#skip();
      }
    }
    return found;
  }

  value(): unknown {
    const bytes = this.#bytes;
    const first = bytes[this.#at] ?? stop;
    if (first === envelopeTag) {
      this.#at += envelopeHead;
      this.#levels += 1;
      if (this.#levels > limits.cdpAnswerLevelsMax)
        throw new NotAMessage(`the message is nested more than ${limits.cdpAnswerLevelsMax} levels deep`);
      const inside = bytes[this.#at++] === marks.mapStart ? this.#map() : this.#array();
      this.#levels -= 1;
      return inside;
    }
    const kind = first >> 5;
    if (kind === kinds.text || kind === kinds.wide) return this.#string();
    if (kind === kinds.unsigned) return this.#length();
    if (kind === kinds.negative) return -1 - this.#length();
    this.#at += 1;
    if (first === marks.trueByte || first === marks.falseByte) return first === marks.trueByte;
    if (first === marks.nullByte) return null;
    if (first === marks.doubleByte) {
      this.#at += 8;
      return bytes.readDoubleBE(this.#at - 8);
    }
    if (first === marks.binaryTag) {
      const length = this.#length();
      this.#at += length;
      return bytes.toString("base64", this.#at - length, this.#at);
    }
    throw new NotAMessage(`a value begins with the byte ${first.toString(16)}`);
  }

  #map(): Record<string, unknown> {
    const bytes = this.#bytes;
    const unwanted = this.#unwanted;
    const map: Record<string, unknown> = {};
    while (bytes[this.#at] !== stop) {
      const name = this.#string();
      if (unwanted.size > 0 && unwanted.has(name)) this.#skip();
      else if (name !== "__proto__") map[name] = this.value();
      else own(map, name, this.value());
    }
    this.#at += 1;
    return map;
  }

  #array(): unknown[] {
    const bytes = this.#bytes;
    const array: unknown[] = [];
    while (bytes[this.#at] !== stop) array.push(this.value());
    this.#at += 1;
    return array;
  }

  #skip(): void {
    if (this.#bytes[this.#at] === envelopeTag)
      this.#at += envelopeHead + this.#bytes.readUInt32BE(this.#at + 3);
    else this.value();
  }

  #length(): number {
    const bytes = this.#bytes;
    const size = (bytes[this.#at++] ?? 0) & 31;
    if (size < 24) return size;
    const width = 1 << (size - 24);
    if (width > 4) throw new NotAMessage("a number of 64 bits");
    this.#at += width;
    return bytes.readUIntBE(this.#at - width, width);
  }

  #string(): string {
    const bytes = this.#bytes;
    const wide = (bytes[this.#at] ?? 0) >> 5 === kinds.wide;
    const length = this.#length();
    const start = this.#at;
    this.#at += length;
    if (this.#at > bytes.length) throw new NotAMessage("a text is longer than its message");
    if (wide) return bytes.toString("utf16le", start, this.#at);
    return length <= shortChars && bytes.length > longBytes
      ? shortText(bytes, start, length)
      : bytes.toString("utf8", start, this.#at);
  }
}

function own(map: object, name: string, value: unknown): void {
  Object.defineProperty(map, name, { value, writable: true, enumerable: true, configurable: true });
}

/** Caches short strings of long messages, which repeat: comparing bytes is faster than creating a string. */
const longBytes = 8_192;
const shortChars = 24;
const places = 2048;
const lately: string[] = new Array<string>(places).fill("");

function shortText(bytes: Buffer, start: number, length: number): string {
  const end = start + length;
  let hash = length;
  for (let at = start; at < end; at += 1) hash = (Math.imul(hash, 31) + (bytes[at] ?? 0)) | 0;
  const place = (hash ^ (hash >>> 15)) & (places - 1);
  const last = lately[place] ?? "";
  if (last.length === length && isAt(last, bytes, start)) return last;
  const text = bytes.toString("utf8", start, end);
  if (text.length === length) lately[place] = text; // Only ASCII can be compared byte by byte.
  return text;
}

function isAt(text: string, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
