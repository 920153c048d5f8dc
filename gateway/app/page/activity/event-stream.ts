/** The service's events: the newest ones, then each as it comes. */
import { useEffect, useState } from "preact/hooks";
import {
  type EventType,
  eventTypes,
  type ServiceEvent,
  type StoredEvent,
} from "../../../../protocol/events.ts";
import { app } from "../api.ts";
import { openStream } from "../stream.ts";

const recentMax = 200;
const shownMax = 500;

export interface Activity {
  /** Newest first. */
  events: readonly StoredEvent[];
  /** The service no longer has these, because the page was away from it for long. */
  missed: number;
  complete: boolean;
  error: string | null;
}

const nothing: Activity = { events: [], missed: 0, complete: false, error: null };

/** `profileId` and `type` null: of all profiles, of all types. */
export function useActivity(profileId: string | null, type: EventType | null): Activity {
  const [activity, setActivity] = useState(nothing);
  useEffect(() => {
    setActivity(nothing);
    let left = false;
    let close = () => {};
    const types = type === null ? null : [type];
    const follow = async () => {
      const { events, after } = await app.recentEvents({ profileId, types, limit: recentMax });
      if (left) return;
      setActivity({ ...nothing, events: events.reverse(), complete: true });
      close = followEvents(queryOf(profileId, type), after, (more, missed) =>
        setActivity((before) => ({
          ...before,
          events: [...more.reverse(), ...before.events].slice(0, shownMax),
          missed: before.missed + missed,
        })),
      );
    };
    follow().catch((error: unknown) => {
      const text = error instanceof Error ? error.message : String(error);
      if (!left) setActivity({ ...nothing, error: text });
    });
    return () => {
      left = true;
      close();
    };
  }, [profileId, type]);
  return activity;
}

function queryOf(profileId: string | null, type: EventType | null): URLSearchParams {
  const query = new URLSearchParams();
  if (profileId !== null) query.set("profile_id", profileId);
  if (type !== null) query.set("types", type);
  return query;
}

/** Calls `add` once per frame at most. After an interruption the stream goes on where it was. */
function followEvents(
  query: URLSearchParams,
  after: number,
  add: (events: StoredEvent[], missed: number) => void,
): () => void {
  let last = after;
  let waiting: StoredEvent[] = [];
  let missed = 0;
  const show = () => {
    const [events, count] = [waiting, missed];
    [waiting, missed] = [[], 0];
    add(events, count);
  };
  const soon = () => {
    if (waiting.length === 0 && missed === 0) requestAnimationFrame(show);
  };
  const take = (data: string, id: string) => {
    const event: ServiceEvent = JSON.parse(data);
    soon();
    last = Number(id);
    waiting.push({ id: last, event });
  };
  const path = () => {
    query.set("after", String(last));
    return `/v1/events?${query}`;
  };
  return openStream(path, {
    ...Object.fromEntries(eventTypes.map((name) => [name, take])),
    lost(data) {
      const { count }: { count: number } = JSON.parse(data);
      soon();
      missed += count;
    },
  });
}
