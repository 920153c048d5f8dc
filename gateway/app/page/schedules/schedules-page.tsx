/** Schedules: timing, next and last run, and the switch of each. */
import { useState } from "preact/hooks";
import type { Run, ScriptListing } from "../../../../protocol/records.ts";
import type { Schedule } from "../../../../protocol/schedules.ts";
import { app, get, post } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { counted } from "../parts/counted.ts";
import { When } from "../parts/field.tsx";
import { Table } from "../parts/table.tsx";
import { Status } from "../runs/run-words.tsx";
import { ScheduleForm } from "./schedule-form.tsx";
import { timingWords } from "./schedule-timing.tsx";

export function SchedulesPage() {
  const [creating, setCreating] = useState(false);
  const schedules = useLive(["schedules", "runs"], () => get<Schedule[]>("/v1/schedules"));
  const scripts = useLive(["scripts"], () => app.listScripts({}));
  return (
    <>
      <div class="row ends">
        <h1>Schedules</h1>
        <button type="button" class="main" onClick={() => setCreating(true)}>
          New schedule
        </button>
      </div>
      {schedules.error === null ? null : <p class="bad">{schedules.error}</p>}
      {schedules.value?.length === 0 ? (
        <p class="soft">No schedule yet. A schedule runs an approved script on profiles at set times.</p>
      ) : null}
      {schedules.value === null || schedules.value.length === 0 ? null : (
        <ScheduleTable schedules={schedules.value} scripts={scripts.value ?? []} />
      )}
      {creating ? <ScheduleForm onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function ScheduleTable({ schedules, scripts }: { schedules: Schedule[]; scripts: ScriptListing[] }) {
  const nameOf = (scriptId: string) => scripts.find(({ id }) => id === scriptId)?.name ?? "deleted script";
  return (
    <div class="card">
      <Table
        label="Schedules"
        class="stack"
        heads={["On", "Name", "Runs", "Next run", "Last run", "Actions"]}
      >
        {schedules.map((schedule) => (
          <ScheduleRow key={schedule.id} schedule={schedule} script={nameOf(schedule.scriptId)} />
        ))}
      </Table>
    </div>
  );
}

function ScheduleRow({ schedule, script }: { schedule: Schedule; script: string }) {
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
        <button
          type="button"
          role="switch"
          aria-label={`${name} is on`}
          aria-checked={enabled}
          onClick={() => void attempt(turn)}
        >
          {enabled ? "On" : "Off"}
        </button>
      </td>
      <td>
        <strong>{name}</strong>
        <br />
        <span class="soft">
          {script}, {counted(profileIds.length, "profile")}
        </span>
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
          <button type="button" class="danger" aria-label={`Delete ${name}`} onClick={remove}>
            Delete
          </button>
        </div>
      </td>
    </tr>
  );
}
