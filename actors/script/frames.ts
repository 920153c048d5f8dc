/**
 * The wire between a runner and its owner: frames on a pipe, fd 3 of the runner.
 *
 * Not Node's own IPC channel: that one parses whatever a hostile process writes before anyone can ask how long it is, and
 * would wrap every CDP message in a second layer of JSON.
 */
import type { Writable } from "node:stream";

/** `cdp`: one CDP message, as text. `control`: one JSON message of `messages.ts`. */
export type FrameKind = "cdp" | "control";

const headBytes = 5;
const kindBytes = { cdp: 0x63, control: 0x6a } as const;

/** One frame: length of the text in bytes (4, big-endian), kind (1), text in UTF-8. */
export function encodeFrame(kind: FrameKind, text: string): Buffer {
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(headBytes + length);
  frame.writeUInt32BE(length, 0);
  frame.writeUInt8(kindBytes[kind], 4);
  frame.write(text, headBytes);
  return frame;
}

/** What is written to `pipe` before this turn of the event loop ends goes out in one piece: each write wakes the reader. */
export function untilTurnEnds(pipe: Writable): void {
  if (pipe.writableCorked > 0) return;
  pipe.cork();
  process.nextTick(() => pipe.uncork());
}

/** Puts chunks together to frames; throws a RangeError at a frame that is too long or of no known kind. */
export class FrameReader {
  readonly #bytesMax: number;
  readonly #onFrame: (kind: FrameKind, text: string) => void;
  #chunks: Buffer[] = [];
  #held = 0;

  constructor(bytesMax: number, onFrame: (kind: FrameKind, text: string) => void) {
    this.#bytesMax = bytesMax;
    this.#onFrame = onFrame;
  }

  /** Takes what was read and calls back for each frame that is whole. */
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
      if (kind === kindBytes.cdp) this.#onFrame("cdp", text);
      else if (kind === kindBytes.control) this.#onFrame("control", text);
      else throw new RangeError(`a message of unknown kind ${kind}`);
    }
  }

  /** The held bytes with at least the first `bytes` in one buffer, joined only when they are not yet. */
  #joined(bytes: number): Buffer {
    const first = this.#chunks[0] ?? Buffer.alloc(0);
    if (first.length >= bytes) return first;
    const all = Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}
