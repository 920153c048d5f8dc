/** One run: its progress, its failures, the state and output of each profile, cancel and retry. */
import { useState } from "preact/hooks";
import type { Run, RunProfile, Script } from "../../../../protocol/records.ts";
import type { RunProfilesReply } from "../../../../protocol/run-requests.ts";
import { get, post } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { lasted, When } from "../parts/when.tsx";
import { useNames } from "../profiles/store.ts";
import { goTo } from "../route.ts";
import { OutputTable } from "./output-table.tsx";
import { RunDialog } from "./run-dialog.tsx";
import { RunFailures } from "./run-failures.tsx";
import { useRunLogs } from "./run-log.ts";
import { Parts, partsShown } from "./run-parts.tsx";
import { Progress, Status, starterOf } from "./run-words.tsx";

const perCall = 1_000;

const partsPath = (runId: string, offset: number, limit: number) =>
  `/v1/runs/${runId}/profiles?offset=${offset}&limit=${limit}`;

async function allParts({ id, profilesTotal }: Run): Promise<RunProfile[]> {
  const parts: RunProfile[] = [];
  for (let offset = 0; offset < profilesTotal; offset += perCall) {
    parts.push(...(await get<RunProfilesReply>(partsPath(id, offset, perCall))).profiles);
  }
  return parts;
}

export function RunDetail({ runId }: { runId: string }) {
  const [offset, setOffset] = useState(0);
  const [again, setAgain] = useState<string[] | null>(null);
  const { value, error } = useLive(
    ["runs"],
    () => get<RunProfilesReply>(partsPath(runId, offset, partsShown)),
    String(offset),
  );
  const nameOf = useNames();
  const scriptId = value?.run.scriptId ?? null;
  const script = useLive(
    ["scripts"],
    async () => (scriptId === null ? null : get<Script>(`/v1/scripts/${scriptId}`)),
    scriptId ?? "",
  ).value;
  const logs = useRunLogs(runId, value?.run.status === "running");
  if (value === null) return <p class={error === null ? "soft" : "bad"}>{error}</p>;
  const { run, profiles: parts } = value;
  const retryAll = async () =>
    goTo("runs", (await post<Run>(`/v1/runs/${run.id}/retry`, { only: "failed" })).id);
  const runAgain = async () => setAgain((await allParts(run)).map(({ profileId }) => profileId));
  const canRetry = run.status !== "running" && script !== null;
  return (
    <>
      <p>
        <a href="#/runs">All runs</a>
      </p>
      <h1>Run of {script?.name ?? "a script"}</h1>
      <Head run={run} script={script} onAgain={canRetry ? () => void attempt(runAgain) : null} />
      {run.profilesFailed === 0 ? null : (
        <RunFailures
          run={run}
          nameOf={nameOf}
          onRetry={canRetry ? setAgain : null}
          onRetryAll={() => void attempt(retryAll)}
        />
      )}
      <Parts {...{ run, parts, logs, offset, nameOf }} onOffset={setOffset} />
      <OutputTable runId={run.id} parts={parts} nameOf={nameOf} readAll={() => allParts(run)} />
      {again === null || script === null ? null : (
        <RunDialog
          script={script}
          chosen={again}
          note={`This starts with the variables that you enter here, not with those of that run.${run.profilesFailed === 0 ? "" : " “Retry failed profiles” takes them."}`}
          onClose={() => setAgain(null)}
        />
      )}
    </>
  );
}

interface HeadProps {
  run: Run;
  script: Script | null;
  /** Null: it cannot be run now. */
  onAgain: (() => void) | null;
}

function Head({ run, script, onAgain }: HeadProps) {
  const cancel = () => post(`/v1/runs/${run.id}/cancel`);
  return (
    <section class="card" aria-label="Run">
      <div class="inline-facts">
        <Status status={run.status} />
        <span class="soft">started by {starterOf(run)}</span>
        <span class="soft">
          <When at={run.startedAt} />
        </span>
        {run.completedAt === null ? null : (
          <span class="soft">duration {lasted(run.startedAt, run.completedAt)}</span>
        )}
        {script === null ? null : <a href={`#/scripts/${script.id}`}>{script.name}</a>}
      </div>
      <Progress run={run} />
      {run.error === null ? null : <p class="bad">{run.error}</p>}
      {run.status === "running" ? (
        <button
          type="button"
          class="danger"
          onClick={() => void attempt(cancel, "The run is being cancelled.")}
        >
          Cancel run
        </button>
      ) : null}
      {onAgain === null ? null : (
        <button type="button" onClick={onAgain}>
          Run again
        </button>
      )}
    </section>
  );
}
