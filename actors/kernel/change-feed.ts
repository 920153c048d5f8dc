/** The changes of an actor for callers that poll: a version that grows, and the topics changed since a version. */
import type { ChangeCalls, Topic } from "../../protocol/messages/changes.ts";

export interface ChangeFeed extends ChangeCalls {
  note(topic: Topic): void;
  close(): void;
}

export function createChangeFeed(): ChangeFeed {
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
      // `from` is a version from before a restart: report every topic.
      if (from === null || from > version) return since(from === null ? version : 0);
      if (from === version) await new Promise<void>((resolve) => waiting.push(resolve));
      return since(from);
    },
    close: wake,
  };
}
