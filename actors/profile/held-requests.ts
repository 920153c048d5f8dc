/** The requests that are paused for a script to answer, from the messages that pass to the script. */

export interface HeldRequests {
  hear(text: string): void;
  /** A request of this session; null when it is not paused. */
  find(sessionId: unknown, requestId: unknown): HeldRequest | null;
}

export interface HeldRequest {
  address: string;
  /** The program of a service worker, which stays in the profile when the run has ended. */
  isServiceWorker: boolean;
}

/** More than Chromium pauses at a time. No event reports requests that end with their page. */
const heldMax = 20_000;
const paused = '{"method":"Fetch.requestPaused"';

interface Paused {
  params: { requestId: string; request: { url: string; headers?: Record<string, string> } };
  sessionId?: string;
}

export function createHeldRequests(): HeldRequests {
  const held = new Map<string, HeldRequest>();
  const keyOf = (sessionId: unknown, requestId: unknown) => `${sessionId ?? ""} ${requestId}`;
  return {
    hear(text) {
      if (!text.startsWith(paused)) return;
      const { params, sessionId }: Paused = JSON.parse(text);
      const { url, headers = {} } = params.request;
      const isServiceWorker = Object.keys(headers).some((name) => name.toLowerCase() === "service-worker");
      held.set(keyOf(sessionId, params.requestId), { address: url, isServiceWorker });
      const [oldest] = held.size > heldMax ? held.keys() : [];
      if (oldest !== undefined) held.delete(oldest);
    },
    find: (sessionId, requestId) => held.get(keyOf(sessionId, requestId)) ?? null,
  };
}
