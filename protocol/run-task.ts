/** What a part of a run needs, and what becomes of it. */
import type { RunProfile } from "./records.ts";
import type { ScriptLibrary, Uuid } from "./scalars.ts";

export interface RunTask {
  script: { id: Uuid; name: string; source: string; library: ScriptLibrary; approved: boolean };
  /** Request variables over stored ones; stored ones only for an approved script. */
  variables: Record<string, string>;
  /** Of the fixed dataset, with secret columns only for an approved script. Null or absent: none. */
  row?: Record<string, string> | null;
  /** Of the consume dataset, likewise. */
  rows?: Record<string, string>[];
  scratchDir: string;
}

export interface RunProfileOutcome
  extends Pick<RunProfile, "error" | "result" | "output" | "log" | "files" | "launchMs" | "isolation"> {
  status: Exclude<RunProfile["status"], "waiting" | "running">;
}

/** The log of a running script. */
export interface ScriptLogTail {
  /** The last lines, as `level: text`, at most `limits.scriptLogTailLinesMax`. */
  lines: string[];
  /** Number of all lines so far. */
  count: number;
}
