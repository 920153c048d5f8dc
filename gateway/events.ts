/** The service's events for any number of readers: one loop reads them from the library, and each reader has a cursor. */
import type { ServerResponse } from "node:http";
import type { EventsQuery, StoredEvent } from "../protocol/events.ts";
import { limits } from "../protocol/limits.ts";
import type { LibraryApi } from "../protocol/messages/library.ts";

export type EventFilter = (event: StoredEvent["event"]) => boolean;

export interface EventHub {
  /** Sends the events after `after` that pass, and those to come, as server-sent events; null: from now on. Ends with the connection. */
  send(response: ServerResponse, passes: EventFilter, after: number | null): void;
  /** Those after `after`, at once; null: the newest. */
  recent(passes: EventFilter, after: number | null, limit: number): Promise<StoredEvent[]>;
  /** Calls it with each event from now on. Returns what ends that. */
  listen(listener: (event: StoredEvent) => void): () => void;
  close(): void;
}

/** A comment at this interval reveals a dead connection. */
const aliveMs = 15_000;
/** A reader with more bytes unsent gets the next events when it has caught up. */
const unsentBytesMax = 1024 ** 2;
const batchMax = 1_000;
const retryMs = 1_000;

interface Reader {
  response: ServerResponse;
  passes: EventFilter;
  after: number;
}

export function createEventHub(
  library: Pick<LibraryApi, "events">,
  failed: (error: unknown) => void,
): EventHub {
  const readers = new Set<Reader>();
  const listeners = new Set<(event: StoredEvent) => void>();
  let kept: StoredEvent[] = [];
  let closed = false;
  /** Until the kept ones are read, readers wait. */
  const begun = begin();

  async function begin(): Promise<void> {
    kept = await library.events({ after: null, limit: limits.eventsKeptMax });
    follow().catch(failed);
  }
  async function follow(): Promise<void> {
    while (!closed) {
      try {
        take(await library.events({ after: kept.at(-1)?.id ?? 0, limit: batchMax }));
      } catch (error) {
        if (closed) return;
        failed(error); // The library's thread restarts.
        await new Promise<void>((resolve) => setTimeout(resolve, retryMs).unref());
      }
    }
  }
  const take = (events: StoredEvent[]) => {
    kept.push(...events);
    if (kept.length > 2 * limits.eventsKeptMax) kept = kept.slice(-limits.eventsKeptMax);
    for (const event of events) for (const listener of listeners) listener(event);
    for (const reader of readers) serve(reader);
  };
  const serve = (reader: Reader) => {
    const { response, passes } = reader;
    const first = kept[0]?.id ?? 0;
    if (reader.after < first - 1 && kept.length >= limits.eventsKeptMax) {
      const count = first - 1 - reader.after;
      response.write(`event: lost\ndata: ${JSON.stringify({ type: "lost", count })}\n\n`);
      reader.after = first - 1;
    }
    for (let at = indexAfter(kept, reader.after); at < kept.length; at++) {
      if (response.writableLength > unsentBytesMax) return; // `drain` goes on.
      const { id, event } = kept[at] as StoredEvent;
      reader.after = id;
      if (passes(event))
        response.write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
  };
  const alive = setInterval(() => {
    for (const { response } of readers) response.write(": alive\n\n");
  }, aliveMs).unref();

  return {
    send(response, passes, after) {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" });
      response.write("retry: 1000\n\n");
      const join = () => {
        if (response.destroyed || closed) return;
        const reader = { response, passes, after: after ?? kept.at(-1)?.id ?? 0 };
        readers.add(reader);
        response.on("drain", () => serve(reader));
        response.once("close", () => readers.delete(reader));
        serve(reader);
      };
      begun.then(join, (error: unknown) => {
        failed(error);
        response.end();
      });
    },
    async recent(passes, after, limit) {
      await begun;
      const found = kept.filter(({ id, event }) => id > (after ?? 0) && passes(event));
      return after === null ? found.slice(-limit) : found.slice(0, limit);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closed = true;
      clearInterval(alive);
      for (const { response } of readers) response.end();
      readers.clear();
    },
  };
}

/** By halves: ids grow. */
function indexAfter(events: readonly StoredEvent[], after: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.id ?? 0) > after) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function filterOf({ profile_id, run_id }: EventsQuery, types: readonly string[] | null): EventFilter {
  const [profile, run] = [profile_id?.toLowerCase(), run_id?.toLowerCase()];
  return (event) =>
    (types === null || types.includes(event.type)) &&
    (profile === undefined || event.profile_id?.toLowerCase() === profile) &&
    (run === undefined || event.run_id === run);
}
