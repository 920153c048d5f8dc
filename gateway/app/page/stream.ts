/** Follows a stream of server-sent events: as an EventSource, but with the session in a header. */
import { sessionHeaders } from "./session.ts";

/** Handlers by event name; the data is JSON of our own service. */
type Listeners = Record<string, (data: string) => void>;

const againMs = 1_000;

/** Calls `opened` at each connection and `lost` when one ends, then reconnects. Returns the function that closes the stream. */
export function openStream(path: string, listeners: Listeners): () => void {
  const leaving = new AbortController();
  void follow(path, listeners, leaving.signal).catch(() => {}); // Only `lost` can throw here.
  return () => leaving.abort();
}

async function follow(path: string, listeners: Listeners, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const status = await read(path, listeners, signal).catch(() => 0); // Lost, or a listener threw: connect again.
    if (signal.aborted) return;
    listeners.lost?.("");
    if (status === 401) return; // The session has ended; every call reports this.
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

async function read(path: string, listeners: Listeners, signal: AbortSignal): Promise<number> {
  const reply = await fetch(path, { headers: await sessionHeaders(), signal });
  if (!reply.ok || reply.body === null) return reply.status;
  listeners.opened?.("");
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return reply.status;
    const events = (text + value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) tell(event, listeners);
  }
}

function tell(event: string, listeners: Listeners): void {
  const { name, data } = /^event: (?<name>\w+)\ndata: (?<data>.*)$/s.exec(event)?.groups ?? {};
  if (name !== undefined && data !== undefined) listeners[name]?.(data);
}
