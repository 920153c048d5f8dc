/** The requests that are paused for a script to answer, from the messages that pass to the script. */

export interface PausedRequests {
  hear(text: string): void;
  /** A request of this session; null when it is not paused. */
  find(sessionId: unknown, requestId: unknown): PausedRequest | null;
}

export interface PausedRequest {
  address: string;
  /** The program of a service worker, which stays in the profile when the run has ended. */
  isServiceWorker: boolean;
}

/** More than Chromium pauses at a time. No event reports requests that end with their page. */
const pausedMax = 20_000;
const pausedEvent = '{"method":"Fetch.requestPaused"';

interface Paused {
  params: { requestId: string; request: { url: string; headers?: Record<string, string> } };
  sessionId?: string;
}

export function createPausedRequests(): PausedRequests {
  const paused = new Map<string, PausedRequest>();
  const keyOf = (sessionId: unknown, requestId: unknown) => `${sessionId ?? ""} ${requestId}`;
  return {
    hear(text) {
      if (!text.startsWith(pausedEvent)) return;
      const { params, sessionId }: Paused = JSON.parse(text);
      const { url, headers = {} } = params.request;
      const isServiceWorker = Object.keys(headers).some((name) => name.toLowerCase() === "service-worker");
      paused.set(keyOf(sessionId, params.requestId), { address: url, isServiceWorker });
      const [oldest] = paused.size > pausedMax ? paused.keys() : [];
      if (oldest !== undefined) paused.delete(oldest);
    },
    find: (sessionId, requestId) => paused.get(keyOf(sessionId, requestId)) ?? null,
  };
}
