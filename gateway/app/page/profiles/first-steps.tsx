/** The way to a first profile, a first script and a first run; gone once a run exists. */
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Run, ScriptListing } from "../../../../protocol/records.ts";
import { app, get } from "../api.ts";
import { useLive } from "../live.ts";
import { RunDialog } from "../runs/run-dialog.tsx";
import { CreateButton } from "./create-dialog.tsx";

interface Progress {
  profiles: number;
  newest: ScriptListing | undefined;
}

/** Once a run exists, this window does not ask again. */
let done = false;

async function newestScript(): Promise<{ newest: ScriptListing | undefined } | null> {
  if (!done) done = (await get<Run[]>("/v1/runs?limit=1")).length > 0;
  return done ? null : { newest: (await app.listScripts({})).at(-1) };
}

/** Null: a run exists, or nothing is known yet. */
export function useFirstSteps(profiles: number, complete: boolean): Progress | null {
  const { value } = useLive(["scripts", "runs"], newestScript);
  return value === null || !complete ? null : { profiles, ...value };
}

export function FirstSteps({ progress }: { progress: Progress }) {
  const [running, setRunning] = useState(false);
  const { profiles, newest } = progress;
  const now = profiles === 0 ? 1 : newest === undefined ? 2 : 3;
  return (
    <section class="card steps" aria-label="First steps">
      <h2>First steps</h2>
      <ol>
        <Step
          at={1}
          now={now}
          text="Create a profile: a browser with its own identity, cookies, logins and proxy."
        >
          <CreateButton label="Create a profile" />
        </Step>
        <Step
          at={2}
          now={now}
          text="Add a script: what the profile is to do. An example is there to begin with."
        >
          <a class="button main" href="#/scripts/new">
            Add a script
          </a>
        </Step>
        <Step at={3} now={now} text="Run it on the profile, and watch its log, its output and its pictures.">
          <button type="button" class="main" onClick={() => setRunning(true)}>
            Run {newest?.name}
          </button>
        </Step>
      </ol>
      {running && newest !== undefined ? (
        <RunDialog script={newest} onClose={() => setRunning(false)} />
      ) : null}
    </section>
  );
}

/** Its button is shown when it is next. */
function Step(props: { at: number; now: number; text: string; children: ComponentChildren }) {
  const { at, now, text, children } = props;
  return (
    <li class={at < now ? "done" : undefined} aria-current={at === now ? "step" : undefined}>
      <span>
        {text}
        {at < now ? <strong class="good"> Done</strong> : null}
      </span>
      {at === now ? children : null}
    </li>
  );
}
