/** The addresses of the requests that are paused for a script to answer, from the messages that pass to the script. */

export interface HeldRequests {
  hear(text: string): void;
  /** The address of a request of this session; null when it is not paused. */
  addressOf(sessionId: unknown, requestId: unknown): string | null;
}

/** More than Chromium pauses at a time. No event reports requests that end with their page. */
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
