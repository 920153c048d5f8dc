/** One side of a WebSocket, cut into its frames while it streams by: a small text can be read before it is let through. */

export interface FramePart {
  /** To pass on, in order. */
  bytes: Buffer;
  /** What a small, whole text frame says, unmasked; null for all other bytes. */
  text: Buffer | null;
  /** A message ends here: another may be put behind it. */
  ends: boolean;
}

/** A client's frames are read up to this size; a longer one passes as it comes. */
const clientBytesMax = 512;

/** Takes chunks as a socket gives them. Clients' frames are masked (RFC 6455, 5.3); the bytes passed on are the sender's own. */
export function frameStream(
  sink: (part: FramePart) => void,
  readBytesMax = clientBytesMax,
): (chunk: Buffer) => void {
  let waiting = Buffer.alloc(0);
  let passing = 0;
  let unfinished = false;
  return (chunk) => {
    let rest = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (rest.length > 0) {
      if (passing > 0) {
        const part = rest.subarray(0, passing);
        passing -= part.length;
        sink({ bytes: part, text: null, ends: passing === 0 && !unfinished });
        rest = rest.subarray(part.length);
        continue;
      }
      const header = headerOf(rest);
      if (header === null) break;
      const whole = header.bytes + header.payloadBytes;
      if (whole <= readBytesMax && rest.length < whole) break;
      if (!header.control) unfinished = !header.last;
      if (whole > readBytesMax) {
        passing = whole;
        continue;
      }
      const frame = rest.subarray(0, whole);
      sink({ bytes: frame, text: textOf(frame, header.bytes), ends: !unfinished });
      rest = rest.subarray(whole);
    }
    waiting = Buffer.from(rest); // A copy: the chunk that it is a part of is not kept.
  };
}

/** A text as a client sends it, in one frame. The mask need not be random: no page's words are in it. */
export function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const head = Buffer.alloc(8);
  head.writeUInt8(wholeText, 0);
  head.writeUInt8(masked | 126, 1);
  head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** With which a client ends its connection: the other side answers, and closes. */
export const closeFrame: Buffer = Buffer.from([0x88, 0x80, 0, 0, 0, 0]);

const wholeText = 0x81;
const masked = 0x80;

interface FrameHeader {
  bytes: number;
  payloadBytes: number;
  /** Its message ends with it. */
  last: boolean;
  /** It may stand between two parts of a message. */
  control: boolean;
}

/** Null when more bytes must come. */
function headerOf(bytes: Buffer): FrameHeader | null {
  if (bytes.length < 2) return null;
  const first = bytes.readUInt8(0);
  const second = bytes.readUInt8(1);
  const kind = { last: first >= 0x80, control: (first & 0x08) !== 0 };
  const maskBytes = second >= masked ? 4 : 0;
  const short = second & 0x7f;
  if (short < 126) return { ...kind, bytes: 2 + maskBytes, payloadBytes: short };
  const extended = short === 126 ? 2 : 8;
  if (bytes.length < 2 + extended) return null;
  const payloadBytes = short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2));
  return { ...kind, bytes: 2 + extended + maskBytes, payloadBytes };
}

/** Of a text frame that is a whole message. */
function textOf(frame: Buffer, headerBytes: number): Buffer | null {
  if (frame.readUInt8(0) !== wholeText) return null;
  if (frame.readUInt8(1) < masked) return frame.subarray(headerBytes);
  const mask = frame.subarray(headerBytes - 4, headerBytes);
  const text = Buffer.from(frame.subarray(headerBytes));
  for (let at = 0; at < text.length; at++) text[at] = (text[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return text;
}
