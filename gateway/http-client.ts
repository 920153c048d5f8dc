/** HTTP client for listeners of this machine. Node's own, because a larger one takes longer to load than the call. */
import { type IncomingMessage, request } from "node:http";
import { pipeline, Readable } from "node:stream";

export interface Outgoing {
  method: string;
  headers?: Record<string, string>;
  /** A stream is sent in chunks. */
  body?: string | Readable;
  /** Ends a wait for a service that hangs; absent: no limit. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

const isRefused = (error: NodeJS.ErrnoException) => error.code === "ECONNREFUSED";
const nothingListens = ({ origin }: URL) =>
  new Error(`nothing listens at ${origin}: the service starts, stops or does not run; see: troupe status`);

/** Resolves with the reply's head; the body is its stream. */
export function send(
  url: URL,
  { method, headers, body, timeoutMs, signal }: Outgoing,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: {
        ...headers,
        ...(typeof body === "string" ? { "content-length": Buffer.byteLength(body) } : {}),
      },
      ...(signal === undefined ? {} : { signal }),
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    };
    const outgoing = request(url, options, resolve);
    outgoing.once("error", (error) => reject(isRefused(error) ? nothingListens(url) : error));
    if (timeoutMs !== undefined) {
      // Do not listen without `timeoutMs`: Node's agent emits this for every socket that is silent for 5 s.
      outgoing.once("timeout", () =>
        outgoing.destroy(new Error(`no answer from ${url.origin} within ${timeoutMs} ms`)),
      );
    }
    if (body instanceof Readable) pipeline(body, outgoing, (error) => void (error && reject(error)));
    else outgoing.end(body);
  });
}
