/** The service's events for any number of readers: one loop reads them from the library, and each reader has a cursor. */
import type { ServerResponse } from "node:http";
import { type EventsQuery, eventsAfter, lostBefore, type StoredEvent } from "../protocol/events.ts";
import { limits } from "../protocol/limits.ts";
import type { LibraryApi } from "../protocol/messages/library.ts";

export type EventFilter = (event: StoredEvent["event"]) => boolean;

export interface EventHub {
  /** Sends the events after `after` that pass, and those to come, as server-sent events; null: from now on. Ends with the connection. */
  send(response: ServerResponse, passes: EventFilter, after: number | null): void;
  /** Those after `after`, at once; null: the newest. */
  recent(passes: EventFilter, after: number | null, limit: number): Promise<StoredEvent[]>;
  /** Calls `take` with each event from now on. */
  listen(take: (event: StoredEvent["event"]) => void): void;
  /** Events that readers could not be sent, since the start. */
  lost(): number;
  close(): void;
}

/** At this interval a dead connection is revealed, and a reader learns where to go on. */
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

/** An id without an event: a reader that is cut off before its first event, or long after its last, misses none. */
function sayPlace({ response, after }: Reader): void {
  response.write(`id: ${after}\n: alive\n\n`);
}

export function createEventHub(
  library: Pick<LibraryApi, "events">,
  failed: (error: unknown) => void,
): EventHub {
  const readers = new Set<Reader>();
  const listeners: ((event: StoredEvent["event"]) => void)[] = [];
  let lost = 0;
  let kept: StoredEvent[] = [];
  let closed = false;
  /** Readers wait until the kept events are read. */
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
    for (const listener of listeners) for (const { event } of events) listener(event);
    if (kept.length > 2 * limits.eventsKeptMax) kept = kept.slice(-limits.eventsKeptMax);
    for (const reader of readers) serve(reader);
  };
  const serve = (reader: Reader) => {
    const { response, passes } = reader;
    const count = lostBefore(kept, reader.after);
    if (count > 0) {
      response.write(`event: lost\ndata: ${JSON.stringify({ type: "lost", count })}\n\n`);
      reader.after += count;
      lost += count;
    }
    for (const { id, event } of eventsAfter(kept, reader.after)) {
      if (response.writableLength > unsentBytesMax) return; // Continues on `drain`.
      reader.after = id;
      if (passes(event))
        response.write(`id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    }
  };
  const alive = setInterval(() => {
    for (const reader of readers) sayPlace(reader);
  }, aliveMs).unref();

  return {
    send(response, passes, after) {
      const join = () => {
        if (response.destroyed || closed) return;
        const reader = { response, passes, after: after ?? kept.at(-1)?.id ?? 0 };
        readers.add(reader);
        response.on("drain", () => serve(reader));
        response.once("close", () => readers.delete(reader));
        sayPlace(reader);
        serve(reader);
      };
      begun.then(join, (error: unknown) => {
        failed(error);
        response.end();
      });
    },
    async recent(passes, after, limit) {
      await begun;
      const found = eventsAfter(kept, after ?? 0).filter(({ event }) => passes(event));
      return after === null ? found.slice(-limit) : found.slice(0, limit);
    },
    listen: (take) => void listeners.push(take),
    lost: () => lost,
    close() {
      closed = true;
      clearInterval(alive);
      for (const { response } of readers) response.end();
      readers.clear();
    },
  };
}

export function filterOf({ profile_id, run_id }: EventsQuery, types: readonly string[] | null): EventFilter {
  const [profile, run] = [profile_id?.toLowerCase(), run_id?.toLowerCase()];
  return (event) =>
    (types === null || types.includes(event.type)) &&
    (profile === undefined || event.profile_id?.toLowerCase() === profile) &&
    (run === undefined || event.run_id === run);
}
