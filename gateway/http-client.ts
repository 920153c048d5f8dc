/** HTTP to listeners of this machine, by Node's own client: a fuller one takes a command longer to load than its call takes. */
import { type IncomingMessage, request } from "node:http";

export interface Outgoing {
  method: string;
  headers?: Record<string, string>;
  body?: string;
  /** Ends a wait for a service that hangs; absent: as long as it takes. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

/** Resolves with the head of the reply; its body is the message's stream. */
export function send(
  url: URL,
  { method, headers, body, timeoutMs, signal }: Outgoing,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { "content-length": Buffer.byteLength(body) }) },
      ...(signal === undefined ? {} : { signal }),
      ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
    };
    const outgoing = request(url, options, resolve);
    outgoing.once("error", reject);
    if (timeoutMs !== undefined) {
      // Node's own agent says so of every socket that is silent for 5 s: nothing is wrong with a launch that takes longer.
      outgoing.once("timeout", () =>
        outgoing.destroy(new Error(`no answer from ${url.origin} within ${timeoutMs} ms`)),
      );
    }
    outgoing.end(body);
  });
}
