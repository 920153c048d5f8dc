/** The events that wait for one webhook: in order per subject, each until it is accepted or a day old. */
import type { ServiceEvent, StoredEvent } from "../../protocol/events.ts";
import { limits } from "../../protocol/limits.ts";

/** Events about one profile, run, schedule or pool. The first is being tried. */
interface Subject {
  name: string;
  events: StoredEvent[];
  tries: number;
}

export interface WebhookQueue {
  add(event: StoredEvent): void;
  /** Events up to this id are added, or not wanted. */
  read(id: number): void;
  /** The next event to try; null when every subject waits or is being tried. */
  next(): { event: StoredEvent; delivered(): void; failed(): { againMs: number } | "dropped" } | null;
  /** The subject of a failed event may be tried again. */
  again(event: StoredEvent): void;
  /** Every event up to this id has ended. */
  ended(): number;
  waiting(): number;
}

const backoffMs = [1, 5, 15, 60, 300, 900, 1_800, 3_600].map((secs) => secs * 1_000);

const subjectOf = ({ run_id, profile_id, schedule_id, pool_id }: ServiceEvent) =>
  run_id ?? profile_id ?? schedule_id ?? pool_id ?? "";

export function createWebhookQueue(now: () => number, begun: number): WebhookQueue {
  const subjects = new Map<string, Subject>();
  const ready: Subject[] = [];
  let last = begun;
  let count = 0;

  const ended = (subject: Subject) => {
    subject.events.shift();
    subject.tries = 0;
    count -= 1;
    if (subject.events.length === 0) subjects.delete(subject.name);
    else ready.push(subject);
  };
  return {
    add(event) {
      count += 1;
      const name = subjectOf(event.event);
      const known = subjects.get(name);
      if (known !== undefined) return void known.events.push(event);
      const subject = { name, events: [event], tries: 0 };
      subjects.set(name, subject);
      ready.push(subject);
    },
    read(id) {
      last = id;
    },
    next() {
      const subject = ready.shift();
      const event = subject?.events[0];
      if (subject === undefined || event === undefined) return null;
      return {
        event,
        delivered: () => ended(subject),
        failed() {
          const againMs = backoffMs[Math.min(subject.tries, backoffMs.length - 1)] ?? 0;
          subject.tries += 1;
          if (now() + againMs - Date.parse(event.event.at) <= limits.webhookTriedMs) return { againMs };
          ended(subject);
          return "dropped";
        },
      };
    },
    again({ event }) {
      const subject = subjects.get(subjectOf(event));
      if (subject !== undefined) ready.push(subject);
    },
    ended() {
      let first = last + 1;
      for (const { events } of subjects.values()) first = Math.min(first, events[0]?.id ?? first);
      return first - 1;
    },
    waiting: () => count,
  };
}
