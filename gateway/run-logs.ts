/** Streams the log lines of a run's scripts, only while somebody reads. */
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { ServiceEvent } from "../protocol/events.ts";
import { limits } from "../protocol/limits.ts";
import type { LibraryApi } from "../protocol/messages/library.ts";
import type { ProfilePageApi } from "../protocol/messages/profile.ts";
import type { RunsApi } from "../protocol/messages/runs.ts";
import type { ScriptLogTail } from "../protocol/run-task.ts";
import { hasEnded, type LogLine, linesOf, partsOf, unsent } from "./run-lines.ts";

export interface RunLogs {
  /** Sends lines as server-sent events until the reader disconnects. `whole`: first those of ended parts; ends with the run. */
  send(runId: string, response: ServerResponse, whole: boolean): void;
  /** Those so far, also of scripts in progress. Throws `not-found`. */
  soFar(runId: string): AsyncGenerator<LogLine>;
  close(): void;
}

export interface LogSources {
  library: Pick<LibraryApi, "changes" | "readRun" | "runProfile" | "runProfiles">;
  runs: Pick<RunsApi, "working" | "logInFleet">;
  page(profileId: string): Promise<Pick<ProfilePageApi, "scriptLog">>;
  events: { listen(take: (event: ServiceEvent) => void): void };
}

/** A reader that does not keep up is disconnected; it reconnects and gets the last lines. */
const unsentBytesMax = 4 * 1024 ** 2;
/** Longest wait for the lines of a script that has written none, and for those of one in the fleet. */
const soFarMs = { here: 500, away: 4_000 };

interface Reader {
  response: ServerResponse;
  whole: boolean;
  /** Parts whose last lines it has. */
  done: Set<string>;
}

interface Watched {
  readers: Set<Reader>;
  working: ReadonlySet<string>;
  away: ReadonlySet<string>;
  read: Set<string>;
  tails: Map<string, ScriptLogTail>;
  ended: Set<string>;
  /** Ends of parts are read one after the other. */
  ending: Promise<unknown>;
}

export function createRunLogs(sources: LogSources, failed: (error: unknown) => void): RunLogs {
  const { library, runs: coordinator } = sources;
  const runs = new Map<string, Watched>();

  const readLog = async (runId: string, watched: Watched, profileId: string): Promise<void> => {
    watched.read.add(profileId);
    const isOpen = () => watched.working.has(profileId) && !watched.ended.has(profileId);
    try {
      const next = await tailOf(sources, runId, profileId, watched.away.has(profileId));
      while (watched.readers.size > 0 && isOpen()) {
        const before = watched.tails.get(profileId) ?? { lines: [], count: 0 };
        const more = await next(before.count);
        if (more === null || !isOpen()) continue; // No new lines in time, or the part's end has sent them.
        watched.tails.set(profileId, joined(before, more));
        for (const reader of watched.readers) write(reader, eventOf(profileId, more));
      }
    } catch {
      // The profile is not open yet, or closed again; the run's next change starts the next attempt.
    } finally {
      watched.read.delete(profileId);
    }
  };
  const finish = async (runId: string, watched: Watched, profileId: string): Promise<void> => {
    const { log } = await library.runProfile({ runId, profileId });
    const before = watched.tails.get(profileId) ?? { lines: [], count: 0 };
    watched.ended.add(profileId);
    watched.tails.delete(profileId);
    const more = unsent(before, log);
    for (const reader of watched.readers) {
      if (more.lines.length > 0 && !reader.done.has(profileId)) write(reader, eventOf(profileId, more));
      reader.done.add(profileId);
    }
  };
  sources.events.listen(({ type, run_id: runId = "", profile_id: profileId = "" }) => {
    const watched = runs.get(runId);
    if (watched === undefined) return;
    if (type === "run.progress")
      watched.ending = watched.ending.then(() => finish(runId, watched, profileId)).catch(failed);
    if (type === "run.ended")
      watched.ending = watched.ending.then(() => {
        for (const reader of watched.readers) if (reader.whole) end(reader);
      });
  });
  const look = async (runId: string, watched: Watched): Promise<void> => {
    const { profileIds, away } = await coordinator.working({ runId });
    watched.working = new Set(profileIds);
    watched.away = new Set(away);
    for (const id of profileIds) if (!watched.read.has(id)) readLog(runId, watched, id).catch(failed);
  };
  const follow = async (runId: string, watched: Watched): Promise<void> => {
    try {
      let { version: since } = await library.changes({ since: null });
      while (watched.readers.size > 0) {
        await look(runId, watched);
        since = await nextChange(library, since);
      }
    } catch (error) {
      failed(error); // An actor restarts; readers reconnect.
      for (const { response } of watched.readers) response.end();
    } finally {
      runs.delete(runId);
    }
  };
  const sendEnded = async (runId: string, reader: Reader): Promise<void> => {
    for await (const parts of partsOf({ library }, runId))
      for (const part of parts) {
        if (!hasEnded(part) || reader.done.has(part.profileId) || part.log.length === 0) continue;
        reader.done.add(part.profileId);
        write(reader, eventOf(part.profileId, { lines: part.log, count: part.log.length }));
        if (reader.response.writableNeedDrain) await once(reader.response, "drain");
      }
    if ((await library.readRun({ runId })).status !== "running") end(reader);
  };
  return {
    send(runId, response, whole) {
      const known = runs.get(runId);
      const watched = known ?? {
        readers: new Set(),
        working: new Set(),
        away: new Set(),
        read: new Set(),
        tails: new Map(),
        ended: new Set(),
        ending: Promise.resolve(),
      };
      const reader = { response, whole, done: new Set<string>() };
      for (const [profileId, tail] of watched.tails) write(reader, eventOf(profileId, tail));
      watched.readers.add(reader);
      response.once("close", () => watched.readers.delete(reader));
      runs.set(runId, watched);
      if (known === undefined) follow(runId, watched).catch(failed);
      else look(runId, watched).catch(failed); // The reading loops may have ended with the last reader.
      if (whole) sendEnded(runId, reader).catch(() => response.destroy());
    },
    async *soFar(runId) {
      for await (const parts of partsOf({ library }, runId))
        for (const part of parts) yield* linesOf(part.profileId, part.log);
      const { profileIds, away } = await coordinator.working({ runId });
      const tailNow = (profileId: string) => {
        const isAway = away.includes(profileId);
        const tail = tailOf(sources, runId, profileId, isAway).then((next) => next(0));
        const ms = isAway ? soFarMs.away : soFarMs.here;
        const nothing = new Promise<null>((resolve) => setTimeout(resolve, ms, null).unref());
        return Promise.race([tail.catch(() => null), nothing]);
      };
      // Those of the fleet are asked for at once, because each may take seconds.
      const inFleet = new Map(away.map((profileId) => [profileId, tailNow(profileId)]));
      for (const profileId of profileIds)
        yield* linesOf(profileId, (await (inFleet.get(profileId) ?? tailNow(profileId)))?.lines ?? []);
    },
    close() {
      for (const { readers } of runs.values()) {
        for (const { response } of readers) response.end();
        readers.clear();
      }
    },
  };
}

/** Of a part that is open here, or in the fleet. Throws `conflict`: it is not open. */
async function tailOf({ runs, page }: LogSources, runId: string, profileId: string, isAway: boolean) {
  if (isAway) return (after: number) => runs.logInFleet({ runId, profileId, after });
  const log = await page(profileId);
  return (after: number) => log.scriptLog({ runId, after });
}

async function nextChange({ changes }: Pick<LibraryApi, "changes">, since: number): Promise<number> {
  for (let at = since; ; ) {
    const { version, topics } = await changes({ since: at });
    at = version;
    if (topics.includes("runs")) return at;
  }
}

function joined(before: ScriptLogTail, more: ScriptLogTail): ScriptLogTail {
  const lines = [...before.lines, ...more.lines].slice(-limits.scriptLogTailLinesMax);
  return { lines, count: more.count };
}

function write({ response }: Reader, text: string): void {
  if (response.writableLength < unsentBytesMax) response.write(text);
  else response.destroy();
}

function end({ response }: Reader): void {
  response.end("event: ended\ndata: {}\n\n");
}

function eventOf(profile_id: string, tail: ScriptLogTail): string {
  return `event: log\ndata: ${JSON.stringify({ profile_id, ...tail })}\n\n`;
}
