/** The log lines of a run's scripts, while the run is shown. */
import { useEffect, useState } from "preact/hooks";
import { limits } from "../../../../protocol/limits.ts";
import { openStream } from "../stream.ts";

interface Tail {
  lines: readonly string[];
  count: number;
}

/** The last lines by profile, read while `going`; those of ended profiles stay until the page is left. */
export function useRunLogs(runId: string, going: boolean): ReadonlyMap<string, Tail> {
  const [tails, setTails] = useState<ReadonlyMap<string, Tail>>(new Map());
  useEffect(() => {
    if (!going) return;
    return openStream(`/live/runs/${runId.toLowerCase()}`, {
      log(data) {
        const { profile_id: id, ...more }: Tail & { profile_id: string } = JSON.parse(data);
        setTails((before) => new Map(before).set(id, joined(before.get(id), more)));
      },
    });
  }, [runId, going]);
  return tails;
}

/** A stream that reconnects repeats known lines; lines that it leaves out are older than those that are shown. */
function joined(before: Tail = { lines: [], count: 0 }, more: Tail): Tail {
  const fresh = Math.max(0, Math.min(more.lines.length, more.count - before.count));
  const lines = fresh === 0 ? before.lines : [...before.lines, ...more.lines.slice(-fresh)];
  return { lines: lines.slice(-limits.scriptLogTailLinesMax), count: Math.max(before.count, more.count) };
}
