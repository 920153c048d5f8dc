/** Runs: begins and ends parts, ends runs, resumes after a crash, reads runs. */

import { systemFault } from "../../protocol/disk-fault.ts";
import { Fault } from "../../protocol/faults.ts";
import type { LibraryApi, RunTask } from "../../protocol/messages/library.ts";
import type { Run, RunProfile } from "../../protocol/records.ts";
import { nothingDone } from "../../protocol/run-outcomes.ts";
import type { RunStatus } from "../../protocol/scalars.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import {
  beginPart,
  countByStatus,
  endPart,
  endPartsOf,
  listParts,
  type PartStatus,
  partStatus,
  readPart,
} from "../../storage/tables/run-profiles.ts";
import {
  closeRun,
  countParts,
  listRuns,
  noteError,
  type RunTerms,
  readRun,
  readRunTerms,
  runsGoingOn,
  type StoredRun,
} from "../../storage/tables/runs.ts";
import { instant, type LibraryContext } from "./context.ts";
import { workOf } from "./create-run.ts";
import { returnRowsOfRun, settlePart, takeRowsForPart } from "./dataset-reservations.ts";
import { refuseInFleet } from "./in-fleet.ts";
import { existingProfile, existingProfileId, specOf } from "./profiles.ts";
import { createRunFiles, type RunFiles } from "./run-files.ts";
import { existingScript, isApproved } from "./scripts.ts";
import { settingsNow } from "./settings.ts";
import { openRunVariables, storedVariables } from "./variables.ts";

function found<Found>(runId: string, stored: Found | null): Found {
  if (stored === null) throw new Fault("not-found", `run ${runId} does not exist`);
  return stored;
}

export const existingRun = (sql: Reader, runId: string): StoredRun =>
  found(runId, readRun(sql, runId.toLowerCase()));

export const existingTerms = (sql: Reader, runId: string): RunTerms =>
  found(runId, readRunTerms(sql, runId.toLowerCase()));

/** protocol/README.md, "Scripts, runs". `cut` is the number of parts that were skipped when the run ended. */
function finalStatus(counts: Record<PartStatus, number>, cut: number, error: string | null): RunStatus {
  if (counts.completed > 0) return counts.failed + counts.skipped === 0 ? "completed" : "partial";
  const nothingTried = counts.failed === 0;
  return nothingTried && (error === null || cut === 0) ? "skipped" : "failed";
}

function failInterrupted(sql: Writer, runId: string, at: string, from: PartStatus[] = ["running"]): void {
  const end = { status: "failed", at, error: "interrupted" } as const;
  const interrupted = from.reduce((sum, status) => sum + endPartsOf(sql, runId, status, end), 0);
  if (interrupted > 0) countParts(sql, runId, 0, interrupted);
  returnRowsOfRun(sql, runId);
}

function giveUp(sql: Writer, run: Run, error: string, at: string): void {
  if (run.error === null) noteError(sql, run.id, error);
  endPartsOf(sql, run.id, "waiting", { status: "skipped", at, error });
}

export function lossOf(sql: Reader, { run, scriptSha256 }: RunTerms): string | null {
  const script = existingScript(sql, run.scriptId ?? "");
  if (script.sha256 === scriptSha256) return null;
  const what = isApproved(script) ? "" : " and is no longer approved";
  return `script ${script.id} was changed after this run started${what}`;
}

const isOpen = (status: PartStatus) =>
  status === "waiting" || status === "running" || status === "placed" || status === "away";

/** What a part needs to run; reserves its rows. `again`: it has reserved them before. */
export function taskOf(
  sql: Writer,
  { vault, dataDir }: Pick<LibraryContext, "vault" | "dataDir">,
  { run, variablesSealed }: RunTerms,
  profileId: string,
  again = false,
): RunTask {
  const script = existingScript(sql, run.scriptId ?? "");
  const approved = isApproved(script);
  return {
    script: { id: script.id, name: script.name, source: script.source, library: script.library, approved },
    variables: {
      ...(approved ? storedVariables(sql, vault, profileId) : {}),
      ...openRunVariables(vault, run.id, variablesSealed),
    },
    ...takeRowsForPart(sql, vault, { runId: run.id, profileId, approved, again }),
    scratchDir: dataDir.scratch(run.id, profileId),
  };
}

type PartCalls = "runProfileSpec" | "beginRunProfile" | "endRunProfile";

function partsArea(
  { database, vault, disk, dataDir, clock, profileFiles }: LibraryContext,
  runFiles: RunFiles,
): Pick<LibraryApi, PartCalls> {
  const refuse = async (runId: string, loss: string): Promise<never> => {
    await database.write((sql) => giveUp(sql, existingRun(sql, runId).run, loss, instant(clock)));
    throw new Fault("conflict", loss);
  };
  return {
    async runProfileSpec(input) {
      await database.read((sql) => refuseInFleet(sql, existingProfileId(sql, input.profileId)));
      await profileFiles.open(input.profileId.toLowerCase());
      const found = await database.readThere((sql) => {
        const loss = lossOf(sql, existingTerms(sql, input.runId));
        const profile = existingProfile(sql, input.profileId);
        if (loss !== null) return loss;
        refuseInFleet(sql, profile.id);
        const { idleTimeoutSecs } = settingsNow(sql);
        return { spec: specOf(sql, { vault, dataDir }, profile), idleTimeoutSecs };
      });
      return typeof found === "string" ? refuse(input.runId, found) : found;
    },
    async beginRunProfile(input) {
      const task = await database.write((sql) => {
        const stored = existingTerms(sql, input.runId);
        const { run } = stored;
        const profileId = existingProfileId(sql, input.profileId);
        const status = partStatus(sql, run.id, profileId);
        if (status === null) throw new Fault("not-found", `run ${run.id} has no profile ${profileId}`);
        if (status !== "waiting")
          throw new Fault("conflict", `the part of profile ${profileId} is ${status}, not waiting`);
        const loss = lossOf(sql, stored);
        if (loss !== null) return loss;
        beginPart(sql, run.id, profileId, instant(clock));
        return taskOf(sql, { vault, dataDir }, stored, profileId);
      });
      if (typeof task === "string") return refuse(input.runId, task);
      await disk.makeDir(task.scratchDir).catch((error: unknown) => {
        throw systemFault(error, task.scratchDir);
      });
      return task;
    },
    async endRunProfile({ outcome: given, ...input }) {
      const runId = input.runId.toLowerCase();
      const profileId = input.profileId.toLowerCase();
      const outcome = await runFiles.admit(runId, profileId, given);
      await database.write((sql) => {
        existingTerms(sql, runId);
        const status = partStatus(sql, runId, profileId);
        if (status === null) throw new Fault("not-found", `run ${runId} has no profile ${profileId}`);
        if (!isOpen(status)) return;
        endPart(sql, runId, profileId, instant(clock), outcome);
        settlePart(sql, runId, profileId, outcome.status === "completed");
        const done = outcome.status === "completed" ? 1 : 0;
        const failed = outcome.status === "failed" ? 1 : 0;
        if (done + failed > 0) countParts(sql, runId, done, failed);
      });
      await disk.removeEmptyDir(dataDir.scratch(runId, profileId)); // Removes only an empty directory: files that the script left are kept.
      return null;
    },
  };
}

const cancelled = "the run was cancelled";

/** The parts of a run that was skipped as a whole; such parts are not stored. */
function skippedParts(run: Run, offset: number, limit: number): RunProfile[] {
  if (run.status !== "skipped") return [];
  return run.profileIds.slice(offset, offset + limit).map((profileId) => ({
    profileId,
    status: "skipped",
    error: run.error,
    startedAt: null,
    completedAt: run.completedAt,
    ...nothingDone(),
  }));
}

type RunCalls =
  | PartCalls
  | "cancelRun"
  | "endRun"
  | "resumeRuns"
  | "readRun"
  | "listRuns"
  | "runProfile"
  | "runProfiles";

export function runsArea(context: LibraryContext): Pick<LibraryApi, RunCalls> {
  const { database, disk, dataDir, clock } = context;
  const runFiles = createRunFiles(context);
  return {
    ...partsArea(context, runFiles),
    cancelRun: ({ runId }) =>
      database.write((sql) => {
        const { run } = existingRun(sql, runId);
        if (run.status !== "running") return run;
        // Write before ending anything, so that a crash does not resume the run.
        giveUp(sql, run, cancelled, instant(clock));
        return existingRun(sql, runId).run;
      }),
    async endRun({ runId, error: given }) {
      const run = await database.write((sql) => {
        const { run } = existingRun(sql, runId);
        if (run.status !== "running") return run;
        const at = instant(clock);
        const error = run.error ?? given;
        failInterrupted(sql, run.id, at, ["running", "away"]);
        const placed = endPartsOf(sql, run.id, "placed", { status: "skipped", at, error });
        const cut = placed + endPartsOf(sql, run.id, "waiting", { status: "skipped", at, error });
        closeRun(sql, run.id, { status: finalStatus(countByStatus(sql, run.id), cut, error), at, error });
        return existingRun(sql, run.id).run;
      });
      runFiles.forget(run.id);
      await disk.removeEmptyDir(dataDir.scratch(run.id, ""));
      return run;
    },
    resumeRuns: ({ driven }) =>
      database.write((sql) => {
        const undriven = () => runsGoingOn(sql).filter(({ run }) => !driven.includes(run.id));
        // Parts in the fleet go on, with their rows.
        for (const { run, placement } of undriven())
          if (placement === "local") failInterrupted(sql, run.id, instant(clock));
        return undriven().map((stored) => workOf(sql, stored));
      }),
    readRun: ({ runId }) => database.read((sql) => existingRun(sql, runId).run),
    listRuns: ({ scheduleId, limit }) =>
      database.read((sql) => listRuns(sql, scheduleId?.toLowerCase() ?? null, limit)),
    runProfile: ({ runId, profileId }) =>
      database.read((sql) => {
        const { run } = existingRun(sql, runId);
        const id = profileId.toLowerCase();
        const skipped = () => skippedParts(run, 0, run.profilesTotal).find((one) => one.profileId === id);
        const part = readPart(sql, run.id, id) ?? skipped();
        if (part === undefined) throw new Fault("not-found", `run ${runId} has no profile ${profileId}`);
        return part;
      }),
    runProfiles: ({ runId, offset, limit, status = null }) =>
      database.read((sql) => {
        const { run } = existingRun(sql, runId);
        const parts = listParts(sql, run.id, { offset, limit, status });
        const asSkipped = parts.length === 0 && (status === null || status === "skipped");
        return { run, profiles: asSkipped ? skippedParts(run, offset, limit) : parts };
      }),
  };
}
