/** The journal of events: what library calls changed, and what other actors report. */
import { join } from "node:path";
import type { NewEvent, StoredEvent } from "../../protocol/events.ts";
import { limits } from "../../protocol/limits.ts";
import type { EventCalls } from "../../protocol/messages/events.ts";
import type { FiredRun, LibraryApi, RunWork } from "../../protocol/messages/library.ts";
import type { Run } from "../../protocol/records.ts";
import type { CreateProfilesReply } from "../../protocol/requests.ts";
import { openEventFile } from "../../storage/event-file.ts";
import { instant, type LibraryContext } from "./context.ts";

type Call = keyof LibraryApi;
type Told = {
  [Name in Call]?: (
    input: Parameters<LibraryApi[Name]>[0],
    result: Awaited<ReturnType<LibraryApi[Name]>>,
  ) => NewEvent[];
};

const changed = (profile_id: string): NewEvent => ({ type: "profile.changed", profile_id });
const created = (reply: CreateProfilesReply) => reply.created.map(({ profile_id }) => changed(profile_id));
const ofRun = (type: "run.started" | "run.ended", { id, scheduleId, status }: Run): NewEvent => ({
  type,
  run_id: id,
  status,
  ...(scheduleId === null ? {} : { schedule_id: scheduleId }),
});

function fired({ run, work }: FiredRun): NewEvent[] {
  const schedule_id = run.scheduleId ?? "";
  const about = { run_id: run.id, schedule_id };
  if (work !== null) return [{ type: "schedule.fired", ...about }, ofRun("run.started", run)];
  return [{ type: "schedule.skipped", ...about, ...(run.error === null ? {} : { error: run.error }) }];
}

/** The events of each call, in order. */
const events: Told = {
  createProfiles: (_input, reply) => created(reply),
  duplicateProfile: (_input, reply) => created(reply),
  importProfile: (_input, { profileId }) => [changed(profileId)],
  patchProfile: ({ profileId }) => [changed(profileId)],
  setVariables: ({ profileId }) => [changed(profileId)],
  restoreCheckpoint: ({ profileId }) => [changed(profileId)],
  editProfiles: ({ profileIds }) => profileIds.map(changed),
  trashProfiles: ({ profileIds }) => profileIds.map(changed),
  restoreProfiles: ({ profileIds }) => profileIds.map(changed),
  createRun: (_input, { run, replayed }: RunWork) => (replayed === true ? [] : [ofRun("run.started", run)]),
  fireSchedule: (_input, result) => (result === null ? [] : fired(result)),
  endRunProfile: ({ runId, profileId, outcome: { status, error } }) => [
    {
      type: "run.progress",
      run_id: runId,
      profile_id: profileId,
      status,
      ...(error === null ? {} : { error }),
    },
  ],
  exitMeasured: ({ profileId, measurement: { error } }) =>
    error === null ? [] : [{ type: "proxy.dead", profile_id: profileId, error }],
  proxiesTested: ({ poolId, measured }) =>
    measured.flatMap(({ measurement: { error } }) =>
      error === null ? [] : [{ type: "proxy.dead", pool_id: poolId, error }],
    ),
};

/** Wraps the calls so that each successful one adds its events. A run ends once, however often its end is told. */
export function recording<Library extends Omit<LibraryApi, keyof EventCalls>>(
  library: Library,
  context: Pick<LibraryContext, "dataDir" | "disk" | "clock">,
  failed: (error: unknown) => void,
): Library & EventCalls {
  const { clock } = context;
  const journal = createJournal(context, failed);
  const note = (given: readonly NewEvent[]) => {
    const at = instant(clock);
    journal.add(given.map((event) => ({ ...event, at })));
  };
  const wrapped = { ...library };
  for (const [name, told] of Object.entries(events)) {
    const call: unknown = Reflect.get(library, name);
    if (typeof call !== "function") continue;
    Reflect.set(wrapped, name, async (input: unknown) => {
      const result: unknown = await call.call(library, input);
      note(Reflect.apply(told, null, [input, result]));
      return result;
    });
  }
  return {
    ...wrapped,
    async endRun(input) {
      const before = (await library.readRun({ runId: input.runId })).status;
      const run = await library.endRun(input);
      if (before === "running") note([ofRun("run.ended", run)]);
      return run;
    },
    async noteEvents({ events: given }) {
      note(given);
      return null;
    },
    events: ({ after, limit }) => journal.read(after, limit),
    async close(input) {
      journal.close();
      return library.close(input);
    },
  };
}

const writtenAfterMs = 200;

function createJournal(
  { dataDir, disk, clock }: Pick<LibraryContext, "dataDir" | "disk" | "clock">,
  failed: (error: unknown) => void,
) {
  const file = openEventFile({
    disk,
    path: join(dataDir.root, "events.jsonl"),
    keptMax: limits.eventsKeptMax,
    soon: (act) => void clock.timer(writtenAfterMs, act),
    failed,
  });
  let kept: StoredEvent[] = [...file.kept];
  let next = file.next;
  const waiting: (() => void)[] = [];
  let closed = false;
  const wake = () => {
    for (const go of waiting.splice(0)) go();
  };
  return {
    add(given: readonly StoredEvent["event"][]) {
      if (given.length === 0 || closed) return;
      const stored = given.map((event): StoredEvent => ({ id: next++, event }));
      kept.push(...stored);
      if (kept.length > 2 * limits.eventsKeptMax) kept = kept.slice(-limits.eventsKeptMax);
      file.append(stored);
      wake();
    },
    async read(after: number | null, limit: number): Promise<StoredEvent[]> {
      if (after === null) return kept.slice(-limit);
      const later = () => {
        const at = kept.findIndex(({ id }) => id > after);
        return at < 0 ? [] : kept.slice(at, at + limit);
      };
      if (later().length === 0 && !closed) await new Promise<void>((resolve) => void waiting.push(resolve));
      return later();
    },
    close() {
      closed = true;
      wake();
      file.close();
    },
  };
}
