/** The debugging pipe: whole messages, each of which says how long it is, over the two extra descriptors of the browser. */
import type { Readable, Writable } from "node:stream";
import { messageLength, NotAMessage } from "./cbor.ts";
import { encode } from "./cbor-write.ts";

export interface Pipe {
  send(message: object): void;
  /** Goes out in one piece with what else is sent in this turn of the event loop: each write wakes the browser. */
  sendAtTurnEnd(message: object): void;
  /** What `work` sends goes out in one piece. */
  together<T>(work: () => T): T;
  /** Bytes that the browser has not read yet. */
  backlog(): number;
  /** Resolves when it has read them, or is gone. */
  drained(): Promise<void>;
  /** Lets go of both ends; the browser takes that as its order to exit. */
  close(): void;
}

export interface PipeHandlers {
  /** The bytes are its own only until it returns. */
  message(bytes: Buffer): void;
  /** Once, when the browser's end is gone or the stream broke. */
  closed(): void;
}

/** Of a wait until the browser has read. */
const ends = ["drain", "close", "error"];

/**
 * Frames `input` into messages and writes to `output`. Pieces of a long message are kept as they came and joined once, so
 * that a message of many megabytes costs its size and not its square.
 */
export function openPipe(output: Writable, input: Readable, handlers: PipeHandlers): Pipe {
  let pieces: Buffer[] = [];
  let held = 0;
  /** How much must be there before it is worth a look. */
  let enough = 0;
  let over = false;
  const onClosed = () => {
    if (over) return;
    over = true;
    pieces = [];
    handlers.closed();
  };
  const take = (chunk: Buffer) => {
    pieces.push(chunk);
    held += chunk.length;
    if (held < enough) return;
    let rest = pieces.length === 1 ? chunk : Buffer.concat(pieces);
    let length = messageLength(rest);
    while (length !== null && length <= rest.length && !over) {
      handlers.message(rest.subarray(0, length));
      rest = rest.subarray(length);
      length = messageLength(rest);
    }
    pieces = rest.length === 0 || over ? [] : [rest];
    held = rest.length;
    enough = length ?? 0;
  };
  const close = () => {
    onClosed();
    output.destroy();
    input.destroy();
  };
  input.on("data", (chunk: Buffer) => {
    try {
      take(chunk);
    } catch (error) {
      if (!(error instanceof NotAMessage)) throw error;
      close(); // Where the next message begins is no longer known.
    }
  });
  for (const event of ["end", "close", "error"]) input.on(event, onClosed);
  let corked = false;
  const untilTurnEnds = () => {
    if (corked) return;
    corked = true;
    output.cork();
    process.nextTick(() => {
      corked = false;
      output.uncork();
    });
  };
  // EPIPE: the reading end says the same a moment later, and says it for both.
  output.on("error", onClosed);
  return {
    send: (message) => {
      if (!over) output.write(encode(message));
    },
    sendAtTurnEnd: (message) => {
      if (over) return;
      untilTurnEnds();
      output.write(encode(message));
    },
    together: (work) => {
      output.cork();
      try {
        return work();
      } finally {
        output.uncork();
      }
    },
    backlog: () => output.writableLength,
    drained: () =>
      new Promise((resolve) => {
        if (!output.writableNeedDrain || over) return resolve();
        const done = () => {
          for (const event of ends) output.off(event, done);
          resolve();
        };
        for (const event of ends) output.on(event, done);
      }),
    close,
  };
}
