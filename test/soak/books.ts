/** Accounts for every run at the end: each has ended, its counts match, and each failed part is a failure. */
import { wrongBooks } from "../../bench/batch/run-books.ts";
import type { Dataset } from "../../protocol/datasets.ts";
import type { Run, RunProfile } from "../../protocol/records.ts";
import type { RunProfilesReply } from "../../protocol/run-requests.ts";
import type { Provocation } from "./ledger.ts";
import type { AskedRun, LoadContext } from "./loads/load.ts";
import { runsOf } from "./loads/schedules.ts";

export type Outcomes = Record<string, number>;

const minuteMs = 60_000;

export interface BooksOptions {
  scheduleIds: readonly string[];
  on: { from: number; to: number };
  datasetId: string;
}

export async function accountForRuns(context: LoadContext, options: BooksOptions): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  const count = (what: string) => {
    outcomes[what] = (outcomes[what] ?? 0) + 1;
  };
  let completedOfBatches = 0;
  for (const [runId, asked] of context.runs) {
    const { run, profiles } = await context.target.get<RunProfilesReply>(
      `/v1/runs/${runId}/profiles?limit=1000`,
    );
    enterRun(context, asked, run, profiles);
    count(`run ${run.status}`);
    for (const part of profiles) count(`part ${part.status}`);
    if (asked.what.startsWith("batch"))
      completedOfBatches += profiles.filter(({ status }) => status === "completed").length;
  }
  for (const scheduleId of options.scheduleIds) {
    const runs = await runsOf(context, scheduleId);
    enterDueRuns(context, scheduleId, runs, options.on);
    for (const run of runs.filter(({ id }) => !context.runs.has(id))) {
      const { profiles } = await context.target.get<RunProfilesReply>(`/v1/runs/${run.id}/profiles`);
      const asked = { what: "scheduled run", profileIds: run.profileIds, planned: new Map() };
      enterRun(context, asked, run, profiles);
      count(`run ${run.status}`);
      for (const part of profiles) count(`part ${part.status}`);
    }
  }
  await accountForRows(context, options.datasetId, completedOfBatches);
  return outcomes;
}

function enterRun({ ledger }: LoadContext, asked: AskedRun, run: Run, parts: readonly RunProfile[]): void {
  for (const finding of wrongBooks(run, parts, asked.profileIds))
    ledger.wrong(`${asked.what} ${run.id}: ${finding}`);
  for (const part of parts) {
    const says = asked.planned.get(part.profileId);
    const error = part.error ?? part.status;
    if (part.status === "completed" ? says === undefined : says?.test(error)) continue;
    if (part.status === "completed") {
      ledger.wrong(
        `${asked.what} ${run.id}: the part of ${part.profileId} completed, but was planned to fail`,
      );
      continue;
    }
    if (run.status === "skipped") continue;
    ledger.fail({
      what: `part of ${asked.what}`,
      profileId: part.profileId,
      from: Date.parse(part.startedAt ?? run.startedAt),
      to: Date.parse(part.completedAt ?? run.completedAt ?? run.startedAt),
      message: error,
    });
  }
}

/** Each full minute of a schedule has a run, except while the service was down or could not write. */
function enterDueRuns(
  { ledger }: LoadContext,
  scheduleId: string,
  runs: readonly Run[],
  on: BooksOptions["on"],
): void {
  const atAll = ledger.provocations.filter(({ profileIds }) => profileIds === "all");
  for (let from = on.from; from + 2 * minuteMs < on.to; from += minuteMs) {
    const to = from + minuteMs;
    if (atAll.some((provocation) => overlaps(provocation, from, to + minuteMs))) continue;
    const found = runs.some(({ startedAt }) => Date.parse(startedAt) >= from && Date.parse(startedAt) <= to);
    if (!found && runs.length < 100)
      ledger.wrong(`schedule ${scheduleId} has no run in the minute from ${new Date(from).toISOString()}`);
  }
}

const overlaps = (provocation: Provocation, from: number, to: number) =>
  provocation.from <= to && provocation.to >= from;

/** Each part of a batch takes a row, which is used if the part completed, and free otherwise. */
async function accountForRows({ target, ledger }: LoadContext, id: string, completed: number): Promise<void> {
  const datasets = await target.get<Dataset[]>("/v1/datasets");
  const rows = datasets.find((dataset) => dataset.id === id)?.rows;
  if (rows?.reserved !== 0) ledger.wrong(`${rows?.reserved} rows are reserved for runs that have ended`);
  if (rows?.used !== completed) ledger.wrong(`${rows?.used} rows are used, but ${completed} parts completed`);
}
