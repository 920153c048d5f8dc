/** The debugging pipe: whole messages over two extra descriptors of the browser. */
import type { Readable, Writable } from "node:stream";
import { messageLength, NotAMessage } from "./cbor.ts";
import { encode } from "./cbor-write.ts";

export interface Pipe {
  send(message: object): void;
  /** Combines the messages of this turn of the event loop into one write, since each write wakes the browser. */
  sendAtTurnEnd(message: object): void;
  together<T>(work: () => T): T;
  backlog(): number;
  drained(): Promise<void>;
  /** Closes both ends, which makes the browser exit. */
  close(): void;
}

export interface PipeHandlers {
  /** `bytes` are valid only during the call. */
  message(bytes: Buffer): void;
  /** Called once, when the browser closes the pipe or the stream breaks. */
  closed(): void;
}

const ends = ["drain", "close", "error"];

/** Splits `input` into messages and writes to `output`. Chunks are joined once per message, so that the cost of a long one is linear. */
export function openPipe(output: Writable, input: Readable, handlers: PipeHandlers): Pipe {
  let pieces: Buffer[] = [];
  let held = 0;
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
      close(); // The start of the next message is unknown now.
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
  // EPIPE: the input closes too.
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
