/** A stream of the service's events, followed until it is closed: as an EventSource, but with the session in a header. */
import { sessionHeaders } from "./session.ts";

/** What to do with each event, by its name; its data is JSON that our own service wrote. */
type Listeners = Record<string, (data: string) => void>;

const againMs = 1_000;

/** `opened` is called at each connection, `lost` when one ends; it comes again by itself. Answers how to close it. */
export function openStream(path: string, listeners: Listeners): () => void {
  const leaving = new AbortController();
  void follow(path, listeners, leaving.signal).catch(() => {}); // A listener that throws ends its stream.
  return () => leaving.abort();
}

async function follow(path: string, listeners: Listeners, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const status = await read(path, listeners, signal).catch(() => 0); // Lost: said and tried again.
    if (signal.aborted) return;
    listeners.lost?.("");
    if (status === 401) return; // The session has ended, as every call says.
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

/** Reads to the end of one connection. */
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
