/** The debugging pipe: whole messages, each ended by a NUL byte, over the two extra descriptors of the browser. */
import type { Readable, Writable } from "node:stream";

export interface Pipe {
  send(text: string): void;
  /** What `work` sends goes out in one piece. */
  together(work: () => void): void;
  /** Lets go of both ends; the browser takes that as its order to exit. */
  close(): void;
}

export interface PipeHandlers {
  message(text: string): void;
  /** Once, when the browser's end is gone or the stream broke. */
  closed(): void;
}

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
  // EPIPE: the reading end says the same a moment later, and says it for both.
  output.on("error", onClosed);
  return {
    send: (text) => {
      if (!over) output.write(`${text}\0`);
    },
    together: (work) => {
      output.cork();
      try {
        work();
      } finally {
        output.uncork();
      }
    },
    close: () => {
      onClosed();
      output.destroy();
      input.destroy();
    },
  };
}
