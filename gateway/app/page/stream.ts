/** Follows a stream of server-sent events: as an EventSource, but with the session in a header. */
import { sessionHeaders } from "./session.ts";

/** Handlers by event name; the data is JSON of our own service. `id` is empty for events without one. */
type Listeners = Record<string, (data: string, id: string) => void>;

const againMs = 1_000;

interface Connection {
  opened?(): void;
  lost?(): void;
}

/**
 * Calls `opened` at each connection and `lost` when one ends, then reconnects. `path`: asked at each connection. Returns the function that
 * closes the stream.
 */
export function openStream(
  path: string | (() => string),
  listeners: Listeners,
  connection: Connection = {},
): () => void {
  const leaving = new AbortController();
  const current = typeof path === "string" ? () => path : path;
  void follow(current, listeners, connection, leaving.signal).catch(() => {}); // Only `lost` can throw here.
  return () => leaving.abort();
}

async function follow(
  path: () => string,
  listeners: Listeners,
  connection: Connection,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const status = await read(path(), listeners, connection, signal).catch(() => 0); // Lost, or a listener threw: connect again.
    if (signal.aborted) return;
    connection.lost?.();
    if (status === 401) return; // The session has ended; every call reports this.
    await new Promise((resolve) => setTimeout(resolve, againMs));
  }
}

async function read(
  path: string,
  listeners: Listeners,
  connection: Connection,
  signal: AbortSignal,
): Promise<number> {
  const reply = await fetch(path, { headers: await sessionHeaders(), signal });
  if (!reply.ok || reply.body === null) return reply.status;
  connection.opened?.();
  const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let text = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) return reply.status;
    const events = (text + value).split("\n\n");
    text = events.pop() ?? "";
    for (const event of events) tell(event, listeners);
  }
}

const pattern = /^(?:id: (?<id>\d+)\n)?event: (?<name>[\w.]+)\ndata: (?<data>.*)$/s;

function tell(event: string, listeners: Listeners): void {
  const { id = "", name, data } = pattern.exec(event)?.groups ?? {};
  if (name !== undefined && data !== undefined) listeners[name]?.(data, id);
}
