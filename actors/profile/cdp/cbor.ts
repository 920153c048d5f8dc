/**
 * The debugging pipe's binary form of the protocol's messages: the part of CBOR (RFC 8949) that Chromium's own codec (crdtp) writes
 * and reads. Every map and array stands in an envelope that says how long it is; so what nobody reads is stepped over unread.
 *
 * Chromium builds each message in this form, in the renderer as in the browser. For a client that speaks JSON its main thread turns it
 * into text, which takes longer than all that we do with it: an accessibility tree of 3,000 nodes came in 0.77 of the time.
 */

import { limits } from "../../../protocol/limits.ts";

/** The bytes that say what stands behind them. */
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
/** Three bits of a value's first byte; a wide text is UTF-16. */
export const kinds = { unsigned: 0, negative: 1, wide: 2, text: 3 } as const;
const { envelopeHead, envelopeTag, stop } = marks;

/** A value that has not been read yet. */
export interface Unread {
  bytes: Buffer;
  at: number;
}

/** A message that the browser writes, which has the protocol's own shape: an answer has an `id`, an event a `method`. */
export interface Incoming {
  id?: number;
  method?: string;
  params?: Unread;
  result?: Unread;
  error?: Unread;
  sessionId?: string;
}

/** Thrown for bytes that are no message of the protocol, and for messages that are nested too deep. */
export class NotAMessage extends Error {}

/** How long the message is that begins here, in bytes. Null while too little of it is there to tell. */
export function messageLength(bytes: Buffer): number | null {
  if (bytes.length < envelopeHead) return null;
  if (bytes[0] !== envelopeTag || bytes[1] !== marks.envelopeKind || bytes[2] !== marks.envelopeLength)
    throw new NotAMessage(`a message begins with the bytes ${bytes.toString("hex", 0, 3)}`);
  return envelopeHead + bytes.readUInt32BE(3);
}

/** The fields of a message; those that are maps unread. */
export function fieldsOf(bytes: Buffer): Incoming {
  return new Reader(bytes, 0, nothing).fields();
}

/** The value, but of no map in it the fields named in `unwanted`. Strings as they would be in JSON, binary data in base 64. */
export function read({ bytes, at }: Unread, unwanted: ReadonlySet<string> = nothing): unknown {
  return new Reader(bytes, at, unwanted).value();
}

/** The same, boxed; null when it is nested too deep, which a page can bring about. */
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

  /** The number behind a value's first byte, which it stands in when it is small. */
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

/** In a long message names and words come again and again: what was last read at each place of this table is compared before a string is made. */
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
  if (text.length === length) lately[place] = text; // A byte for each sign: it can be compared byte by byte.
  return text;
}

function isAt(text: string, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) !== bytes[start + at]) return false;
  return true;
}
