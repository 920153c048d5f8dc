/** Settings of the service, and the limits of the plan. */
import { useEffect, useState } from "preact/hooks";
import type { Settings } from "../../../../protocol/records.ts";
import { app } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { Field } from "../parts/field.tsx";
import { MeasureInput } from "../parts/measure-input.tsx";
import { days, type Measure, mebibytes, milliseconds, seconds } from "../parts/measures.ts";
import { Extensions } from "./extensions.tsx";

type Numbers =
  | "idleTimeoutSecs"
  | "freezeAfterSecs"
  | "browsersMax"
  | "expensiveCallsMax"
  | "runProfileTimeoutMs"
  | "runFilesKeptDays"
  | "runFilesMbMax";

interface NumberField {
  name: Numbers;
  label: string;
  hint: string;
  /** Absent: a plain number. */
  measure?: Measure;
  least?: number;
}

const numbers: NumberField[] = [
  {
    name: "idleTimeoutSecs",
    label: "Idle timeout",
    hint: "A browser without a call for this time is stopped. 0: never.",
    measure: seconds,
  },
  {
    name: "freezeAfterSecs",
    label: "Freeze unused pages",
    hint: "Of browsers without a window. The next use wakes them. 0: never.",
    measure: seconds,
  },
  {
    name: "browsersMax",
    label: "Concurrent browsers",
    hint: "0: as many as the plan and this machine's memory allow.",
  },
  {
    name: "expensiveCallsMax",
    label: "Expensive calls per minute and token",
    hint: "Launches, creations and runs. 0: no limit.",
  },
  {
    name: "runProfileTimeoutMs",
    label: "Script timeout per profile",
    hint: "After this time the profile's part of the run fails. At least 1s.",
    measure: milliseconds,
    least: 1_000,
  },
  {
    name: "runFilesKeptDays",
    label: "Keep run files",
    hint: "Time after the end of the run. 0: forever.",
    measure: days,
  },
  {
    name: "runFilesMbMax",
    label: "Run files limit",
    hint: "For all runs together. Above the limit, the oldest files are deleted. 0: no limit.",
    measure: mebibytes,
  },
];

function SessionCookiesField({ value, onChange }: { value: boolean; onChange: (value: boolean) => void }) {
  return (
    <label class="field checked">
      <span>
        <input type="checkbox" checked={value} onInput={(event) => onChange(event.currentTarget.checked)} />{" "}
        Keep session cookies
      </span>
      <small class="soft">
        A stopped profile keeps the cookies that last for a browser session, so that its logins last.
      </small>
    </label>
  );
}

type Level = Settings["isolationMin"];

const levels: [Level, string][] = [
  ["sealed", "files, network and other processes"],
  ["namespaces", "network and other processes"],
  ["lock", "nothing"],
];

export function SettingsPage() {
  const { value } = useLive(["settings"], () => app.readSettings({}));
  return (
    <>
      <h1>Settings</h1>
      {value === null ? null : <SettingsForm stored={value} />}
      <Extensions />
      {value === null ? null : <PlanCard plan={value.plan} />}
    </>
  );
}

function SettingsForm({ stored }: { stored: Settings }) {
  const [draft, setDraft] = useState(stored);
  const [urls, setUrls] = useState(stored.echoUrls.join("\n"));
  useEffect(() => {
    setDraft(stored);
    setUrls(stored.echoUrls.join("\n"));
  }, [stored]);
  const save = () => {
    const { apiEnabled: _api, apiPort: _port, plan: _plan, ...rest } = draft;
    const echoUrls = urls.split(/\s+/).filter(Boolean);
    return app.changeSettings({
      settings: { ...rest, echoUrls },
    });
  };
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        void attempt(save, "Settings are saved.");
      }}
    >
      {numbers.map(({ name, label, hint, ...limits }) => (
        <Field key={name} label={label} hint={hint}>
          <NumberInput
            {...limits}
            value={draft[name]}
            onChange={(value) => setDraft({ ...draft, [name]: value })}
          />
        </Field>
      ))}
      <SessionCookiesField
        value={draft.keepSessionCookies}
        onChange={(keepSessionCookies) => setDraft({ ...draft, keepSessionCookies })}
      />
      <Field
        label="Echo services"
        hint="Called through a proxy to find its exit IP and location. One URL per line, tried in order."
      >
        <textarea rows={3} value={urls} onInput={(event) => setUrls(event.currentTarget.value)} />
      </Field>
      <Field
        label="Geo file"
        hint="A MaxMind database file on this machine, for what the echo service does not report."
      >
        <input
          value={draft.geoFile ?? ""}
          onInput={(event) => setDraft({ ...draft, geoFile: event.currentTarget.value || null })}
        />
      </Field>
      <IsolationField
        value={draft.isolationMin}
        onChange={(isolationMin) => setDraft({ ...draft, isolationMin })}
      />
      <button type="submit" class="main">
        Save
      </button>
    </form>
  );
}

interface NumberInputProps extends Pick<NumberField, "measure" | "least"> {
  value: number;
  onChange(value: number): void;
}

function NumberInput({ measure, least = 0, value, onChange }: NumberInputProps) {
  if (measure !== undefined) return <MeasureInput {...{ measure, least, value, onChange }} />;
  return (
    <input
      type="number"
      min={least}
      required
      value={value}
      onInput={(event) => onChange(event.currentTarget.valueAsNumber || 0)}
    />
  );
}

function IsolationField(props: { value: Level; onChange(level: Level): void }) {
  return (
    <Field
      label="Scripts that are not approved"
      hint="What the sandbox must isolate them from; without that isolation they are refused. See: troupe doctor."
    >
      <select
        value={props.value}
        onChange={(event) => {
          const chosen = levels.find(([level]) => level === event.currentTarget.value);
          if (chosen !== undefined) props.onChange(chosen[0]);
        }}
      >
        {levels.map(([level, label]) => (
          <option key={level} value={level}>
            {label}
          </option>
        ))}
      </select>
    </Field>
  );
}

function PlanCard({ plan }: { plan: Settings["plan"] }) {
  const facts: [string, string][] = [
    ["Plan", plan.name],
    ["API", plan.api ? "included" : "not included"],
    ["Scripts (Flow)", plan.flow ? "included" : "not included"],
    ["Parallel runs", plan.parallelRuns ? "included" : "not included"],
    ["Profiles", `up to ${plan.profilesMax}`],
    ["Concurrent browsers", `up to ${plan.browsersMax}`],
    ["Schedules", `up to ${plan.schedulesMax}`],
  ];
  return (
    <section class="card" aria-label="Plan">
      <h2>Plan</h2>
      <table>
        <tbody>
          {facts.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
