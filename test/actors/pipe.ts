/** The browser's end of a debugging pipe, for tests that play it. */
import type { Readable } from "node:stream";
import { messageLength, read, type Unread } from "../../actors/profile/cdp/cbor.ts";
import { encode } from "../../actors/profile/cdp/cbor-write.ts";

/** What has been written to the browser since it was last asked, message by message. */
export function writtenTo<Message>(toBrowser: Readable): Message[] {
  let rest: Buffer = toBrowser.read() ?? Buffer.alloc(0);
  const messages: Message[] = [];
  for (let length = messageLength(rest); length !== null; length = messageLength(rest)) {
    messages.push(read({ bytes: rest, at: 0 }) as Message); // What a test sent is its own.
    rest = rest.subarray(length);
  }
  return messages;
}

/** A value as it stands in a message that has come. */
export function unread(value: object): Unread {
  return { bytes: encode(value), at: 0 };
}
