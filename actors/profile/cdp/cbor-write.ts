/** Encodes messages for the debugging pipe, in the format of `cbor.ts`. */
import { limits } from "../../../protocol/limits.ts";
import { kinds, marks, NotAMessage } from "./cbor.ts";

/** The bytes of a message, without undefined fields. Throws NotAMessage when it is nested too deeply. */
export function encode(message: object): Buffer {
  const writer = new Writer();
  writer.value(message);
  return writer.written();
}

const surrogate = /\p{Surrogate}/u;
const mostBytesOfHead = 9;
const int32Min = -(2 ** 31);
const int32Max = 2 ** 31 - 1;

class Writer {
  #bytes = Buffer.allocUnsafe(512);
  #at = 0;
  #levels = 0;

  written(): Buffer {
    return this.#bytes.subarray(0, this.#at);
  }

  value(value: unknown): void {
    if (typeof value === "string") this.#string(value);
    else if (typeof value === "number") this.#number(value);
    else if (typeof value === "boolean") this.#byte(value ? marks.trueByte : marks.falseByte);
    else if (typeof value === "object" && value !== null) this.#envelope(value);
    else this.#byte(marks.nullByte); // As in a JSON array.
  }

  #envelope(value: object): void {
    this.#levels += 1;
    if (this.#levels > limits.cdpCommandLevelsMax)
      throw new NotAMessage(`the message is nested more than ${limits.cdpCommandLevelsMax} levels deep`);
    this.#room(marks.envelopeHead);
    const start = this.#at;
    this.#at += marks.envelopeHead;
    if (Array.isArray(value)) {
      this.#byte(marks.arrayStart);
      for (const one of value) this.value(one);
    } else {
      this.#byte(marks.mapStart);
      for (const [name, one] of Object.entries(value)) {
        if (one === undefined) continue;
        this.#string(name);
        this.value(one);
      }
    }
    this.#byte(marks.stop);
    this.#bytes[start] = marks.envelopeTag;
    this.#bytes[start + 1] = marks.envelopeKind;
    this.#bytes[start + 2] = marks.envelopeLength;
    this.#bytes.writeUInt32BE(this.#at - start - marks.envelopeHead, start + 3);
    this.#levels -= 1;
  }

  #number(value: number): void {
    if (!Number.isFinite(value))
      this.#byte(marks.nullByte); // As in JSON.
    else if (Number.isInteger(value) && value >= int32Min && value <= int32Max) {
      this.#head(value < 0 ? kinds.negative : kinds.unsigned, value < 0 ? -1 - value : value);
    } else {
      this.#byte(marks.doubleByte);
      this.#room(8);
      this.#at = this.#bytes.writeDoubleBE(value, this.#at);
    }
  }

  #string(text: string): void {
    const length = Buffer.byteLength(text);
    if (length !== text.length && surrogate.test(text)) {
      // A lone surrogate has no UTF-8 form.
      this.#head(kinds.wide, text.length * 2);
      this.#room(text.length * 2);
      this.#at += this.#bytes.write(text, this.#at, "utf16le");
      return;
    }
    this.#head(kinds.text, length);
    this.#room(length);
    this.#at += this.#bytes.write(text, this.#at, "utf8");
  }

  #head(kind: number, length: number): void {
    this.#room(mostBytesOfHead);
    const bytes = this.#bytes;
    const width = length < 24 ? 0 : length < 2 ** 8 ? 1 : length < 2 ** 16 ? 2 : 4;
    bytes[this.#at] = (kind << 5) | (width === 0 ? length : 24 + Math.log2(width));
    this.#at += 1;
    if (width > 0) this.#at = bytes.writeUIntBE(length, this.#at, width);
  }

  #byte(byte: number): void {
    this.#room(1);
    this.#bytes[this.#at] = byte;
    this.#at += 1;
  }

  #room(bytes: number): void {
    const needed = this.#at + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}
