/** Reads a request's body, within limits, as a JSON object. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Fault } from "../../protocol/faults.ts";
import { jsonExcess } from "../../protocol/json-bounds.ts";
import { limits } from "../../protocol/limits.ts";
import type { Route } from "../route.ts";
import { repeatedKey } from "./repeated-key.ts";
import { malformedText } from "./well-formed.ts";

const utf8 = new TextDecoder("utf-8"); // Removes a byte order mark.
const unzip = promisify(gunzip);
const tooLarge = () => new Fault("too-large", `the body may be at most ${limits.bodyBytesMax} bytes`);

/** Throws `too-large` over `limits.bodyBytesMax`, and stops reading. */
export function readBytes(request: IncomingMessage): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > limits.bodyBytesMax) return Promise.reject(tooLarge());
  const declared = Number(request.headers["content-length"]);
  // By events: an async iterator costs as much as all checks of a page verb.
  return new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const done = () => {
      const [first] = chunks;
      resolve(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length));
    };
    const onData = (bytes: Buffer) => {
      length += bytes.length;
      if (length <= limits.bodyBytesMax) {
        chunks.push(bytes);
        if (length === declared) done(); // `end` comes a turn later.
        return;
      }
      request.off("data", onData);
      request.pause();
      reject(tooLarge());
    };
    request.on("data", onData);
    request.on("end", done);
    request.on("error", reject);
    // `error` does not always come when a caller disconnects; `close` comes also after a complete body.
    request.on("close", () => {
      if (!request.readableEnded) reject(new Fault("invalid", "the body ended early"));
    });
  });
}

const charset = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/**
 * The body, unpacked when it is gzip. Throws `too-large` also for what gzip unpacks to, and `invalid` for other encodings and charsets,
 * for JSON that is too deep, has too many keys or one twice, and for text that is not well-formed Unicode.
 */
export async function readJsonBytes(request: IncomingMessage): Promise<Buffer> {
  const bytes = await readTextBytes(request, "a JSON object", jsonExcess);
  checkJson(bytes);
  return bytes;
}

/** Throws `invalid` for faults that `JSON.parse` accepts. */
function checkJson(bytes: Buffer): void {
  const malformed = malformedText(bytes);
  if (malformed !== null) throw new Fault("invalid", malformed);
  const twice = repeatedKey(bytes);
  if (twice !== null) throw new Fault("invalid", `the key ${twice.slice(0, 80)} is given twice in the body`);
}

/** The body as UTF-8 text, unpacked. `form`: its word in a fault; `excess`: a check before the text is decoded. */
async function readTextBytes(
  request: IncomingMessage,
  form: string,
  excess: (bytes: Buffer) => string | null = () => null,
): Promise<Buffer> {
  const encoding = (request.headers["content-encoding"] ?? "identity").trim().toLowerCase();
  if (!["identity", "gzip", "x-gzip"].includes(encoding)) {
    const got = JSON.stringify(encoding.slice(0, 80));
    throw new Fault("invalid", `Content-Encoding must be gzip or left out, got ${got}`);
  }
  const [, named = "utf-8"] = charset.exec(request.headers["content-type"] ?? "") ?? [];
  if (!/^(?:utf-?8|us-ascii)$/i.test(named))
    throw new Fault(
      "invalid",
      `the charset of Content-Type must be utf-8, got ${JSON.stringify(named.slice(0, 80))}`,
    );
  const sent = await readBytes(request);
  const bytes = encoding === "identity" ? sent : await unpacked(sent);
  const more = excess(bytes);
  if (more !== null) throw new Fault("invalid", `the body ${more}`);
  if (!isUtf8(bytes)) throw new Fault("invalid", `the body must be ${form} in UTF-8, got other bytes`);
  return bytes;
}

async function unpacked(sent: Buffer): Promise<Buffer> {
  try {
    return await unzip(sent, { maxOutputLength: limits.bodyBytesMax });
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge();
    throw new Fault("invalid", "the body is not complete gzip, which Content-Encoding says it is");
  }
}

/** Undefined without a body. Throws `invalid` for anything but a JSON object, or what `forms` takes beside it. */
export async function readBody(
  request: IncomingMessage,
  forms?: Route["bodyForms"],
): Promise<object | undefined> {
  const isText = forms !== undefined && /^text\/plain\b/i.test(request.headers["content-type"] ?? "");
  const bytes = isText ? await readTextBytes(request, "text") : await readJsonBytes(request);
  if (isText) {
    const text = utf8.decode(bytes);
    // Clients that name no type send JSON as text/plain, and no other text begins so.
    if (!/^\s*[[{]/.test(text)) return { [forms.text]: text };
    const excess = jsonExcess(bytes);
    if (excess !== null) throw new Fault("invalid", `the body ${excess}`);
    checkJson(bytes);
  }
  if (bytes.length === 0) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(utf8.decode(bytes));
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    // V8 quotes the text around the error, which may be a password.
    const why = said.replace(/, (\.{3})?".*"(\.{3})? is not valid JSON$/s, " is not valid there");
    const hint = forms === undefined ? "" : "; a cookies.txt is sent with Content-Type: text/plain";
    throw new Fault("invalid", `the body must be a JSON object in UTF-8: ${why}${hint}`);
  }
  if (forms !== undefined && Array.isArray(value)) return { [forms.array]: value };
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const got = Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
    throw new Fault("invalid", `the body must be a JSON object, got ${got}`);
  }
  return value;
}
