/** Schedules: timing, next and last run, and the switch of each. */
import { useState } from "preact/hooks";
import type { Run, ScriptListing } from "../../../../protocol/records.ts";
import type { Schedule } from "../../../../protocol/schedules.ts";
import { app, get, post } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { counted } from "../parts/counted.ts";
import { Empty } from "../parts/empty.tsx";
import { type Column, useSort } from "../parts/sort.ts";
import { Switch } from "../parts/switch.tsx";
import { Table } from "../parts/table.tsx";
import { When } from "../parts/when.tsx";
import { Status } from "../runs/run-words.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import { timingWords } from "./schedule-timing.tsx";

export function SchedulesPage() {
  const [edited, setEdited] = useState<Schedule | "new" | null>(null);
  const schedules = useLive(["schedules", "runs"], () => get<Schedule[]>("/v1/schedules"));
  const scripts = useLive(["scripts"], () => app.listScripts({}));
  const first = (
    <button type="button" class="main" onClick={() => setEdited("new")}>
      New schedule
    </button>
  );
  return (
    <>
      <div class="row ends">
        <h1>Schedules</h1>
        {schedules.value?.length === 0 ? null : first}
      </div>
      {schedules.error === null ? null : <p class="bad">{schedules.error}</p>}
      {schedules.value?.length === 0 ? (
        <Empty title="No schedule yet" first={first}>
          A schedule runs an approved script on profiles at set times: once, at intervals, every day or week,
          or by a cron expression.
        </Empty>
      ) : null}
      {schedules.value === null || schedules.value.length === 0 ? null : (
        <ScheduleTable schedules={schedules.value} scripts={scripts.value ?? []} onEdit={setEdited} />
      )}
      {edited === null ? null : (
        <ScheduleForm schedule={edited === "new" ? null : edited} onClose={() => setEdited(null)} />
      )}
    </>
  );
}

const columns: Column<Schedule>[] = [
  { head: "On", key: ({ enabled }) => (enabled ? 0 : 1) },
  { head: "Name", key: ({ name }) => name },
  { head: "Runs", key: timingWords },
  { head: "Next run", key: ({ nextRun }) => nextRun },
  { head: "Last run", key: ({ lastRunAt }) => lastRunAt },
  { head: "Actions" },
];

interface TableProps {
  schedules: Schedule[];
  scripts: ScriptListing[];
  onEdit(schedule: Schedule): void;
}

function ScheduleTable({ schedules, scripts, onEdit }: TableProps) {
  const { sorted, heads } = useSort(schedules, columns);
  return (
    <div class="card">
      <Table label="Schedules" class="stack" heads={heads}>
        {sorted.map((schedule) => (
          <ScheduleRow
            key={schedule.id}
            schedule={schedule}
            script={scripts.find(({ id }) => id === schedule.scriptId)}
            onEdit={() => onEdit(schedule)}
          />
        ))}
      </Table>
    </div>
  );
}

interface RowProps {
  schedule: Schedule;
  script: ScriptListing | undefined;
  onEdit(): void;
}

function ScheduleRow({ schedule, script, onEdit }: RowProps) {
  const { id, name, enabled, profileIds, lastRunId, lastRunStatus } = schedule;
  const turn = () => post(`/v1/schedules/${id}/enabled`, { enabled: !enabled });
  const runNow = async () => {
    const run = await post<Run>(`/v1/schedules/${id}/run`);
    if (run.status === "skipped") throw new Error(`The run was skipped: ${run.error}`);
  };
  const remove = () => {
    if (!confirm(`Delete the schedule "${name}"? Its runs are kept.`)) return;
    void attempt(() => app.deleteSchedule({ scheduleId: id }), `Schedule ${name} is deleted.`);
  };
  return (
    <tr>
      <td>
        <Switch label={`${name} is on`} on={enabled} onTurn={() => void attempt(turn)} />
      </td>
      <td>
        <strong>{name}</strong>
        <br />
        <span class="soft">
          {script === undefined ? "deleted script" : <a href={`#/scripts/${script.id}`}>{script.name}</a>},{" "}
          {counted(profileIds.length, "profile")}
        </span>
        {script?.approved === false ? (
          <p class="warn">The script has changed and is not approved: runs are skipped until it is.</p>
        ) : null}
      </td>
      <td data-label="Runs">{timingWords(schedule)}</td>
      <td data-label="Next run">
        <When at={schedule.nextRun} never={enabled ? "none" : "off"} />
      </td>
      <td data-label="Last run">
        {lastRunStatus === null ? (
          <span class="soft">never</span>
        ) : (
          <>
            <a href={`#/runs/${lastRunId}`}>
              <Status status={lastRunStatus} />
            </a>{" "}
            <When at={schedule.lastRunAt} />
          </>
        )}
      </td>
      <td>
        <div class="row tight">
          <button
            type="button"
            aria-label={`Run ${name} now`}
            onClick={() => void attempt(runNow, `${name} is started.`)}
          >
            Run now
          </button>
          <button type="button" aria-label={`Edit ${name}`} onClick={onEdit}>
            Edit
          </button>
          <button type="button" class="danger" aria-label={`Delete ${name}`} onClick={remove}>
            Delete
          </button>
        </div>
      </td>
    </tr>
  );
}
