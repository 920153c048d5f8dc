/** Server-sent events for the open control pages: which records changed, so that the pages read them again. */
import type { ServerResponse } from "node:http";
import type { ChangeCalls, Topic } from "../../protocol/messages/changes.ts";
import { beginEvents } from "../respond.ts";

export interface EventStream {
  open(response: ServerResponse, headers: Record<string, string>): void;
  /** Reports a change that no actor reports. */
  tell(topics: Topic[]): void;
  close(): void;
}

const gatherMs = 80;
/** A comment at this interval reveals a dead connection. */
const aliveMs = 15_000;

export function createEventStream(
  sources: readonly ChangeCalls[],
  failed: (error: unknown) => void,
): EventStream {
  const readers = new Set<ServerResponse>();
  const gathered = new Set<Topic>();
  let timer: NodeJS.Timeout | null = null;
  const followed = new Set<ChangeCalls>();

  const write = (text: string) => {
    for (const reader of readers) reader.write(text);
  };
  const flush = () => {
    timer = null;
    write(`event: changed\ndata: ${JSON.stringify([...gathered])}\n\n`);
    gathered.clear();
  };
  const leave = () => {
    for (const reader of readers) reader.end();
    readers.clear();
  };
  const tell = (topics: Topic[]) => {
    if (readers.size === 0) return;
    for (const topic of topics) gathered.add(topic);
    timer ??= setTimeout(flush, gatherMs);
  };
  /** A loop ends only at its source's next change, so the loop of an earlier page may still run. */
  const follow = async (source: ChangeCalls): Promise<void> => {
    if (followed.has(source)) return;
    followed.add(source);
    try {
      let since = (await source.changes({ since: null })).version;
      while (readers.size > 0) {
        const { version, topics } = await source.changes({ since });
        since = version;
        tell(topics);
      }
    } catch (error) {
      failed(error); // The source's thread ended and restarts: pages reconnect and read everything again.
      leave();
    } finally {
      followed.delete(source);
    }
  };
  const alive = setInterval(() => write(": alive\n\n"), aliveMs);
  alive.unref();

  return {
    open(response, headers) {
      beginEvents(response, headers);
      readers.add(response);
      response.once("close", () => readers.delete(response));
      for (const source of sources) follow(source).catch(failed);
    },
    tell,
    close() {
      clearInterval(alive);
      if (timer !== null) clearTimeout(timer);
      leave();
    },
  };
}
