/** The logs of a run's scripts while they run, line by line, for as long as the run's page is shown. */
import { useEffect, useState } from "preact/hooks";
import { limits } from "../../../../protocol/limits.ts";
import { openStream } from "../stream.ts";

/** Lines of one profile's part. */
interface Tail {
  lines: readonly string[];
  /** Lines that were logged in all. */
  count: number;
}

/** The last lines by profile, followed while `going`; those of parts that have ended stay until the page is left. */
export function useRunLogs(runId: string, going: boolean): ReadonlyMap<string, Tail> {
  const [tails, setTails] = useState<ReadonlyMap<string, Tail>>(new Map());
  useEffect(() => {
    if (!going) return;
    return openStream(`/live/runs/${runId.toLowerCase()}`, {
      log(data) {
        const { profileId, ...more }: Tail & { profileId: string } = JSON.parse(data);
        setTails((before) => new Map(before).set(profileId, joined(before.get(profileId), more)));
      },
    });
  }, [runId, going]);
  return tails;
}

/** A stream that was lost and has come again tells lines that are known; lines that were missed are more than are shown. */
function joined(before: Tail = { lines: [], count: 0 }, more: Tail): Tail {
  const fresh = Math.max(0, Math.min(more.lines.length, more.count - before.count));
  const lines = fresh === 0 ? before.lines : [...before.lines, ...more.lines.slice(-fresh)];
  return { lines: lines.slice(-limits.scriptLogTailLinesMax), count: Math.max(before.count, more.count) };
}
