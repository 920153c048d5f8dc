/** The profiles of a run: the state, duration, log, result and files of each. */
import { useLayoutEffect, useRef } from "preact/hooks";
import type { Run, RunProfile } from "../../../../protocol/records.ts";
import { Pager } from "../parts/pager.tsx";
import { type Column, useSort } from "../parts/sort.ts";
import { Table } from "../parts/table.tsx";
import { lasted } from "../parts/when.tsx";
import { PartFiles } from "./part-files.tsx";
import type { useRunLogs } from "./run-log.ts";
import { durationOf, Status } from "./run-words.tsx";

export const partsShown = 100;
/** A run of at most so many profiles shows their logs unfolded. */
const fewParts = 3;

interface Named {
  part: RunProfile;
  name: string;
}

const columns: Column<Named>[] = [
  { head: "Profile", key: ({ name }) => name },
  { head: "Status", key: ({ part }) => part.status },
  { head: "Duration", key: ({ part }) => durationOf(part) },
  { head: "Output" },
];

interface PartsProps {
  run: Run;
  parts: readonly RunProfile[];
  logs: ReturnType<typeof useRunLogs>;
  offset: number;
  nameOf(id: string): string;
  onOffset(offset: number): void;
}

export function Parts({ run, parts, logs, offset, nameOf, onOffset }: PartsProps) {
  const named = parts.map((part) => ({ part, name: nameOf(part.profileId) }));
  const { sorted, heads } = useSort(named, columns);
  return (
    <section class="card" aria-label="Profiles">
      <div class="row ends">
        <h2>Profiles</h2>
        <Pager offset={offset} limit={partsShown} total={run.profilesTotal} onOffset={onOffset} />
      </div>
      <Table label="Profiles of the run" class="run-parts" heads={heads}>
        {sorted.map(({ part, name }) => (
          <Part
            key={part.profileId}
            runId={run.id}
            part={part}
            tail={logs.get(part.profileId)}
            isOpen={run.profilesTotal <= fewParts}
            name={name}
          />
        ))}
      </Table>
    </section>
  );
}

interface PartProps {
  runId: string;
  part: RunProfile;
  tail: { lines: readonly string[]; count: number } | undefined;
  isOpen: boolean;
  name: string;
}

function Part({ runId, part, tail, isOpen, name }: PartProps) {
  const { status, error, result, files } = part;
  const going = status === "running" && tail !== undefined;
  const log = going ? tail.lines : part.log;
  const ended = status !== "waiting" && status !== "running";
  const value = status === "running" ? {} : { value: ended ? 1 : 0 };
  return (
    <tr>
      <td>
        <a href={`#/profiles/${part.profileId}`}>{name}</a>
      </td>
      <td>
        <Status status={status} />
        <br />
        <progress class="part" max={1} {...value} aria-label={`${name}: ${status}`} />
      </td>
      <td class="nowrap">{lasted(part.startedAt, part.completedAt)}</td>
      <td>
        {error === null ? null : <p class="bad said">{error}</p>}
        {log.length === 0 ? null : (
          <Log lines={log} count={going ? tail.count : log.length} going={going} isOpen={isOpen} />
        )}
        {result === null ? null : <Folded title="Result" text={JSON.stringify(result, null, 2)} />}
        {files.length === 0 ? null : (
          <PartFiles runId={runId} profileId={part.profileId} count={files.length} />
        )}
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
