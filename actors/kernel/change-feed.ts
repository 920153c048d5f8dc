/** What has changed in an actor, for whoever waits to hear of it: a version that grows, and the topic of each step. */
import type { ChangesApi, Topic } from "../../protocol/messages/changes.ts";

export interface ChangeFeed extends ChangesApi {
  note(topic: Topic): void;
  /** Those who wait are answered with nothing. */
  close(): void;
}

export function createChangeFeed(): ChangeFeed {
  /** The version at which each topic changed last. */
  const last = new Map<Topic, number>();
  let version = 0;
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const tell of woken) tell();
  };
  const since = (from: number) => ({
    version,
    topics: [...last].filter(([, at]) => at > from).map(([topic]) => topic),
  });
  return {
    note(topic) {
      version += 1;
      last.set(topic, version);
      wake();
    },
    async changes({ since: from }) {
      // A version of an earlier life of this actor: everything may have changed.
      if (from === null || from > version) return since(from === null ? version : 0);
      if (from === version) await new Promise<void>((resolve) => waiting.push(resolve));
      return since(from);
    },
    close: wake,
  };
}
