/** Records that stay current: read once, and again when the service reports a change. */
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { Topic } from "../../../protocol/messages/changes.ts";
import { openStream } from "./stream.ts";

type Listener = () => void;

const listeners = new Map<Listener, readonly Topic[]>();
const connection = new Set<(connected: boolean) => void>();
let connecting = false;

function connect(): void {
  if (connecting) return;
  connecting = true;
  openStream(
    "/events",
    {
      changed(data) {
        const topics: Topic[] = JSON.parse(data);
        for (const [listener, wanted] of listeners)
          if (wanted.some((topic) => topics.includes(topic))) listener();
      },
    },
    {
      // Changes during the interruption are unknown.
      opened() {
        for (const tell of connection) tell(true);
        for (const listener of listeners.keys()) listener();
      },
      lost() {
        for (const tell of connection) tell(false);
      },
    },
  );
}

/** Calls `listener` when one of `topics` changes, until the returned function is called. */
export function onChanged(topics: readonly Topic[], listener: Listener): () => void {
  connect();
  listeners.set(listener, topics);
  return () => void listeners.delete(listener);
}

export interface Live<Value> {
  value: Value | null;
  error: string | null;
  reload(): void;
}

/** Reads again when `key` or one of `topics` changes. Reads do not overlap: changes during a read cause one more. */
export function useLive<Value>(topics: readonly Topic[], read: () => Promise<Value>, key = ""): Live<Value> {
  const [state, setState] = useState<{ value: Value | null; error: string | null }>({
    value: null,
    error: null,
  });
  const latest = useRef(read);
  latest.current = read;
  const progress = useRef({ reading: false, again: false, round: 0 });
  const reload = useCallback(() => {
    const now = progress.current;
    if (now.reading) {
      now.again = true;
      return;
    }
    now.reading = true;
    const { round } = now;
    latest
      .current()
      .then(
        (value) => round === now.round && setState({ value, error: null }),
        (error: unknown) =>
          round === now.round &&
          setState(({ value }) => ({ value, error: error instanceof Error ? error.message : String(error) })),
      )
      .finally(() => {
        now.reading = false;
        if (now.again) {
          now.again = false;
          reload();
        }
      });
  }, []);
  const wanted = topics.join();
  useEffect(() => {
    progress.current.round += 1;
    reload();
    return onChanged(wanted.split(",") as Topic[], reload); // The topics that `join` put together.
  }, [wanted, key, reload]);
  return { ...state, reload };
}

export function useConnected(): boolean {
  const [connected, setConnected] = useState(true);
  useEffect(() => {
    connect();
    connection.add(setConnected);
    return () => void connection.delete(setConnected);
  }, []);
  return connected;
}
