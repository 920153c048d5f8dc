/** Packets on the pipe (fd 3) between a runner and its owner. Node's IPC channel would parse any length from a hostile process. */
import type { Writable } from "node:stream";

/** `cdp`: one CDP message as text. `control`: one JSON message of `messages.ts`. */
export type PacketKind = "cdp" | "control";

const headBytes = 5;
const kindBytes = { cdp: 0x63, control: 0x6a } as const;

/** One packet: text length in bytes (4, big-endian), kind (1), text in UTF-8. */
export function encodePacket(kind: PacketKind, text: string): Buffer {
  const length = Buffer.byteLength(text);
  const packet = Buffer.allocUnsafe(headBytes + length);
  packet.writeUInt32BE(length, 0);
  packet.writeUInt8(kindBytes[kind], 4);
  packet.write(text, headBytes);
  return packet;
}

/** Combines all writes to `pipe` in this turn of the event loop into one, since each write wakes the reader. */
export function untilTurnEnds(pipe: Writable): void {
  if (pipe.writableCorked > 0) return;
  pipe.cork();
  process.nextTick(() => pipe.uncork());
}

/** Joins chunks into packets. Throws a RangeError for a packet that is too long or of unknown kind. */
export class PacketReader {
  readonly #bytesMax: number;
  readonly #onPacket: (kind: PacketKind, text: string) => void;
  #chunks: Buffer[] = [];
  #held = 0;

  constructor(bytesMax: number, onPacket: (kind: PacketKind, text: string) => void) {
    this.#bytesMax = bytesMax;
    this.#onPacket = onPacket;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    while (this.#held >= headBytes) {
      const head = this.#joined(headBytes);
      const length = head.readUInt32BE(0);
      if (length > this.#bytesMax) throw new RangeError(`a message of ${length} bytes`);
      if (this.#held < headBytes + length) return;
      const whole = this.#joined(headBytes + length);
      const kind = whole.readUInt8(4);
      const text = whole.toString("utf8", headBytes, headBytes + length);
      const rest = whole.subarray(headBytes + length);
      this.#chunks = [rest, ...this.#chunks.slice(1)];
      this.#held -= headBytes + length;
      if (kind === kindBytes.cdp) this.#onPacket("cdp", text);
      else if (kind === kindBytes.control) this.#onPacket("control", text);
      else throw new RangeError(`a message of unknown kind ${kind}`);
    }
  }

  #joined(bytes: number): Buffer {
    const first = this.#chunks[0] ?? Buffer.alloc(0);
    if (first.length >= bytes) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}
