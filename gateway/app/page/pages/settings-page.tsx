/** Settings of the service, and the limits of the plan. */
import { useEffect, useState } from "preact/hooks";
import type { Settings } from "../../../../protocol/records.ts";
import { app } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { Field } from "../parts/field.tsx";

type Numbers =
  | "idleTimeoutSecs"
  | "browsersMax"
  | "expensiveCallsMax"
  | "runProfileTimeoutMs"
  | "runFilesKeptDays"
  | "runFilesMbMax";

const numbers: { name: Numbers; label: string; hint: string }[] = [
  {
    name: "idleTimeoutSecs",
    label: "Idle stop, in seconds",
    hint: "A browser that no call has named for so long is stopped; 0 means never.",
  },
  {
    name: "browsersMax",
    label: "Browsers at once",
    hint: "0 leaves it to the plan and to this machine's memory.",
  },
  {
    name: "expensiveCallsMax",
    label: "Expensive calls a minute and token",
    hint: "Launches, creations and runs; 0 switches the budget off.",
  },
  {
    name: "runProfileTimeoutMs",
    label: "Time of a script on one profile, in milliseconds",
    hint: "After this its part of the run is ended as failed.",
  },
  {
    name: "runFilesKeptDays",
    label: "Files of runs, in days",
    hint: "So long they are kept after the run; 0 means for ever.",
  },
  {
    name: "runFilesMbMax",
    label: "Files of runs, in MiB",
    hint: "Of all runs together: beyond it the oldest go; 0 means without limit.",
  },
];

const levels: [Settings["isolationMin"], string][] = [
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
      {numbers.map(({ name, label, hint }) => (
        <Field key={name} label={label} hint={hint}>
          <input
            type="number"
            min={0}
            required
            value={draft[name]}
            onInput={(event) => setDraft({ ...draft, [name]: event.currentTarget.valueAsNumber || 0 })}
          />
        </Field>
      ))}
      <Field
        label="Echo services"
        hint="Asked through a proxy for its exit's address and place: one URL a line, tried in order."
      >
        <textarea rows={3} value={urls} onInput={(event) => setUrls(event.currentTarget.value)} />
      </Field>
      <Field
        label="Geo file"
        hint="A file in MaxMind's format on this machine; it fills in what the echo service does not say."
      >
        <input
          value={draft.geoFile ?? ""}
          onInput={(event) => setDraft({ ...draft, geoFile: event.currentTarget.value || null })}
        />
      </Field>
      <Field
        label="Scripts that are not approved"
        hint="What this system must wall them off from, or they are refused. See: troupe doctor."
      >
        <select
          value={draft.isolationMin}
          onChange={(event) => {
            const chosen = levels.find(([level]) => level === event.currentTarget.value);
            if (chosen !== undefined) setDraft({ ...draft, isolationMin: chosen[0] });
          }}
        >
          {levels.map(([level, label]) => (
            <option key={level} value={level}>
              {label}
            </option>
          ))}
        </select>
      </Field>
      <button type="submit" class="main">
        Save
      </button>
    </form>
  );
}

function PlanCard({ plan }: { plan: Settings["plan"] }) {
  const facts: [string, string][] = [
    ["Plan", plan.name],
    ["API", plan.api ? "included" : "not included"],
    ["Scripts (Flow)", plan.flow ? "included" : "not included"],
    ["Parallel runs", plan.parallelRuns ? "included" : "not included"],
    ["Profiles", `up to ${plan.profilesMax}`],
    ["Browsers at once", `up to ${plan.browsersMax}`],
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
