/** The browser's end of a debugging pipe, for tests that simulate a browser. */
import type { Readable } from "node:stream";
import { messageLength, read, type Unread } from "../../actors/profile/cdp/cbor.ts";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";

export function writtenTo<Message>(toBrowser: Readable): Message[] {
  let rest = allOf(toBrowser);
  const messages: Message[] = [];
  for (let length = messageLength(rest); length !== null; length = messageLength(rest)) {
    messages.push(read({ bytes: rest, at: 0 }) as Message);
    rest = rest.subarray(length);
  }
  return messages;
}

/** What waits to be read. From Node 26 on, one call of `read` returns one chunk of it. */
function allOf(stream: Readable): Buffer {
  const chunks: Buffer[] = [];
  for (let chunk = stream.read(); chunk !== null; chunk = stream.read()) chunks.push(chunk);
  return Buffer.concat(chunks);
}

export function unread(value: object): Unread {
  return { bytes: encode(value), at: 0 };
}
