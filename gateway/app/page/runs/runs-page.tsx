/** Runs: the newest first, with their progress. */
import { useState } from "preact/hooks";
import type { Run } from "../../../../protocol/records.ts";
import { app, get } from "../api.ts";
import { useLive } from "../live.ts";
import { When } from "../parts/field.tsx";
import { RunDetail } from "./run-detail.tsx";
import { Progress, Status, starterOf } from "./run-words.tsx";

/** protocol/README.md, "Limits": the default and the maximum. */
const shownFirst = 20;
const shownMost = 100;

export function RunsPage({ rest: [runId] }: { rest: string[] }) {
  return runId === undefined ? <RunList /> : <RunDetail key={runId} runId={runId} />;
}

function RunList() {
  const [limit, setLimit] = useState(shownFirst);
  const runs = useLive(["runs"], () => get<Run[]>(`/v1/runs?limit=${limit}`), String(limit));
  const scripts = useLive(["scripts"], () => app.listScripts({}));
  const names = new Map(scripts.value?.map(({ id, name }) => [id, name]));
  const list = runs.value ?? [];
  return (
    <>
      <h1>Runs</h1>
      {runs.error === null ? null : <p class="bad">{runs.error}</p>}
      {runs.value?.length === 0 ? (
        <p class="card soft">
          No run yet. Start one from <a href="#/scripts">a script</a>.
        </p>
      ) : null}
      {list.length === 0 ? null : (
        <ul class="records card">
          {list.map((run) => (
            <li key={run.id}>
              <span>
                <a href={`#/runs/${run.id}`}>{names.get(run.scriptId ?? "") ?? "deleted script"}</a>
                <br />
                <span class="soft">
                  started by {starterOf(run)}, <When at={run.startedAt} />
                </span>
              </span>
              <Status status={run.status} />
              <Progress run={run} />
              <span class="bad">{run.error}</span>
            </li>
          ))}
        </ul>
      )}
      {list.length === limit && limit < shownMost ? (
        <button type="button" onClick={() => setLimit(shownMost)}>
          Show up to {shownMost}
        </button>
      ) : null}
    </>
  );
}
