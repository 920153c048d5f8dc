/** One run: its progress, the state and output of each profile, cancel and retry. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Run, RunProfile, Script } from "../../../../protocol/records.ts";
import type { RunProfilesReply } from "../../../../protocol/run-requests.ts";
import { get, post } from "../api.ts";
import { useLive } from "../live.ts";
import { attempt } from "../notices.tsx";
import { When } from "../parts/field.tsx";
import { Pager } from "../parts/pager.tsx";
import { Table } from "../parts/table.tsx";
import { useNames } from "../profiles/store.ts";
import { OutputTable } from "./output-table.tsx";
import { RunDialog } from "./run-dialog.tsx";
import { useRunLogs } from "./run-log.ts";
import { lasted, Progress, Status, starterOf } from "./run-words.tsx";

const partsShown = 100;
const perCall = 1_000;
/** A run of at most so many profiles shows their logs unfolded. */
const fewParts = 3;

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
  return (
    <>
      <p>
        <a href="#/runs">All runs</a>
      </p>
      <h1>Run of {script?.name ?? "a script"}</h1>
      <Head run={run} script={script} />
      <Parts run={run} parts={parts} logs={logs} offset={offset} nameOf={nameOf} onOffset={setOffset} />
      <OutputTable runId={run.id} parts={parts} nameOf={nameOf} readAll={() => allParts(run)} />
    </>
  );
}

function Head({ run, script }: { run: Run; script: Script | null }) {
  const [again, setAgain] = useState<string[] | null>(null);
  const cancel = () => post(`/v1/runs/${run.id}/cancel`);
  const retry = async () => {
    const parts = await allParts(run);
    setAgain(parts.filter(({ status }) => status === "failed").map(({ profileId }) => profileId));
  };
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
      <div class="row">
        {run.status === "running" ? (
          <button
            type="button"
            class="danger"
            onClick={() => void attempt(cancel, "The run is being cancelled.")}
          >
            Cancel run
          </button>
        ) : null}
        {run.status !== "running" && run.profilesFailed > 0 && script !== null ? (
          <button type="button" onClick={() => void attempt(retry)}>
            Retry failed profiles ({run.profilesFailed})
          </button>
        ) : null}
      </div>
      {again === null || script === null ? null : (
        <RunDialog
          script={script}
          chosen={again}
          note="The variables of the first run are not stored. Enter them again."
          onClose={() => setAgain(null)}
        />
      )}
    </section>
  );
}

interface PartsProps {
  run: Run;
  parts: readonly RunProfile[];
  logs: ReturnType<typeof useRunLogs>;
  offset: number;
  nameOf(id: string): string;
  onOffset(offset: number): void;
}

function Parts({ run, parts, logs, offset, nameOf, onOffset }: PartsProps) {
  return (
    <section class="card" aria-label="Profiles">
      <div class="row ends">
        <h2>Profiles</h2>
        <Pager offset={offset} limit={partsShown} total={run.profilesTotal} onOffset={onOffset} />
      </div>
      <Table
        label="Profiles of the run"
        class="run-parts"
        heads={["Profile", "Status", "Duration", "Output"]}
      >
        {parts.map((part) => (
          <Part
            key={part.profileId}
            part={part}
            tail={logs.get(part.profileId)}
            isOpen={run.profilesTotal <= fewParts}
            name={nameOf(part.profileId)}
          />
        ))}
      </Table>
    </section>
  );
}

interface PartProps {
  part: RunProfile;
  tail: { lines: readonly string[]; count: number } | undefined;
  isOpen: boolean;
  name: string;
}

function Part({ part, tail, isOpen, name }: PartProps) {
  const { status, error, result, files } = part;
  const going = status === "running" && tail !== undefined;
  const log = going ? tail.lines : part.log;
  const ended = status !== "waiting" && status !== "running";
  const value = status === "running" ? {} : { value: ended ? 1 : 0 };
  return (
    <tr>
      <td>{name}</td>
      <td>
        <Status status={status} />
        <br />
        <progress class="part" max={1} {...value} aria-label={`${name}: ${status}`} />
      </td>
      <td>{lasted(part.startedAt, part.completedAt)}</td>
      <td>
        {error === null ? null : <p class="bad">{error}</p>}
        {log.length === 0 ? null : (
          <Log lines={log} count={going ? tail.count : log.length} going={going} isOpen={isOpen} />
        )}
        {result === null ? null : <Folded title="Result" text={JSON.stringify(result, null, 2)} />}
        {files.length === 0 ? null : <Folded title={`Files (${files.length})`} text={files.join("\n")} />}
      </td>
    </tr>
  );
}

interface LogProps {
  /** The last lines; `count` is the total. */
  lines: readonly string[];
  count: number;
  going: boolean;
  isOpen: boolean;
}

/** Scrolls along with new lines, unless the user has scrolled up. */
function Log({ lines, count, going, isOpen }: LogProps) {
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <details open={isOpen}>
      <summary>
        Log, {count} {count === 1 ? "line" : "lines"}
        {count > lines.length ? <span class="soft"> (last {lines.length} kept)</span> : null}
        {going ? <span class="last-line soft">{lines.at(-1)}</span> : null}
      </summary>
      <pre
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
        }}
      >
        {lines.join("\n")}
      </pre>
    </details>
  );
}

function Folded({ title, text }: { title: string; text: string }) {
  return (
    <details>
      <summary>{title}</summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{text}</pre>
    </details>
  );
}
