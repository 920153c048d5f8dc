/** The library's journal of events. */
import type { NewEvent, StoredEvent } from "../events.ts";
import type { Count } from "../scalars.ts";

export interface EventCalls {
  /** What another actor has seen. */
  noteEvents(input: { events: NewEvent[] }): Promise<null>;
  /** Those after `after`, oldest first, at most `limit`; waits while there is none. Null: the newest `limit`, at once. */
  events(input: { after: Count | null; limit: Count }): Promise<StoredEvent[]>;
}
