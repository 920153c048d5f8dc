/** The journal of events: what library calls changed, and what other actors report. */
import { join } from "node:path";
import { eventsAfter, type NewEvent, type StoredEvent } from "../../protocol/events.ts";
import { limits } from "../../protocol/limits.ts";
import type { EventCalls } from "../../protocol/messages/events.ts";
import type { FiredRun, LibraryApi, RunWork } from "../../protocol/messages/library.ts";
import type { Run } from "../../protocol/records.ts";
import type { CreateProfilesReply } from "../../protocol/requests.ts";
import { openEventFile } from "../../storage/event-file.ts";
import { afterCalls } from "./after-calls.ts";
import { instant, type LibraryContext } from "./context.ts";

type Call = keyof LibraryApi;
type EventsOf = {
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
const events: EventsOf = {
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

/** The library, whose successful calls add their events to a journal. A run ends once: another call of `endRun` adds nothing. */
export function recordingEvents<Library extends Omit<LibraryApi, keyof EventCalls>>(
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
  return {
    ...afterCalls(library, events, (eventsOf, input, result) =>
      note(Reflect.apply(eventsOf, null, [input, result])),
    ),
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
  const waiting: (() => void)[] = [];
  let closed = false;
  const wake = () => {
    for (const go of waiting.splice(0)) go();
  };
  return {
    add(given: readonly StoredEvent["event"][]) {
      if (given.length === 0 || closed) return;
      file.append(given);
      wake();
    },
    async read(after: number | null, limit: number): Promise<StoredEvent[]> {
      if (after === null) return file.kept().slice(-limit);
      const later = () => eventsAfter(file.kept(), after).slice(0, limit);
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
