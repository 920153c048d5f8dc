/** Runs: the newest first, with their progress. */
import { useMemo, useState } from "preact/hooks";
import type { Run } from "../../../../protocol/records.ts";
import { app, get } from "../api.ts";
import { useLive } from "../live.ts";
import { Empty } from "../parts/empty.tsx";
import { type Column, useSort } from "../parts/sort.ts";
import { Table } from "../parts/table.tsx";
import { lasted, When } from "../parts/when.tsx";
import { RunDetail } from "./run-detail.tsx";
import { durationOf, Progress, Status, starterOf } from "./run-words.tsx";

/** protocol/README.md, "Limits": the default and the maximum. */
const shownFirst = 20;
const shownMost = 100;

export function RunsPage({ rest: [runId] }: { rest: string[] }) {
  return runId === undefined ? <RunList /> : <RunDetail key={runId} runId={runId} />;
}

interface Named {
  run: Run;
  script: string;
}

const columns: Column<Named>[] = [
  { head: "Script", key: ({ script }) => script },
  { head: "Status", key: ({ run }) => run.status },
  { head: "Profiles", key: ({ run }) => run.profilesTotal },
  { head: "Started", key: ({ run }) => run.startedAt },
  { head: "Duration", key: ({ run }) => durationOf(run) },
  { head: "By", key: ({ run }) => starterOf(run) },
];

function RunList() {
  const [limit, setLimit] = useState(shownFirst);
  const runs = useLive(["runs"], () => get<Run[]>(`/v1/runs?limit=${limit}`), String(limit));
  const scripts = useLive(["scripts"], () => app.listScripts({}));
  const list = useMemo(() => {
    const names = new Map(scripts.value?.map(({ id, name }) => [id, name]));
    return (runs.value ?? []).map((run) => ({
      run,
      script: names.get(run.scriptId ?? "") ?? (scripts.value === null ? "…" : "deleted script"),
    }));
  }, [runs.value, scripts.value]);
  return (
    <>
      <h1>Runs</h1>
      {runs.error === null ? null : <p class="bad">{runs.error}</p>}
      {runs.value?.length === 0 ? <NoRun script={scripts.value?.at(-1)} /> : null}
      {list.length === 0 ? null : <RunTable list={list} />}
      {list.length === limit && limit < shownMost ? (
        <button type="button" onClick={() => setLimit(shownMost)}>
          Show up to {shownMost}
        </button>
      ) : null}
    </>
  );
}

function NoRun({ script }: { script: { id: string; name: string } | undefined }) {
  return (
    <Empty
      title="No run yet"
      first={
        script === undefined ? (
          <a class="button main" href="#/scripts">
            Add a script
          </a>
        ) : (
          <a class="button main" href={`#/scripts/${script.id}`}>
            Run {script.name}
          </a>
        )
      }
    >
      A run is a script at work on one profile or on hundreds. Its log, output, files and failures are shown
      here while it runs, and afterwards.
    </Empty>
  );
}

function RunTable({ list }: { list: readonly Named[] }) {
  const { sorted, heads } = useSort(list, columns);
  return (
    <div class="card">
      <Table label="Runs" class="stack" heads={heads}>
        {sorted.map(({ run, script }) => (
          <tr key={run.id}>
            <td>
              <a href={`#/runs/${run.id}`}>{script}</a>
              {run.error === null ? null : <p class="bad said">{run.error}</p>}
            </td>
            <td data-label="Status">
              <Status status={run.status} />
            </td>
            <td data-label="Profiles">
              <Progress run={run} />
            </td>
            <td data-label="Started">
              <When at={run.startedAt} />
            </td>
            <td data-label="Duration" class="nowrap">
              {lasted(run.startedAt, run.completedAt)}
            </td>
            <td data-label="By">{starterOf(run)}</td>
          </tr>
        ))}
      </Table>
    </div>
  );
}
