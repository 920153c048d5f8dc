/** The requests that the browser holds for a script to answer, and the address of each: what it says of them is read as it passes. */

export interface HeldRequests {
  /** A message of the browser to the script. */
  hear(text: string): void;
  /** Of a request of this session; null when none is held. */
  addressOf(sessionId: unknown, requestId: unknown): string | null;
}

/** Chromium holds fewer at a time; a page that is left gives its own up without a word. */
const heldMax = 20_000;
const paused = '{"method":"Fetch.requestPaused"';

interface Paused {
  params: { requestId: string; request: { url: string } };
  sessionId?: string;
}

export function createHeldRequests(): HeldRequests {
  const addresses = new Map<string, string>();
  const keyOf = (sessionId: unknown, requestId: unknown) => `${sessionId ?? ""} ${requestId}`;
  return {
    hear(text) {
      if (!text.startsWith(paused)) return;
      const { params, sessionId }: Paused = JSON.parse(text);
      addresses.set(keyOf(sessionId, params.requestId), params.request.url);
      const [oldest] = addresses.size > heldMax ? addresses.keys() : [];
      if (oldest !== undefined) addresses.delete(oldest);
    },
    addressOf: (sessionId, requestId) => addresses.get(keyOf(sessionId, requestId)) ?? null,
  };
}
