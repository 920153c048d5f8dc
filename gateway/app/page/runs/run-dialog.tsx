/** Starts a run: profiles, variables, window and concurrency. */
import { useEffect, useState } from "preact/hooks";
import { limits } from "../../../../protocol/limits.ts";
import type { Run, ScriptListing } from "../../../../protocol/records.ts";
import { app, post } from "../api.ts";
import { Field } from "../parts/field.tsx";
import { FormDialog } from "../parts/form-dialog.tsx";
import { ProfilePicker } from "../profiles/profile-picker.tsx";
import { useKept } from "../profiles/store.ts";
import { goTo } from "../route.ts";

export interface RunDialogProps {
  script: Pick<ScriptListing, "id" | "name" | "approved">;
  chosen?: readonly string[];
  note?: string;
  onClose(): void;
}

/** Parses lines of `NAME=value`. Throws for a line without a name. */
function readVariables(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf("=");
      if (at < 1) throw new Error(`variables must be NAME=value, one per line; got ${line}`);
      return [line.slice(0, at).trim(), line.slice(at + 1)];
    }),
  );
}

interface Wanted {
  profileIds: string[];
  variables: Record<string, string>;
  headless: boolean;
  concurrency: number;
}

/** A script that is not approved starts as a single run, so that the service refuses too many profiles. */
async function start({ id, approved }: RunDialogProps["script"], wanted: Wanted): Promise<Run> {
  const { profileIds, variables, headless, concurrency } = wanted;
  if (approved && profileIds.length > 1) {
    return app.startBatch({ scriptId: id, profileIds, variables, headless, concurrency, staggerMs: 0 });
  }
  return post<Run>("/v1/scripts/run", { script_id: id, profile_ids: profileIds, variables, headless });
}

export function RunDialog({ script, chosen: first = [], note, onClose }: RunDialogProps) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(first));
  const [variables, setVariables] = useState("");
  const [headless, setHeadless] = useState(false);
  const [concurrency, setConcurrency] = useState("");
  const { kept, complete } = useKept();
  const only = complete && kept.length === 1 ? kept[0]?.id : undefined;
  useEffect(() => {
    if (only !== undefined) setChosen(new Set([only]));
  }, [only]);
  const run = async () => {
    const started = await start(script, {
      profileIds: [...chosen],
      variables: readVariables(variables),
      headless,
      concurrency: Number(concurrency) || 0,
    });
    onClose();
    goTo("runs", started.id);
  };
  return (
    <FormDialog
      title={`Run ${script.name}`}
      submit={`Run on ${chosen.size} ${chosen.size === 1 ? "profile" : "profiles"}`}
      ready={chosen.size > 0 && (script.approved || chosen.size <= limits.unapprovedProfilesMax)}
      act={run}
      onClose={onClose}
    >
      {note === undefined ? null : <p class="warn">{note}</p>}
      {script.approved ? null : (
        <p class="warn">
          Not approved: the script runs on at most {limits.unapprovedProfilesMax} profiles, without their
          stored variables.
        </p>
      )}
      <ProfilePicker chosen={chosen} onChange={setChosen} />
      <Field label="Variables" hint="NAME=value, one per line. They override the profiles' stored variables.">
        <textarea rows={2} value={variables} onInput={(event) => setVariables(event.currentTarget.value)} />
      </Field>
      <Field label="Concurrent browsers" hint="Empty: as many as this machine and the plan allow.">
        <input
          type="number"
          min={1}
          value={concurrency}
          disabled={!script.approved}
          onInput={(event) => setConcurrency(event.currentTarget.value)}
        />
      </Field>
      <p>
        <label>
          <input
            type="checkbox"
            checked={headless}
            onChange={(event) => setHeadless(event.currentTarget.checked)}
          />{" "}
          Headless browsers
        </label>
      </p>
    </FormDialog>
  );
}
