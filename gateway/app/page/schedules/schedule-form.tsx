/** The form of a new schedule: an approved script, profiles, and the timing fields of the chosen type. */
import { useState } from "preact/hooks";
import type { ScheduleType } from "../../../../protocol/schedules.ts";
import { app, post } from "../api.ts";
import { useLive } from "../live.ts";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { MeasureInput } from "../parts/measure-input.tsx";
import { milliseconds } from "../parts/measures.ts";
import { ProfilePicker } from "../profiles/profile-picker.tsx";
import { firstTiming, scheduleTypes, TimingFields, timingBody } from "./schedule-timing.tsx";

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
const numberOr = (text: string) => (text === "" ? undefined : Number(text));

export function ScheduleForm({ onClose }: { onClose(): void }) {
  const [draft, setDraft] = useState(firstDraft);
  const [timing, setTiming] = useState(firstTiming);
  const status = useLive(["settings"], () => app.status({}));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const create = async () => {
    await post("/v1/schedules", {
      name: draft.name,
      script_id: draft.scriptId,
      profile_ids: [...chosen],
      enabled: draft.enabled,
      concurrency: numberOr(draft.concurrency),
      stagger_ms: draft.staggerMs,
      ...timingBody(timing),
    });
    onClose();
  };
  const typeOf = (value: string) => scheduleTypes.find(({ type }) => type === value)?.type ?? timing.type;
  return (
    <FormDialog
      title="New schedule"
      submit="Create schedule"
      ready={draft.scriptId !== "" && chosen.size > 0}
      act={create}
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
