/** The form of a schedule: an approved script, profiles, and the timing fields of the chosen type. */
import { useState } from "preact/hooks";
import type { Schedule, ScheduleType } from "../../../../protocol/schedules.ts";
import { app, patch, post } from "../api.ts";
import { useLive } from "../live.ts";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { MeasureInput } from "../parts/measure-input.tsx";
import { milliseconds } from "../parts/measures.ts";
import { ProfilePicker } from "../profiles/profile-picker.tsx";
import {
  firstTiming,
  givenTiming,
  sameTiming,
  scheduleTypes,
  TimingFields,
  timingBody,
} from "./schedule-timing.tsx";

interface Draft {
  name: string;
  scriptId: string;
  enabled: boolean;
  /** Empty: the service's default. */
  concurrency: string;
  staggerMs: number;
}

const firstDraft: Draft = { name: "", scriptId: "", enabled: true, concurrency: "", staggerMs: 0 };
/** protocol/README.md, "Scripts, runs". */
const staggerMsMax = 600_000;

function draftOf({ name, scriptId, enabled, concurrency, staggerMs }: Schedule): Draft {
  return { name, scriptId, enabled, concurrency: String(concurrency ?? ""), staggerMs };
}

/** `schedule`: the one to change; null for a new one. */
export function ScheduleForm({ schedule, onClose }: { schedule: Schedule | null; onClose(): void }) {
  const [draft, setDraft] = useState(schedule === null ? firstDraft : draftOf(schedule));
  const [timing, setTiming] = useState(schedule === null ? firstTiming : givenTiming(schedule));
  const status = useLive(["settings"], () => app.status({}));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(schedule?.profileIds));
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const save = async () => {
    const { name, scriptId, enabled, staggerMs } = draft;
    const concurrency = draft.concurrency === "" ? null : Number(draft.concurrency);
    const body = { name, script_id: scriptId, profile_ids: [...chosen], stagger_ms: staggerMs };
    if (schedule === null) {
      const most = concurrency === null ? {} : { concurrency };
      await post("/v1/schedules", { ...body, ...most, enabled, ...timingBody(timing) });
    } else {
      // Sent again, they would compute the next run from now.
      const turned = enabled === schedule.enabled ? {} : { enabled };
      const moved = sameTiming(timing, givenTiming(schedule)) ? {} : timingBody(timing);
      await patch(`/v1/schedules/${schedule.id}`, { ...body, concurrency, ...turned, ...moved });
    }
    onClose();
  };
  const typeOf = (value: string) => scheduleTypes.find(({ type }) => type === value)?.type ?? timing.type;
  return (
    <FormDialog
      title={schedule === null ? "New schedule" : `Edit ${schedule.name}`}
      submit={schedule === null ? "Create schedule" : "Save schedule"}
      ready={draft.scriptId !== "" && chosen.size > 0}
      act={save}
      onClose={onClose}
    >
      <Field label="Name">
        <input
          required
          maxLength={200}
          value={draft.name}
          onInput={(event) => change({ name: event.currentTarget.value })}
        />
      </Field>
      <ScriptSelect value={draft.scriptId} onChange={(scriptId) => change({ scriptId })} />
      <Field label="Runs" hint={zoneHint(timing.type, status.value?.timezone)}>
        <select
          value={timing.type}
          onChange={(event) => setTiming({ ...timing, type: typeOf(event.currentTarget.value) })}
        >
          {scheduleTypes.map(({ type, label }) => (
            <option key={type} value={type}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <TimingFields draft={timing} change={(part) => setTiming({ ...timing, ...part })} />
      <ProfilePicker chosen={chosen} onChange={setChosen} />
      <Pace draft={draft} change={change} />
    </FormDialog>
  );
}

/** A date is typed in the zone of this browser, which may be on another machine; repeated times are in that of the service. */
function zoneHint(type: ScheduleType, zone = ""): string {
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (type === "interval" || zone === "") return "";
  if (type === "once") return `In this browser's time zone: ${here}.`;
  const shown = zone === here ? "" : ` This page shows times in ${here}.`;
  return `In the time zone of the machine on which Troupe runs: ${zone}.${shown}`;
}

function ScriptSelect({ value, onChange }: { value: string; onChange(scriptId: string): void }) {
  const scripts = useLive(["scripts"], () => app.listScripts({}));
  const approved = (scripts.value ?? []).filter((script) => script.approved);
  const none = scripts.value !== null && approved.length === 0;
  return (
    <Field
      label="Script"
      hint={none ? "No script is approved. Approve one on the Scripts page first." : "Approved scripts only."}
    >
      <select required value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">choose …</option>
        {approved.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Pace({ draft, change }: { draft: Draft; change(part: Partial<Draft>): void }) {
  return (
    <>
      <div class="row">
        <Field label="Concurrent browsers">
          <input
            type="number"
            min={1}
            placeholder="automatic"
            value={draft.concurrency}
            onInput={(event) => change({ concurrency: event.currentTarget.value })}
          />
        </Field>
        <Field label="Delay between starts" hint="Such as 500ms or 2s">
          <MeasureInput
            measure={milliseconds}
            value={draft.staggerMs}
            most={staggerMsMax}
            onChange={(staggerMs) => change({ staggerMs })}
          />
        </Field>
      </div>
      <p>
        <label>
          <input
            type="checkbox"
            checked={draft.enabled}
            onChange={(event) => change({ enabled: event.currentTarget.checked })}
          />{" "}
          Enabled
        </label>
      </p>
    </>
  );
}
