/** The debugging pipe: whole messages, each ended by a NUL byte, over the two extra descriptors of the browser. */
import type { Readable, Writable } from "node:stream";

export interface Pipe {
  send(text: string): void;
  /** Goes out in one piece with what else is sent in this turn of the event loop: each write wakes the browser. */
  sendAtTurnEnd(text: string): void;
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
  message(text: string): void;
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
  let over = false;
  const onClosed = () => {
    if (over) return;
    over = true;
    pieces = [];
    handlers.closed();
  };
  input.on("data", (chunk: Buffer) => {
    let start = 0;
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      const piece = chunk.subarray(start, end);
      start = end + 1;
      if (pieces.length === 0) handlers.message(piece.toString("utf8"));
      else {
        pieces.push(piece);
        const whole = Buffer.concat(pieces).toString("utf8");
        pieces = [];
        handlers.message(whole);
      }
    }
    if (start < chunk.length) pieces.push(start === 0 ? chunk : chunk.subarray(start));
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
    send: (text) => {
      if (!over) output.write(`${text}\0`);
    },
    sendAtTurnEnd: (text) => {
      if (over) return;
      untilTurnEnds();
      output.write(`${text}\0`);
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
    close: () => {
      onClosed();
      output.destroy();
      input.destroy();
    },
  };
}
