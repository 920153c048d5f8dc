/** The body of a request: read whole, bounded, as a JSON object. */
import type { IncomingMessage } from "node:http";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";

/** The bytes of the body. Throws `too-large` over `limits.bodyBytesMax` without reading on. */
async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const tooLarge = () => new Fault("too-large", `the body may be at most ${limits.bodyBytesMax} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > limits.bodyBytesMax) throw tooLarge();
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    const bytes: Buffer = chunk;
    length += bytes.length;
    if (length > limits.bodyBytesMax) throw tooLarge();
    chunks.push(bytes);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, length);
}

/** The body as a JSON object; undefined when there is none. Throws `invalid` for anything else. */
export async function readBody(request: IncomingMessage): Promise<object | undefined> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Fault("invalid", `the body must be a JSON object in UTF-8: ${why}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const got = Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
    throw new Fault("invalid", `the body must be a JSON object, got ${got}`);
  }
  return value;
}
