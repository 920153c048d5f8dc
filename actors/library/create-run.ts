/** Starts runs, after checking the plan, the script's approval and the profiles. */
import { createHash, randomUUID } from "node:crypto";
import { Fault } from "../../protocol/faults.ts";
import { limits } from "../../protocol/limits.ts";
import type { LibraryApi, RunWork } from "../../protocol/messages/library.ts";
import type { RunRequest } from "../../protocol/messages/runs.ts";
import type { Plan } from "../../protocol/records.ts";
import type { BatchRehearsal } from "../../protocol/run-requests.ts";
import type { Reader, Writer } from "../../storage/sqlite.ts";
import { freeRows } from "../../storage/tables/dataset-marks.ts";
import { datasetAt } from "../../storage/tables/datasets.ts";
import { slotsOfProfiles } from "../../storage/tables/profile-datasets.ts";
import { missingProfiles } from "../../storage/tables/profiles.ts";
import { insertRunKey, readRunKey } from "../../storage/tables/run-keys.ts";
import { insertParts, partsOf } from "../../storage/tables/run-profiles.ts";
import { insertRun, readRun, type StoredRun } from "../../storage/tables/runs.ts";
import { readScript, type StoredScript } from "../../storage/tables/scripts.ts";
import { instant, type LibraryContext } from "./context.ts";
import { noRowLeft } from "./dataset-reservations.ts";
import { existingScript, isApproved } from "./scripts.ts";
import { settingsNow } from "./settings.ts";
import { checkVariables, sealRunVariables } from "./variables.ts";

const namedMax = 5;

/** Throws `invalid` (no Flow) or `forbidden` (`parallel` runs). */
export function refuseByPlan(plan: Plan, parallel: boolean): void {
  // protocol/README.md, "Scripts, runs": a plan without the Flow feature answers 400 here, not 403.
  if (!plan.flow) throw new Fault("invalid", `the plan ${plan.name} does not include scripts (Flow)`);
  if (parallel && !plan.parallelRuns) {
    throw new Fault("forbidden", `the plan ${plan.name} does not allow runs on several profiles at once`);
  }
}

const remedy = "approve it on the control page, or with: troupe scripts approve ID";

function refuseUnapproved(profiles: number, batch: boolean): void {
  if (batch) {
    throw new Fault(
      "invalid",
      `the script is not approved; a batch or a schedule needs an approved script; ${remedy}`,
    );
  }
  if (profiles > limits.unapprovedProfilesMax) {
    throw new Fault(
      "invalid",
      `the script is not approved and runs on at most ${limits.unapprovedProfilesMax} profiles, got ${profiles}; ${remedy}`,
    );
  }
}

/** Throws `conflict`. */
export function refuseUnknown(sql: Reader, profileIds: string[]): void {
  const missing = missingProfiles(sql, profileIds);
  if (missing.length === 0) return;
  const named = missing.slice(0, namedMax).join(", ");
  const more = missing.length > namedMax ? ` and ${missing.length - namedMax} more` : "";
  throw new Fault("conflict", `profile ${named}${more} ${missing.length === 1 ? "does" : "do"} not exist`, {
    profileIds: missing,
  });
}

/** `batch`: not known of a run that a restart continues, which then counts as one. */
export function workOf(sql: Reader, stored: StoredRun, batch = true): RunWork {
  const { run, headless, concurrency, staggerMs, placement } = stored;
  const script = run.scriptId === null ? null : readScript(sql, run.scriptId);
  return {
    run,
    kind: run.scheduleId !== null ? "schedule" : batch ? "batch" : "run",
    waiting: partsOf(sql, run.id, "waiting"),
    ...(placement === "local" ? {} : { placed: placedOf(sql, run.id) }),
    library: script?.library ?? "playwright",
    approved: script !== null && isApproved(script),
    headless,
    concurrency,
    staggerMs,
    timeoutMs: settingsNow(sql).runProfileTimeoutMs,
  };
}

/** Those in the fleet, begun or not. */
function placedOf(sql: Reader, runId: string): string[] {
  return [...partsOf(sql, runId, "away"), ...partsOf(sql, runId, "placed")];
}

/** Without `placement`, which depends on whether the fleet is on. */
function fingerprintOf({ idempotency, variables, placement, ...asked }: RunRequest): string {
  const sorted = Object.entries(variables).sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = Object.entries({ ...asked, variables: sorted }).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex");
}

/** The run that an earlier request with this key started; null if none. Throws `conflict` if that request differed. */
function replayOf(sql: Reader, input: RunRequest): RunWork | null {
  if (input.idempotency === undefined) return null;
  const { tokenName, key } = input.idempotency;
  const known = readRunKey(sql, tokenName, key);
  const stored = known === null ? null : readRun(sql, known.runId);
  if (known === null || stored === null) return null;
  if (known.requestSha256 !== fingerprintOf(input)) {
    throw new Fault(
      "conflict",
      `Idempotency-Key ${key} has started run ${known.runId} with another request; use a new key for each request`,
    );
  }
  return { ...workOf(sql, stored), waiting: [], replayed: true };
}

function keepKey(sql: Writer, input: RunRequest, runId: string): void {
  if (input.idempotency === undefined) return;
  const { tokenName: token, key } = input.idempotency;
  insertRunKey(sql, { token, key, requestSha256: fingerprintOf(input), runId });
}

/** What a request must fulfil whatever its profiles are. Throws like `createRun`. */
function checkedRequest(sql: Reader, input: RunRequest): { script: StoredScript; profileIds: string[] } {
  const { variables, batch, concurrency, source } = input;
  const profileIds = distinctIds(input.profileIds);
  if (profileIds.length === 0) throw new Fault("invalid", "profile_ids must name at least one profile");
  checkVariables(variables);
  const script = existingScript(sql, input.scriptId);
  refuseByPlan(settingsNow(sql).plan, profileIds.length > 1 && concurrency !== 1);
  if (!isApproved(script)) refuseUnapproved(profileIds.length, batch || source === "schedule");
  return { script, profileIds };
}

/** Refused profiles with the reason, in the order of `profileIds`. Rows are counted as the parts would take them. */
function refusedProfiles(sql: Reader, profileIds: string[]): BatchRehearsal["refused"] {
  const missing = new Set(missingProfiles(sql, profileIds));
  const contents = new Map(
    slotsOfProfiles(sql, profileIds).flatMap(({ profileId, slot, dataset }) =>
      slot === "content" ? [[profileId, dataset]] : [],
    ),
  );
  const rows = new Map<number, number>();
  return profileIds.flatMap((profile_id) => {
    if (missing.has(profile_id)) return [{ profile_id, error: `profile ${profile_id} does not exist` }];
    const position = contents.get(profile_id);
    if (position === undefined) return [];
    const dataset = datasetAt(sql, position);
    const left = rows.get(position) ?? freeRows(dataset);
    rows.set(position, Math.max(0, left - dataset.rowsPerRun));
    return left > 0 ? [] : [{ profile_id, error: noRowLeft(dataset) }];
  });
}

/**
 * Creates a run and its parts. Throws like `createRun`, without writing. If a schedule's profile no longer exists, only its part fails.
 */
export function openRun(sql: Writer, { vault, clock }: LibraryContext, input: RunRequest): StoredRun {
  const { variables, headless, concurrency, staggerMs, source } = input;
  const { script, profileIds } = checkedRequest(sql, input);
  if (input.scheduleId === null) refuseUnknown(sql, profileIds);
  const id = randomUUID();
  const stored: StoredRun = {
    run: {
      id,
      status: "running",
      source,
      scriptId: script.id,
      scheduleId: input.scheduleId?.toLowerCase() ?? null,
      profileIds,
      profilesTotal: profileIds.length,
      profilesDone: 0,
      profilesFailed: 0,
      startedAt: instant(clock),
      completedAt: null,
      error: null,
    },
    scriptSha256: script.sha256,
    headless,
    concurrency,
    staggerMs,
    placement: input.placement === "fleet" ? "fleet" : "local",
    variablesSealed: sealRunVariables(vault, id, variables),
  };
  insertRun(sql, stored);
  insertParts(sql, id, profileIds);
  return stored;
}

/** Removes duplicates; ids are case-insensitive. */
export function distinctIds(ids: string[]): string[] {
  return [...new Set(ids.map((id) => id.toLowerCase()))];
}

export function createRunArea(context: LibraryContext): Pick<LibraryApi, "createRun" | "rehearseRun"> {
  return {
    rehearseRun: (input) =>
      context.database.read((sql) => {
        const { profileIds } = checkedRequest(sql, input);
        const refused = refusedProfiles(sql, profileIds);
        return { ready: profileIds.length - refused.length, refused };
      }),
    createRun: (input) =>
      context.database.write((sql) => {
        const replay = replayOf(sql, input);
        if (replay !== null) return replay;
        const stored = openRun(sql, context, input);
        keepKey(sql, input, stored.run.id);
        return workOf(sql, stored, input.batch);
      }),
  };
}
