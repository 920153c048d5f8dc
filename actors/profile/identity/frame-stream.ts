/** A client's side of a WebSocket, cut into its frames while it streams by: a small text can be read before it is let through. */

/** Called with the bytes to pass on, in order; `text` is what a small, whole text frame says, and null for all other bytes. */
export type FrameSink = (bytes: Buffer, text: string | null) => void;

/** Frames up to this size are read; a longer one passes as it comes. */
const readBytesMax = 512;

/** Takes chunks as a socket gives them. Clients' frames are masked (RFC 6455, 5.3); the bytes passed on are the client's own. */
export function frameStream(sink: FrameSink): (chunk: Buffer) => void {
  let waiting = Buffer.alloc(0);
  let passing = 0;
  return (chunk) => {
    let rest = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (rest.length > 0) {
      if (passing > 0) {
        const part = rest.subarray(0, passing);
        sink(part, null);
        passing -= part.length;
        rest = rest.subarray(part.length);
        continue;
      }
      const header = headerOf(rest);
      if (header === null) break;
      const whole = header.bytes + header.payloadBytes;
      if (whole > readBytesMax) {
        passing = whole;
        continue;
      }
      if (rest.length < whole) break;
      const frame = rest.subarray(0, whole);
      sink(frame, textOf(frame, header.bytes));
      rest = rest.subarray(whole);
    }
    waiting = Buffer.from(rest); // A copy: the chunk that it is a part of is not kept.
  };
}

/** Null when more bytes must come. */
function headerOf(bytes: Buffer): { bytes: number; payloadBytes: number } | null {
  if (bytes.length < 2) return null;
  const second = bytes.readUInt8(1);
  const masked = second >= 0x80 ? 4 : 0;
  const short = second & 0x7f;
  if (short < 126) return { bytes: 2 + masked, payloadBytes: short };
  const extended = short === 126 ? 2 : 8;
  if (bytes.length < 2 + extended) return null;
  const payloadBytes = short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { bytes: 2 + extended + masked, payloadBytes };
}

/** Of a masked text frame that is a whole message. */
function textOf(frame: Buffer, headerBytes: number): string | null {
  const wholeText = 0x81;
  if (frame.readUInt8(0) !== wholeText || frame.readUInt8(1) < 0x80) return null;
  const mask = frame.subarray(headerBytes - 4, headerBytes);
  const text = Buffer.from(frame.subarray(headerBytes));
  for (let at = 0; at < text.length; at++) text[at] = (text[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return text.toString("utf8");
}
