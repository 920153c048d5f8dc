/** The failures of a run, before everything else: by message, each with its last picture and the way to retry. */
import { useState } from "preact/hooks";
import type { Run, RunProfile } from "../../../../protocol/records.ts";
import type { RunProfilesReply } from "../../../../protocol/run-requests.ts";
import { get } from "../api.ts";
import { useLive } from "../live.ts";
import { counted } from "../parts/counted.ts";
import { type FailureGroup, failureGroups, ownMessage } from "./failures.ts";
import { LastPicture } from "./part-files.tsx";

/** Failures that are read and grouped. */
const readMax = 200;
/** Of a group, so many are shown at first. */
const fewParts = 6;

interface Props {
  run: Run;
  nameOf(id: string): string;
  /** Null: nothing can be retried now. */
  onRetry: ((profileIds: string[]) => void) | null;
  onRetryAll(): void;
}

export function RunFailures({ run, nameOf, onRetry, onRetryAll }: Props) {
  const { id, profilesFailed } = run;
  const path = `/v1/runs/${id}/profiles?status=failed&limit=${readMax}`;
  const { value, error } = useLive([], () => get<RunProfilesReply>(path), `${id} ${profilesFailed}`);
  const groups = failureGroups(value?.profiles ?? []);
  return (
    <section class="card failures" aria-label="Failures">
      <div class="row ends">
        <h2>{counted(profilesFailed, "failure")}</h2>
        {onRetry === null ? null : (
          <button type="button" onClick={onRetryAll}>
            Retry failed profiles ({profilesFailed})
          </button>
        )}
      </div>
      {error === null ? null : <p class="bad">{error}</p>}
      {groups.map((group) => (
        <Group key={group.message} {...{ run, group, nameOf, onRetry }} />
      ))}
      {profilesFailed > readMax ? (
        <p class="soft">{`The first ${readMax} of ${profilesFailed.toLocaleString()} failures are grouped here.`}</p>
      ) : null}
    </section>
  );
}

interface GroupProps extends Omit<Props, "onRetryAll"> {
  group: FailureGroup;
}

function Group({ run, group, nameOf, onRetry }: GroupProps) {
  const [all, setAll] = useState(false);
  const { message, parts } = group;
  const shown = all ? parts : parts.slice(0, fewParts);
  const ids = parts.map(({ profileId }) => profileId);
  return (
    <section class="failure-group" aria-label={message}>
      <div class="row">
        <h3 class="bad said grow">{message}</h3>
        <span class="tag bad">{counted(parts.length, "profile")}</span>
        {onRetry === null || parts.length === 1 ? null : (
          <button type="button" aria-label={`Retry all with: ${message}`} onClick={() => onRetry(ids)}>
            Retry these
          </button>
        )}
      </div>
      <ul class="failed-parts">
        {shown.map((part) => (
          <Failure
            key={part.profileId}
            runId={run.id}
            part={part}
            own={ownMessage(part, group)}
            name={nameOf(part.profileId)}
            onRetry={onRetry === null ? null : () => onRetry([part.profileId])}
          />
        ))}
      </ul>
      {shown.length < parts.length ? (
        <button type="button" onClick={() => setAll(true)}>
          Show all {parts.length}
        </button>
      ) : null}
    </section>
  );
}

interface FailureProps {
  runId: string;
  part: RunProfile;
  own: string | null;
  name: string;
  onRetry: (() => void) | null;
}

function Failure({ runId, part: { profileId, files, log }, own, name, onRetry }: FailureProps) {
  /** The last line before the error itself. */
  const before = log.findLast((line) => !line.startsWith("error:"));
  return (
    <li>
      {files.length === 0 ? null : <LastPicture runId={runId} profileId={profileId} of={name} />}
      <div class="row ends">
        <a href={`#/profiles/${profileId}`}>{name}</a>
        {onRetry === null ? null : (
          <button type="button" aria-label={`Retry ${name}`} onClick={onRetry}>
            Retry
          </button>
        )}
      </div>
      {own === null ? null : <p class="said">{own}</p>}
      {before === undefined ? null : <code class="soft said">{before}</code>}
    </li>
  );
}
