/** Streams the log lines of a run's scripts, only while a page watches. */
import type { ServerResponse } from "node:http";
import { limits } from "../../protocol/limits.ts";
import type { ScriptLogTail } from "../../protocol/messages/profile.ts";
import type { Actors } from "../actors.ts";
import { pageHeaders } from "./page-files.ts";

export interface RunLogs {
  /** Serves GET /live/runs/{id}; false for any other path. */
  answer(path: string, response: ServerResponse): boolean;
  close(): void;
}

const pathPattern = /^\/live\/runs\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
/** A client that does not keep up is disconnected; it reconnects and gets the last lines. */
const unsentBytesMax = 4 * 1024 ** 2;

interface Watched {
  readers: Set<ServerResponse>;
  working: ReadonlySet<string>;
  read: Set<string>;
  tails: Map<string, ScriptLogTail>;
}

export function createRunLogs(
  actors: Pick<Actors, "library" | "runs" | "page">,
  failed: (error: unknown) => void,
): RunLogs {
  const runs = new Map<string, Watched>();

  const readLog = async (runId: string, watched: Watched, profileId: string): Promise<void> => {
    watched.read.add(profileId);
    try {
      const page = await actors.page(profileId);
      while (watched.readers.size > 0 && watched.working.has(profileId)) {
        const before = watched.tails.get(profileId) ?? { lines: [], count: 0 };
        const more = await page.scriptLog({ runId, after: before.count });
        if (more === null) continue; // The call timed out without new lines.
        watched.tails.set(profileId, joined(before, more));
        write(watched, eventOf(profileId, more));
      }
    } catch {
      // The profile is not open yet, or closed again; the run's next change starts the next attempt.
    } finally {
      watched.read.delete(profileId);
    }
  };
  const look = async (runId: string, watched: Watched): Promise<void> => {
    const { profileIds } = await actors.runs.working({ runId });
    watched.working = new Set(profileIds);
    for (const id of watched.tails.keys()) if (!watched.working.has(id)) watched.tails.delete(id);
    for (const id of profileIds) if (!watched.read.has(id)) readLog(runId, watched, id).catch(failed);
  };
  const follow = async (runId: string, watched: Watched): Promise<void> => {
    try {
      let { version: since } = await actors.library.changes({ since: null });
      while (watched.readers.size > 0) {
        await look(runId, watched);
        since = await nextChange(actors, since);
      }
    } catch (error) {
      failed(error); // An actor restarts; the page reconnects.
      for (const reader of watched.readers) reader.end();
    } finally {
      runs.delete(runId);
    }
  };
  return {
    answer(path, response) {
      const runId = pathPattern.exec(path)?.[1];
      if (runId === undefined) return false;
      const headers = { "content-type": "text/event-stream", "cache-control": "no-store" };
      response.writeHead(200, { ...pageHeaders, ...headers, connection: "keep-alive" });
      response.write("retry: 1000\n\n");
      const known = runs.get(runId);
      const watched = known ?? { readers: new Set(), working: new Set(), read: new Set(), tails: new Map() };
      for (const [profileId, tail] of watched.tails) response.write(eventOf(profileId, tail));
      watched.readers.add(response);
      response.once("close", () => watched.readers.delete(response));
      runs.set(runId, watched);
      if (known === undefined) follow(runId, watched).catch(failed);
      else look(runId, watched).catch(failed); // The reading loops may have ended with the last client.
      return true;
    },
    close() {
      for (const { readers } of runs.values()) {
        for (const reader of readers) reader.end();
        readers.clear();
      }
    },
  };
}

async function nextChange({ library }: Pick<Actors, "library">, since: number): Promise<number> {
  for (let at = since; ; ) {
    const { version, topics } = await library.changes({ since: at });
    at = version;
    if (topics.includes("runs")) return at;
  }
}

function joined(before: ScriptLogTail, more: ScriptLogTail): ScriptLogTail {
  const lines = [...before.lines, ...more.lines].slice(-limits.scriptLogTailLinesMax);
  return { lines, count: more.count };
}

function write({ readers }: Watched, text: string): void {
  for (const reader of readers) {
    if (reader.writableLength < unsentBytesMax) reader.write(text);
    else reader.destroy();
  }
}

function eventOf(profileId: string, tail: ScriptLogTail): string {
  return `event: log\ndata: ${JSON.stringify({ profileId, ...tail })}\n\n`;
}
